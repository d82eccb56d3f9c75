"""What a hosted match comes to: for programs, for a terminal, for a notebook, as JSON."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from arena.plugins import MatchSpec
from arena.records import pack_match, pack_seat, pack_verdict
from arena.rules import LONGEST_WORDS, Outcome, Score, UserError, Verdict
from arena.wires import Column, Sheet, Shown

if TYPE_CHECKING:
    from arena.records import Transcript

FORMAT = 1
COLUMNS = (
    Column("place"), Column("player", words=True, wraps=True), Column("score"),
    Column("seconds"), Column("verdict", words=True, wraps=True),
)  # fmt: skip


@frozen(slots=False)
class Result(Shown):
    """A match that was hosted; what belongs to the players stands in seat order."""

    spec: MatchSpec  #: what was played
    outcome: Outcome  #: how it came out
    errors: tuple[str, ...]  #: the end of each seat's stderr
    problem: Exception | None = None  #: why it is void
    recorded: str = field(default="", repr=False)  #: its transcript, JSON lines, if it was recorded
    #: what contained each seat's program, `trusted` where nothing did; None: it played here
    sandboxes: tuple[str | None, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return what the players are called."""
        return self.spec.names

    @property
    def places(self) -> tuple[int, ...] | None:
        """Return their places, 1 the best, equals sharing the better; None for a void match."""
        return self.outcome.places

    @property
    def scores(self) -> tuple[Score, ...] | None:
        """Return their scores in the game's points, more is better; None for a void match."""
        return self.outcome.scores

    @property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """Return what the host holds against each of them; None for who has played cleanly."""
        return tuple(self.outcome.verdicts.get(seat) for seat in range(len(self.names)))

    @cached_property
    def transcript(self) -> Transcript:
        """Return the record of the match: `save(path)` it, or look at its `lines`.

        Raises:
            UserError: where it was not recorded.
        """
        if not self.recorded:
            raise UserError("this match was not recorded: play_series(..., record=True) does")
        from arena.records import parse_text

        return parse_text(self.recorded)

    def pack(self, transcript: Path | None = None) -> dict[str, Any]:
        """Return the result as JSON, as `arena match --json` prints it."""
        spec, outcome = self.spec, self.outcome
        packed = pack_match(
            spec.key,
            outcome.end,
            outcome.rounds,
            map(self._seat, range(len(spec.names))),
            game=spec.game.name,
            seed=spec.seed,
            variant=spec.game.write_variant(spec.variant),
            transcript=transcript and str(transcript),
        )
        return {"format": FORMAT, **packed}

    def _seat(self, seat: int) -> dict[str, Any]:
        spec, outcome = self.spec, self.outcome
        verdict = outcome.verdicts.get(seat)
        return pack_seat(
            seat,
            spec.names[seat],
            score=outcome.scores[seat] if outcome.scores else None,
            place=outcome.places[seat] if outcome.places else None,
            verdict=pack_verdict(spec.game, verdict) if verdict else None,
            seconds=outcome.seconds[seat],
            stderr=self.errors[seat][-LONGEST_WORDS:],
            bot=spec.bots[seat],
            sandbox=self.sandboxes[seat] if self.sandboxes else None,
        )

    def sheet(self) -> Sheet:
        """Return the table for people, the best first."""
        from arena.records import counted

        outcome, game = self.outcome, self.spec.game
        head = f"{game.name}: {outcome.end} after {counted(outcome.rounds, game.unit)}"
        places = self.places or (0,) * len(self.names)
        order = sorted(range(len(places)), key=places.__getitem__)
        rows = [self._cells(seat) for seat in order]
        return Sheet(COLUMNS, rows, f"{head}: {outcome.detail}" if outcome.detail else head)

    def _cells(self, seat: int) -> list[str]:
        packed = self._seat(seat)
        verdict = self.verdicts[seat]
        return [
            "" if packed["place"] is None else str(packed["place"]),
            packed["name"],
            "" if packed["score"] is None else f"{packed['score']:g}",
            f"{packed['seconds']:.3f}",
            f"{verdict.kind}: {verdict.detail}" if verdict else "",
        ]
