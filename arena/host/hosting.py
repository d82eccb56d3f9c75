"""Hosting one match of entrants: folders, logs, players, the match; and the result it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from attrs import field, frozen

from arena.host.entrants import Entrant
from arena.host.folders import WorkingFolder, create_working_folder, prepare_persistent_folder
from arena.host.match import Match, PastAsk
from arena.host.player_factories import plays_many
from arena.host.program_pool import MatchPrograms, ProgramPool
from arena.host.shortages import describe_shortage
from arena.players import CLOCK, Player, defer_signals, end_programs
from arena.plugins import MatchSpec, Observer
from arena.records import Transcript, pack_match, pack_seat, pack_verdict, parse_text
from arena.rules import (
    MAX_STDERR_LENGTH,
    End,
    Outcome,
    Play,
    Score,
    Seat,
    Sides,
    UserError,
    Verdict,
    describe_error_with_line,
    find_sides,
    format_count,
    get_player_name,
    has_teams,
)
from arena.search import SearchingPlayer
from arena.tables import Column, DataTable, PrintsAsTable
from arena.wires import Limits


@frozen
class HostConfig:
    """How matches are hosted: limits, and where programs work and log."""

    limits: Limits = field(factory=Limits)  #: what each player is allowed
    folders: Mapping[str, Path] = field(factory=dict)  #: by name; who has none gets a fresh one
    logs: Path | None = None  #: where what programs write to stderr goes as a whole
    #: programs that play match after match; None: each program ends with its match
    programs: ProgramPool | None = None

    def may_last(self, entrant: Entrant) -> bool:
        """Return whether an entrant's program may play another match after one.

        A folder that stays between matches has one program at a time, which ends with its match.
        """
        stays = entrant.name in self.folders
        return plays_many(entrant.factory) and self.programs is not None and not stays


def host(
    spec: MatchSpec,
    entrants: Sequence[Entrant],
    config: HostConfig,
    observers: Sequence[Observer] = (),
    past: Iterable[PastAsk] = (),
    *,
    play: Play | None = None,
) -> Result:
    """Host one match; programs are started all at once, and are gone when this returns.

    Programs that play match after match stay in the pool of the config.

    Args:
        spec: what is played, from which seed.
        entrants: who sits there, in seat order.
        config: limits, in seconds, and where programs work and log.
        observers: who watches.
        past: the asks that were answered before the match was interrupted.
        play: what is played, if it does not begin with the deal.

    Returns how it came out; also where it is void, which is nobody's fault.
    """
    CLOCK.start()  # which watches the rules from the deal on
    players: list[Player] = []
    runs = any(entrant.factory.is_program for entrant in entrants)
    with ExitStack() as stack:
        folders = [_provide_folder(entrant, config, stack) for entrant in entrants]
        lasting = _open_lasting(spec, config, stack) if runs else None
        try:
            play = play or Play.deal(spec.variant, len(entrants), spec.seed)
            with defer_signals() if runs else nullcontext():  # an interrupt loses none of them
                for seat, entrant in enumerate(entrants):
                    log = _open_log(stack, spec, seat, entrant, config)
                    players.append(_create_player(seat, entrant, folders[seat], log, lasting))
            end = lasting.end if lasting else end_programs
            match = Match(
                play, players, config.limits, game=spec.game.name, key=spec.key,
                observers=observers, end=end, past=past,
            )  # fmt: skip
            match.hand_junctures(spec.game)
            return _play(spec, entrants, players, match, lasting)
        except BaseException as problem:
            end_programs(players, grace=0.0)
            if not isinstance(problem, Exception):
                raise
            return _build_void_result(spec, problem, observers)


def raise_on_shortage(result: Result) -> Result:
    """Return a result, or raise UserError where the machine lacked what a match needs."""
    if lacking := describe_shortage(result.problem):
        raise UserError(f"{lacking}; match {result.spec.key} was not played")
    return result


def _provide_folder(entrant: Entrant, config: HostConfig, stack: ExitStack) -> WorkingFolder | None:
    """Give a program a private, writable folder, which goes with the stack if it is fresh."""
    if not entrant.factory.is_program or config.may_last(entrant):
        return None
    persistent_folder, is_sandboxed = (
        config.folders.get(entrant.name),
        entrant.factory.sandbox is not None,
    )
    if persistent_folder is None:
        return create_working_folder(stack, is_sandboxed=is_sandboxed)
    return prepare_persistent_folder(persistent_folder, is_sandboxed=is_sandboxed)


def _open_log(
    stack: ExitStack, spec: MatchSpec, seat: int, entrant: Entrant, config: HostConfig
) -> IO[bytes] | None:
    if config.logs is None or not entrant.factory.is_program:
        return None
    path = config.logs / f"{spec.key}-{seat}-{spec.names[seat]}.log"
    return stack.enter_context(path.open("wb", buffering=0))


def _open_lasting(spec: MatchSpec, config: HostConfig, stack: ExitStack) -> MatchPrograms | None:
    """Return the match's programs that may stay, if any; those that do not end with the stack."""
    if config.programs is None:
        return None
    lasting = MatchPrograms(config.programs, spec.seed)
    stack.callback(lasting.close)
    return lasting


def _create_player(
    seat: Seat,
    entrant: Entrant,
    folder: WorkingFolder | None,
    log: IO[bytes] | None,
    lasting: MatchPrograms | None,
) -> Player:
    """Create a player; a program that may play several matches has a folder of its own."""
    if lasting and folder is None and entrant.factory.is_program:
        return lasting.create_player(entrant, seat, log)
    return entrant.factory.create_player(seat, folder, log)


def _play(
    spec: MatchSpec,
    entrants: Sequence[Entrant],
    players: Sequence[Player],
    match: Match,
    lasting: MatchPrograms | None,
) -> Result:
    """Play the match, and return what it has come to."""
    outcome = match.run()
    errors = tuple([player.errors for player in players])
    sandboxes = tuple([entrant.tier for entrant in entrants])
    searches = tuple([isinstance(player, SearchingPlayer) for player in players])
    earlier = lasting.list_earlier(len(players)) if lasting else ()
    return Result(
        spec, outcome, errors, match.problem, sandboxes=sandboxes, earlier_matches=earlier,
        searches=searches,
    )  # fmt: skip


def _build_void_result(
    spec: MatchSpec, problem: Exception, observers: Sequence[Observer]
) -> Result:
    """Return the result of a match that could not begin, which is no bot's fault."""
    nothing = (0.0,) * len(spec.names)
    outcome = Outcome(End.VOID, 0, None, None, {}, nothing, describe_error_with_line(problem))
    for observer in observers:
        observer.on_outcome(outcome)
    return Result(spec, outcome, ("",) * len(spec.names), problem)


FORMAT_VERSION = 1
COLUMNS = (
    Column("place"), Column("player", is_text=True, may_wrap=True), Column("score"),
    Column("seconds"), Column("verdict", is_text=True, may_wrap=True),
)  # fmt: skip


@frozen(slots=False, repr=False)
class Result(PrintsAsTable):
    """A match that was hosted, for programs, terminals and notebooks, and as JSON.

    What belongs to the players stands in seat order.
    """

    spec: MatchSpec  #: what was played
    outcome: Outcome  #: how it came out
    errors: tuple[str, ...]  #: the end of each seat's stderr
    problem: Exception | None = None  #: why it is void
    #: its transcript, JSON lines, if it was recorded
    transcript_text: str = field(default="", repr=False)
    #: what contained each seat's program, `trusted` where nothing did; None: it played here
    sandboxes: tuple[str | None, ...] = ()
    #: how many matches each seat's process had played before; None: it is there for this one
    earlier_matches: tuple[int | None, ...] = ()
    #: which seats' bots searched: they were handed junctures, made from the rules' own objects
    searches: tuple[bool, ...] = ()

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

    @cached_property
    def sides(self) -> Sides:
        """The seats of each side: of each team, or each seat alone."""
        return find_sides(self.spec.variant, len(self.names))

    @property
    def seats_by_player(self) -> Mapping[str, Sequence[Seat]]:
        """The seats of each player by its name; one that plays a team has several."""
        seats: dict[str, list[Seat]] = {}
        for seat, name in enumerate(self.names):
            seats.setdefault(get_player_name(name), []).append(seat)
        return seats

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
        spec, outcome, sides = self.spec, self.outcome, self.sides
        verdict = outcome.verdicts.get(seat)
        team = next(number for number, side in enumerate(sides) if seat in side)
        return pack_seat(
            seat,
            spec.names[seat],
            score=outcome.scores[seat] if outcome.scores else None,
            place=outcome.places[seat] if outcome.places else None,
            verdict=pack_verdict(spec.game, verdict) if verdict else None,
            seconds=outcome.seconds[seat],
            stderr=self.errors[seat][-MAX_STDERR_LENGTH:],
            bot=spec.bots[seat],
            **({"team": team} if has_teams(sides) else {}),
            sandbox=self.sandboxes[seat] if self.sandboxes else None,
            earlier_matches=self.get_earlier_matches(seat),
            **({"searches": True} if self.searches and self.searches[seat] else {}),
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
            f"{verdict.kind}: {verdict.describe()}" if verdict else "",
        ]
