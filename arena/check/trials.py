"""The matches of a check: against bundled bots at several tables, and the game's scenarios.

What a bot was sent and what it answered is observed there. Outside these matches, a program is
tried at the end of its input, and with a second match in one process.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from io import RawIOBase
from itertools import cycle, islice
from typing import IO, TYPE_CHECKING, Any, cast

from attrs import define, evolve, field, frozen

from arena.check.report import Finding
from arena.host import (
    Entrant,
    HostConfig,
    Limits,
    PlayerFactory,
    ProgramPool,
    Series,
    WorkingFolder,
    host,
    make_names_unique,
    parse_entrant,
    parse_entrants,
    temporary_folder,
)
from arena.players import (
    BotPlayer,
    Player,
    PollLoop,
    Process,
    RandomBot,
    defer_signals,
    end_processes,
    wait_for_end,
)
from arena.plugins import (
    AcceptedAnswer,
    Game,
    MatchSpec,
    Observer,
    Scenario,
    format_pairs,
)
from arena.rules import Question, Seat, UserError, Variant, Verdict, derive_seed
from arena.wires import (
    Codec,
    Greeting,
    encode_answer,
    encode_event,
    encode_question,
    encode_withdrawal,
)

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

MAX_PLAYERS = 6  # of the larger tables, if the game allows it
LIMIT_OPTIONS = {"move": "--move-time", "start": "--start-time", "bank": "--bank",
                 "increment": "--increment"}  # fmt: skip
"""The options of `arena match` for the limits of players."""
SEED_LENGTH = 8  # hexadecimal digits, so that a seed is easy to type


@frozen
class CheckPlan:
    """The plan of a check: the tables, the opponents and the seed."""

    game: Game
    variant: Variant
    entrant: Entrant
    seed: str
    sizes: Collection[int] | None = None  # numbers of players; None for a selection
    quick: bool = False  # play one match per table, and no scenarios
    limits: Limits = field(factory=Limits)

    def iter_batches(self) -> Iterator[TrialBatch]:
        """Yield all trials, small tables first."""
        for seats in self.sizes or choose_table_sizes(self.game.seats):
            where = [int(derive_seed(self.seed, seats), 16) % seats] if self.quick else range(seats)
            name = f"{seats} player{'s' * (seats != 1)}"
            trials = tuple(self._plan_match(name, seats, seat) for seat in where)
            yield TrialBatch(f"{name}, in {'one' if self.quick else 'every'} seat", trials)
        for situation in () if self.quick else self.game.scenarios:
            if self.sizes is None or len(situation.others) + 1 in self.sizes:
                yield TrialBatch(situation.name, (self._plan_situation(situation),))

    def _plan_match(self, name: str, seats: int, seat: Seat) -> Trial:
        """Return a trial against bundled bots, which differ from table to table."""
        others = islice(cycle(self._list_opponents(seats)), seat, seat + seats - 1)
        seed = derive_seed(self.seed, "check", seats, seat)[:SEED_LENGTH]
        trial = self._build_trial(name, self.variant, list(others), seat, seed)
        return evolve(trial, again=self._format_command(trial.spec) if self.game.bots else "")

    def _plan_situation(self, situation: Scenario) -> Trial:
        kinds = enumerate(situation.others, 1)
        others = [Entrant(f"other_{number}", "", ScriptedFactory(make)) for number, make in kinds]
        variant: Any = evolve(cast("Any", self.variant), **situation.options)
        return self._build_trial(situation.name, variant, others, situation.seat, situation.seed)

    def _build_trial(
        self, name: str, variant: Variant, others: list[Entrant], seat: Seat, seed: str
    ) -> Trial:
        listed = [*others[:seat], self.entrant, *others[seat:]]
        series = Series(self.game, variant, make_names_unique(listed), seed)
        ((spec, seated),) = series.iter_matches(1)
        return Trial(name, spec, seated, seat)

    def _list_opponents(self, seats: int) -> Sequence[Entrant]:
        """Return the bundled bots that can play here without parameters, or else a random bot.

        Those that search would take longer than all others together.
        """
        quick = [name for name, kind in self.game.bots.items() if not kind.searches]
        able = [name for name in quick if self._can_play(name, seats)]
        return (
            parse_entrants(self.game, able)
            if able
            else [Entrant("any", "", ScriptedFactory(RandomBot))]
        )

    def _can_play(self, name: str, seats: int) -> bool:
        with suppress(UserError):
            parse_entrant(self.game, name).check_support(self.variant, seats)
            return True
        return False

    def _format_command(self, spec: MatchSpec) -> str:
        """Return the command that repeats this match with the same seeds."""
        changed = self.game.write_changed_options(spec.variant)
        options = [f"--option={pair}" for pair in format_pairs(changed)]
        mine = self.entrant.bot
        bots = [f"{self.entrant.name}={bot}" if bot == mine else bot for bot in spec.bots]
        words = ["arena", "match", self.game.name, *bots, "--seed", spec.seed]
        return shlex.join([*words, *options, *self._list_limits(), *self._list_sandbox()])

    def _list_limits(self) -> Iterator[str]:
        """Yield the options for those limits that `arena match` would not have by itself."""
        given, usual = self.limits, Limits()
        for name, option in LIMIT_OPTIONS.items():
            if getattr(given, name) != getattr(usual, name):
                yield f"{option}={getattr(given, name):g}"

    def _list_sandbox(self) -> Iterator[str]:
        """Yield the option for the sandbox of the bot, if it has one."""
        if self.entrant.factory.sandbox:
            yield f"--sandbox={self.entrant.factory.sandbox.tier}"


@frozen
class Trial:
    """A match that tests a bot."""

    situation: str  # where a mistake happens, such as `3 players`
    spec: MatchSpec
    seated: tuple[Entrant, ...]
    seat: Seat  # the seat of the bot
    again: str = ""  # the command that repeats the match


@frozen
class TrialBatch:
    """Trials with a common name."""

    name: str
    trials: tuple[Trial, ...]


@frozen
class ScriptedFactory:
    """Creates the scripted bot of a scenario in this process."""

    make: Any  # a function that returns a bot
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a player with a new bot."""
        return BotPlayer(self.make())


def choose_table_sizes(seats: range) -> list[int]:
    """Return the smallest, a medium and a large table size of a game.

    >>> [choose_table_sizes(seats) for seats in (range(2, 53), range(2, 3), range(8, 11))]
    [[2, 4, 6], [2], [8]]
    """
    possible = [size for size in seats if size <= max(MAX_PLAYERS, seats[0])]
    return sorted({possible[0], possible[len(possible) // 2], possible[-1]})


class MatchObserver(Observer):
    """Records one seat's turns in a match, and its failure."""

    def __init__(self, spec: MatchSpec, seat: Seat, wire: Codec, watched: ObservedFactory) -> None:
        self.wire, self.turns = wire, list[ObservedTurn]()
        self.verdict: Verdict | None = None
        self.early = False  # whether an answer came before its question
        self.sent: list[str] = []  # the lines since the last answer
        self.too_late = 0  # the number of withdrawn questions
        self._seat, self._watched = seat, watched
        own = derive_seed(spec.key, "bot", seat)
        seats = len(spec.names)
        self.sent += encode_event(wire, Greeting(spec.game.name, seat, seats, spec.variant, own))

    @property
    def sent_lines(self) -> tuple[str, ...]:
        """Return all lines sent to the seat, up to the end of the match or its failure."""
        return tuple(line for turn in self.turns for line in turn.sent) + tuple(self.sent)

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Record the lines of an event."""
        if seat in (None, self._seat) and self.verdict is None:
            self.sent += encode_event(self.wire, event)

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Record the lines of a question, and whether an answer came before it."""
        if self._seat in questions and self.verdict is None:
            self.sent += encode_question(self.wire, questions[self._seat])
            self.early = self._watched.has_pending_output

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Record the answer as a line."""
        if answer.seat == self._seat and not answer.fallback:
            said = encode_answer(self.wire, answer.question, answer.answer)
            self.turns.append(ObservedTurn(tuple(self.sent), said, answer.seconds))
            self.sent = []

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Record a withdrawn question, and the lines about it."""
        if self._seat in questions and self.verdict is None:
            self.sent += encode_withdrawal(self.wire, questions[self._seat])
            self.too_late += 1

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Record the seat's failure."""
        if seat == self._seat:
            self.verdict = verdict


@frozen
class ObservedTurn:
    """The lines sent since the last answer, and the line that answers them."""

    sent: tuple[str, ...]
    answered: str
    seconds: float


def answers_alike(first_match: MatchObserver, second_match: MatchObserver) -> bool | None:
    """Return whether equal lines got equal answers in both matches; None if no lines were equal."""
    same = None
    for first, second in zip(first_match.turns, second_match.turns, strict=False):
        if first.sent != second.sent:
            return same
        if first.answered != second.answered:
            return False
        same = True
    return same


def build_codec(spec: MatchSpec, entrant: Entrant, seat: Seat) -> Codec:
    """Return the codec of an entrant's lines; a bot in this process gets the codec of a program."""
    return spec.game.build_codec(getattr(entrant.factory, "protocol", None), seat)


class ByteCounter(RawIOBase):
    """A file that counts the bytes written to it."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, data: Any) -> int:
        """Count the bytes of a write."""
        self.count += len(data)
        return len(data)


@define
class ObservedFactory:
    """A player factory that keeps a reference to the last player it created."""

    factory: PlayerFactory
    latest: Player | None = None
    log: ByteCounter = field(factory=ByteCounter)

    @property
    def is_program(self) -> bool:
        """Whether it is a program, which needs a working folder."""
        return self.factory.is_program

    @property
    def sandbox(self) -> Sandbox | None:
        """The sandbox of the program, or None."""
        return self.factory.sandbox

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes of the player, running or ended."""
        return tuple(self.latest.processes) if self.latest else ()

    @property
    def has_pending_output(self) -> bool:
        """Whether the program has written output that answers no question.

        Output that arrives at this moment may be missed.
        """
        if self.latest:
            self.latest.look()
        return any(len(process.pipes.lines) for process in self.processes)

    @property
    def unasked_output(self) -> str:
        """The beginning of the output that answers no question; read it after the match."""
        said = b"".join(map(_read_unasked, self.processes))
        return said.decode(errors="replace")

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Create a player, and count the bytes that it writes to stderr."""
        self.log = ByteCounter()
        self.latest = self.factory.create_player(seat, folder, cast("IO[bytes]", self.log))
        return self.latest


def _read_unasked(process: Process) -> bytes:
    """Return the unread output of a process, without the lines that answer withdrawn questions."""
    lines = process.pipes.lines
    said = lines.partial + process.pipes.late_output
    for _ in range(lines.owed):
        said = said.partition(b"\n")[2]
    return said


@frozen
class ProgramExit:
    """The end of a program."""

    by_itself: bool  # whether it ended within the grace period
    output: str  # complete, or the beginning of a long output
    leftover_count: int  # processes of its session alive at that time


def feed_and_end(factory: PlayerFactory, lines: Sequence[str], grace: float) -> ProgramExit | None:
    """Start a program, send it these lines, and end its input; return None if it does not start."""
    processes: list[Process] = []
    with temporary_folder() as folder:
        try:
            with defer_signals():
                processes += factory.create_player(0, WorkingFolder(folder), None).processes
            for process in processes:
                return _observe_end(process, "".join(f"{line}\n" for line in lines), grace)
        finally:
            end_processes(processes, 0.0)
    return None


def _observe_end(process: Process, text: str, grace: float) -> ProgramExit:
    pipes = process.pipes
    pipes.write(text.encode(errors="replace"))
    by_itself = _end_input(process, grace)
    left = process.count_leftovers(grace) if by_itself else 0
    pipes.read()  # its last output may still be in the pipe
    said = pipes.lines.partial + pipes.late_output
    return ProgramExit(by_itself, said.decode(errors="replace"), left)


def _end_input(process: Process, seconds: float) -> bool:
    """End a program's input, and return whether it ends within these seconds."""
    loop = PollLoop()
    process.begin_shutdown(loop)
    wait_for_end([process], loop, seconds)
    return not process.running


SITUATION = "two matches in one process"


def try_second_match(trial: Trial, factory: PlayerFactory, limits: Limits) -> Finding | None:
    """Play two deals with one process; return what is wrong in or before the second.

    Args:
        trial: a match that the bot plays without a verdict.
        factory: of the bot's players, as a match has it.
        limits: of the players.
    """
    seat = trial.seat
    seated = list(trial.seated)
    seated[seat] = evolve(seated[seat], factory=factory)
    with ProgramPool() as programs:
        config = HostConfig(limits, programs=programs)
        host(trial.spec, seated, config)
        second = host(evolve(trial.spec, seed=f"{trial.spec.seed}2"), seated, config)
    if not second.get_earlier_matches(seat):
        return _report_not_ready(limits.grace)
    verdict = second.verdicts[seat]
    if verdict is None:
        return None
    return Finding(
        kind=verdict.kind.value,
        fault=True,
        situation=SITUATION,
        seat=seat,
        detail=verdict.detail,
        answered=verdict.line,
        advice="Forget at the next greeting what belongs to the last match, or leave out "
        'games = "many".',
        stderr=second.errors[seat].strip(),
    )


def _report_not_ready(grace: float) -> Finding:
    return Finding(
        kind="ready",
        fault=False,
        situation=SITUATION,
        detail="its process was not ready for a second match",
        advice=f'With games = "many", answer "ready" to MatchOver within {grace:g} s, and write '
        "nothing else. This is not a fault: the next match starts a new process, and nothing is "
        "gained.",
    )
