"""What a hosted match comes to: for programs, for a terminal, for a notebook, as JSON."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from arena.plugins import MatchSpec
from arena.records import pack_match, pack_seat, pack_verdict
from arena.rules import MAX_STDERR_LENGTH, Outcome, Score, UserError, Verdict, format_count
from arena.wires import Column, DataTable, TableDisplay

if TYPE_CHECKING:
    from arena.records import Transcript

FORMAT_VERSION = 1
COLUMNS = (
    Column("place"), Column("player", is_text=True, may_wrap=True), Column("score"),
    Column("seconds"), Column("verdict", is_text=True, may_wrap=True),
)  # fmt: skip


@frozen(slots=False, repr=False)
class Result(TableDisplay):
    """A match that was hosted; what belongs to the players stands in seat order."""

    spec: MatchSpec  #: what was played
    outcome: Outcome  #: how it came out
    errors: tuple[str, ...]  #: the end of each seat's stderr
    problem: Exception | None = None  #: why it is void
    transcript_text: str = field(
        default="", repr=False
    )  #: its transcript, JSON lines, if it was recorded
    #: what contained each seat's program, `trusted` where nothing did; None: it played here
    sandboxes: tuple[str | None, ...] = ()
    #: how many matches each seat's process had played before; None: it is there for this one
    earlier_matches: tuple[int | None, ...] = ()

    def __repr__(self) -> str:
        """Write the game, how the match ended, and each player's score, in one line."""
        outcome = self.outcome
        scores = outcome.scores or ("-",) * len(self.names)
        players = ", ".join(
            f"{name} {score}" for name, score in zip(self.names, scores, strict=True)
        )
        return f"Result({self.spec.game.name}, {outcome.end}: {players})"

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, in seat order."""
        return self.spec.names

    @property
    def places(self) -> tuple[int, ...] | None:
        """Return their places, 1 the best, equals sharing the better; None for a void match."""
        return self.outcome.places

    @property
    def scores(self) -> tuple[Score, ...] | None:
        """Return their scores in the game's points, more is better; None for a void match."""
        return self.outcome.scores

    def get_earlier_matches(self, seat: int) -> int | None:
        """Return the number of matches that a seat's process had played before, or None."""
        return self.earlier_matches[seat] if self.earlier_matches else None

    def has_lasting_program(self, seat: int) -> bool:
        """Return whether the program of a seat plays match after match."""
        return self.get_earlier_matches(seat) is not None

    @property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """The verdict of each seat, None for a seat without one."""
        return tuple(self.outcome.verdicts.get(seat) for seat in range(len(self.names)))

    @cached_property
    def transcript(self) -> Transcript:
        """Return the record of the match: `save(path)` it, or look at its `lines`.

        Raises:
            UserError: where it was not recorded.
        """
        if not self.transcript_text:
            raise UserError("this match was not recorded; use play_series(..., record=True)")
        from arena.records import parse_text

        return parse_text(self.transcript_text)

    def pack(self, transcript: Path | None = None) -> dict[str, Any]:
        """Return the result as JSON, as `arena match --json` prints it."""
        spec, outcome = self.spec, self.outcome
        packed = pack_match(
            spec.key,
            outcome.end,
            outcome.rounds,
            map(self._pack_seat, range(len(spec.names))),
            game=spec.game.name,
            seed=spec.seed,
            variant=spec.game.write_variant(spec.variant),
            transcript=transcript and str(transcript),
        )
        return {"format": FORMAT_VERSION, **packed}

    def _pack_seat(self, seat: int) -> dict[str, Any]:
        spec, outcome = self.spec, self.outcome
        verdict = outcome.verdicts.get(seat)
        return pack_seat(
            seat,
            spec.names[seat],
            score=outcome.scores[seat] if outcome.scores else None,
            place=outcome.places[seat] if outcome.places else None,
            verdict=pack_verdict(spec.game, verdict) if verdict else None,
            seconds=outcome.seconds[seat],
            stderr=self.errors[seat][-MAX_STDERR_LENGTH:],
            bot=spec.bots[seat],
            sandbox=self.sandboxes[seat] if self.sandboxes else None,
            earlier_matches=self.get_earlier_matches(seat),
        )

    def to_table(self) -> DataTable:
        """Return the table for people, the best first."""
        outcome, game = self.outcome, self.spec.game
        head = f"{game.name}: {outcome.end} after {format_count(outcome.rounds, game.unit)}"
        places = self.places or (0,) * len(self.names)
        order = sorted(range(len(places)), key=places.__getitem__)
        rows = [self._format_row(seat) for seat in order]
        return DataTable(COLUMNS, rows, f"{head}: {outcome.detail}" if outcome.detail else head)

    def _format_row(self, seat: int) -> list[str]:
        packed = self._pack_seat(seat)
        verdict = self.verdicts[seat]
        return [
            "" if packed["place"] is None else str(packed["place"]),
            packed["name"],
            "" if packed["score"] is None else f"{packed['score']:g}",
            f"{packed['seconds']:.3f}",
            f"{verdict.kind}: {verdict.detail}" if verdict else "",
        ]
