"""A viewer's perspective of a match, live or replayed, step by step: text, and changed zones.

All that is shown of a match is made here, of one that is played and of one that is recorded, in a
terminal and on a page. A viewer's narrator and board are handed only what the viewer may see, so
what a seat was never told cannot come to its page, for the reason that it cannot come to its bot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from attrs import define, evolve, field, frozen

from arena.players import PROMPT
from arena.plugins import Game, TurningPoints, check_sentence
from arena.records.transcript import (
    Transcript,
    TranscriptHeader,
    TranscriptLine,
    UnreadableTranscriptError,
    list_seat_prefixes,
    unpack_outcome,
    unpack_verdict,
)
from arena.rules import (
    Fault,
    Outcome,
    Question,
    Score,
    Seat,
    Text,
    Variant,
    Verdict,
    describe_error_with_line,
    format_count,
    quote_output,
)
from arena.wires import (
    ActFilter,
    AnswerEvent,
    Board,
    Greeting,
    MalformedLineError,
    Mark,
    MarkedLine,
    Narrator,
    PrivateEvent,
    Zone,
    Zones,
    begin_sentence,
    encode_answer,
    encode_event,
    encode_question,
    encode_withdrawal,
    find_changed_zones,
    freeze,
    read_zones,
    reword,
    separate_headings,
    to_printable,
)


class Spectator(StrEnum):
    """Viewers that are not a seat."""

    ALL = "all"  #: sees everything
    PUBLIC = "public"  #: sees what is announced to everybody, and the end


Viewer = Seat | Spectator
"""A viewer: a seat, or a spectator."""


@define
class Perspective:
    """A viewer of a match: it gets everything that happens, and returns the steps that it sees.

    `viewer` is a seat's number or one of `Spectator`; `names` are in seat order. `page`: it is for
    a page, with the board and the turning points of the game, and without what only a terminal
    needs. `keeps_state`: where a board takes the place of lines on how things stand, the steps have
    these lines, too, for who reads no board. `stepwise`: each step is seen for itself, as in a
    replay. A step that is false shows nothing.
    """

    game: Game  #: what is played
    variant: Variant  #: with which options
    names: Sequence[str]
    viewer: Viewer = Spectator.ALL
    page: bool = False
    keeps_state: bool = False
    stepwise: bool = False
    line: int = field(init=False, default=0)  #: of the transcript, at which it looks
    narrator: Narrator = field(init=False)  #: which makes its sentences
    board: Board | None = field(init=False, default=None)  #: which makes its zones; None: no page
    _acts: ActFilter = field(init=False, factory=ActFilter)
    _shown: Zones = field(init=False, factory=dict)
    _turning_points: TurningPoints | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        seat = None if isinstance(self.viewer, Spectator) else self.viewer
        self.narrator = self.game.build_narrator(seat, self.names)
        self.narrator.stepwise = self.stepwise
        if self.page:
            build_board = self.game.presentation.board
            self.board = build_board(seat, self.names) if build_board else None
            self._turning_points = self.game.build_turning_points(seat, self.names)

    def begin(self) -> MatchStep:
        """Return the first step of the match."""
        seat = 0 if isinstance(self.viewer, Spectator) else self.viewer
        greeting = Greeting(self.game.name, seat, len(self.names), self.variant, "")
        if self._turning_points:
            self._turning_points.tell(greeting)
        return self._see(greeting)

    def see_event(self, to: Seat | None, event: Any) -> MatchStep:
        """Return the step of an event that a seat, or all seats (None), are told."""
        if to is None and self._turning_points and (turn := self._turning_points.tell(event)):
            check_sentence(self._turning_points, turn)
            return evolve(self._see(event), turn=begin_sentence(turn), line=self.line)
        if to is None or to == self.viewer:
            return self._see(event)
        return self._see(PrivateEvent(to, event)) if self.viewer is Spectator.ALL else EMPTY_STEP

    def see_question(self, seat: Seat, question: Question[Any]) -> MatchStep:
        """Return the step of a question, which its own seat sees."""
        if seat != self.viewer:
            return EMPTY_STEP
        return self._build_step(encode_question(self.narrator, question))

    def see_answer(self, seat: Seat, question: Question[Any], answer: Any) -> MatchStep:
        """Return the step of an answer, which its own seat and all-seeing spectators see."""
        if seat != self.viewer and self.viewer is not Spectator.ALL:
            return EMPTY_STEP
        step = self._see(AnswerEvent(seat, question, answer))
        if seat == self.viewer and not self.page:  # a terminal shows what was typed
            return self._build_step([PROMPT + encode_answer(self.narrator, question, answer)])
        return step

    def see_withdrawal(self, seat: Seat, question: Question[Any]) -> MatchStep:
        """Return the step of a withdrawn question."""
        return (
            self._build_step(encode_withdrawal(self.narrator, question))
            if seat == self.viewer
            else EMPTY_STEP
        )

    def see_verdict(self, seat: Seat, verdict: Verdict) -> MatchStep:
        """Return the step of a verdict; only all-seeing spectators see the quoted output."""
        head = f"*** {self.names[seat]}: {verdict.kind}"
        if self.viewer is Spectator.ALL:
            said = quote_output(verdict.kind, verdict.line, verdict.errors)
            words = [f"{head}, {verdict.describe()}", *(f"    {line}" for line in said)]
            mark = FailureMark(seat, verdict.kind, verdict.describe())
        elif self.viewer is Spectator.PUBLIC:
            words, mark = [head], FailureMark(seat, verdict.kind)
        else:
            return EMPTY_STEP
        return evolve(self._build_step(words), bad=mark)

    def see_outcome(self, outcome: Outcome) -> MatchStep:
        """Return the step of the outcome; a seat knows it from its events, but for a last step."""
        if isinstance(self.viewer, Spectator) or self.stepwise:
            return self._build_step(format_outcome(self.names, outcome, self.game.unit))
        return EMPTY_STEP

    def _see(self, event: Any) -> MatchStep:
        if self.board:
            self.board.tell(event)
        return self._build_step(encode_event(self.narrator, event), told=True)

    def _build_step(self, words: Iterable[str], *, told: bool = False) -> MatchStep:
        """Return a step with these lines and the zones of the board that changed."""
        zones: dict[str, Zone | None] = {}
        if self.board and told:
            before, self._shown = self._shown, self._acts.update(read_zones(self.board))
            zones = find_changed_zones(before, self._shown)
        lines = [*words]
        said = tuple(map(clean_line, self._select_lines(lines)))
        state = tuple(map(clean_line, self._list_state(lines)))
        shows = said or zones or state
        return MatchStep(said, zones, state=state, line=self.line) if shows else EMPTY_STEP

    def _select_lines(self, lines: Iterable[str]) -> Iterable[str]:
        """Return the lines that a page, or a terminal, shows."""
        if not self.page:
            return separate_headings(lines)
        hidden = {Mark.HINT, Mark.STATE} if self.board else {Mark.HINT}
        return [line for line in lines if getattr(line, "mark", None) not in hidden]

    def _list_state(self, lines: Iterable[str]) -> list[str]:
        """Return the lines that the board stands for, where they are kept."""
        if not (self.board and self.keeps_state):
            return []
        return [line for line in lines if line and getattr(line, "mark", None) is Mark.STATE]


def clean_line(words: str) -> str:
    """Return a narrator's line in printable characters, with its mark and part."""
    return reword(words, to_printable(words))


@frozen
class MatchStep:
    """A step: everything that a viewer sees at once."""

    words: tuple[str, ...] = ()  #: lines, cleaned; a `MarkedLine` stands out
    zones: Mapping[str, Zone | None] = {}  #: that are not as before; None for what is gone
    bad: FailureMark | None = None  #: who failed
    turn: str = ""  #: why this is a turning point of the match, if it is one
    line: int = 0  #: of the transcript, counted from 1
    state: tuple[str, ...] = ()  #: lines in whose place a page draws the zones, where they are kept

    @property
    def json(self) -> dict[str, Any]:
        """Return the step as JSON: `l` is the line, `t` the text, `z` the zones, `s` the state.

        `bad` is the failure, and `turn` the turning point. A word that stands out is a pair: why,
        and the text.
        """
        packed: dict[str, Any] = {"l": self.line}
        if self.words:
            packed["t"] = [
                [w.mark.value, str(w)] if isinstance(w, MarkedLine) and w.mark else str(w)
                for w in self.words
            ]
        if self.zones:
            packed["z"] = {key: zone and zone.json for key, zone in self.zones.items()}
        if self.state:
            packed["s"] = [*map(str, self.state)]
        if self.bad:
            packed["bad"] = self.bad.json
        if self.turn:
            packed["turn"] = to_printable(self.turn)
        return packed

    def __bool__(self) -> bool:
        """Whether the step shows anything."""
        return bool(self.words or self.zones or self.bad or self.turn or self.state)


@frozen
class FailureMark:
    """A failure of a player, which is marked on the timeline."""

    seat: Seat
    kind: Fault
    detail: str = ""  #: nothing where the viewer may not know it

    @property
    def json(self) -> dict[str, Any]:
        """Return the mark as JSON."""
        return {"seat": self.seat, "kind": self.kind, "detail": to_printable(self.detail)}


EMPTY_STEP = MatchStep()


class Replayer:
    """Turns the lines of a transcript into steps, for several viewers at once."""

    def __init__(self, perspectives: Sequence[Perspective]) -> None:
        self._perspectives = perspectives
        self._game = perspectives[0].game
        viewers = {perspective.viewer for perspective in perspectives}
        seats = range(len(perspectives[0].names))
        blind = () if Spectator.ALL in viewers else {*seats} - viewers
        # of the lines that no viewer sees
        self._hidden_prefixes = tuple(
            prefix for seat in blind for prefix in list_seat_prefixes(seat)
        )
        self._questions: dict[Seat, Question[Any]] = {}

    @classmethod
    def of(
        cls,
        game: Game,
        header: TranscriptHeader,
        viewers: Sequence[Viewer],
        names: Sequence[str] | None = None,
        *,
        page: bool = False,
        stepwise: bool = False,
    ) -> Replayer:
        """Return a replayer for these viewers; `names` replace those of the header."""
        variant, shown = header.read_variant(game), names or header.names
        return cls(
            [
                Perspective(game, variant, shown, viewer, page=page, stepwise=stepwise)
                for viewer in viewers
            ]
        )

    def begin(self) -> list[MatchStep]:
        """Return the first step of each viewer.

        Raises:
            UnreadableTranscriptError: where it cannot be shown.
        """
        try:
            return [evolve(perspective.begin(), line=1) for perspective in self._perspectives]
        except Exception as problem:  # noqa: BLE001  # of a narrator, a board
            raise _build_unreadable_error(1, problem) from None

    def take(self, line: TranscriptLine) -> list[MatchStep]:
        """Return each viewer's step for a line; an empty list where it is private to other seats.

        Such a line is not even read.

        Raises:
            UnreadableTranscriptError: where the line cannot be read, or shown.
        """
        if line.text.startswith(self._hidden_prefixes):
            return []
        value = line.value
        for perspective in self._perspectives:
            perspective.line = line.number
        try:
            return self._read_steps(value)
        except Exception as problem:  # noqa: BLE001  # of a stranger's file, of a narrator, a board
            raise _build_unreadable_error(line.number, problem) from None

    def _read_steps(self, line: Mapping[str, Any]) -> list[MatchStep]:
        perspectives, unpack = self._perspectives, self._game.vocabulary.unpack
        match line:
            case {"to": int() | None as to, "event": packed}:
                event = unpack(packed)
                return [perspective.see_event(to, event) for perspective in perspectives]
            case {"to": int(seat), "question": packed}:
                question = self._questions[seat] = unpack(packed)
                return [
                    EMPTY_STEP
                    if perspective.page and not _is_asked(perspective, seat, question)
                    else perspective.see_question(seat, question)
                    for perspective in perspectives
                ]
            case {"from": int(seat), "answer": answer}:
                asked, said = self._find_question(seat), freeze(answer)
                return [perspective.see_answer(seat, asked, said) for perspective in perspectives]
            case {"to": int(seat), "withdrawn": str()}:
                asked = self._find_question(seat)
                return [perspective.see_withdrawal(seat, asked) for perspective in perspectives]
            case {"verdict": packed}:
                verdict = unpack_verdict(self._game, packed)
                return [
                    perspective.see_verdict(packed["seat"], verdict) for perspective in perspectives
                ]
            case {"outcome": packed}:
                outcome = unpack_outcome(packed)
                return [perspective.see_outcome(outcome) for perspective in perspectives]
        raise MalformedLineError("not a line of a transcript")

    def _find_question(self, seat: Seat) -> Question[Any]:
        if seat not in self._questions:
            raise MalformedLineError(f"seat {seat} was not asked before")
        return self._questions[seat]


def _is_asked(perspective: Perspective, seat: Seat, question: Question[Any]) -> bool:
    """Whether a viewer at this seat is asked on a page: about a position, and with a choice."""
    if seat != perspective.viewer or isinstance(question.options, Text):
        return False
    return perspective.narrator.find_forced_answer(question) is None


def _build_unreadable_error(line: int, problem: Exception) -> UnreadableTranscriptError:
    explained = isinstance(problem, MalformedLineError)
    why = str(problem) if explained else describe_error_with_line(problem)
    return UnreadableTranscriptError(f"line {line}: cannot be shown: {why}")


def iterate_steps(
    game: Game,
    transcript: Transcript,
    viewer: Viewer = Spectator.ALL,
    names: Sequence[str] | None = None,
) -> Iterator[MatchStep]:
    """Yield the steps of a recorded match that a viewer sees, without empty ones.

    Raises:
        UnreadableTranscriptError: where a line cannot be shown.
    """
    replayer = Replayer.of(game, transcript.header, [viewer], names)
    yield from replayer.begin()
    for line in transcript.lines:
        yield from filter(None, replayer.take(line))


def replay_for_spectator(game: Game, transcript: Transcript) -> Iterator[str]:
    """Return the lines for a spectator who may see everything."""
    for step in iterate_steps(game, transcript):
        yield from step.words


def replay_for_seat(game: Game, transcript: Transcript, seat: Seat) -> Iterator[str]:
    """Return the lines that a person at this seat would have seen.

    That is what the seat was told and asked, and what it answered itself: not even the other
    players' names, which no wire gives.
    """
    names = [f"seat {number}" for number in range(transcript.seats)]
    for step in iterate_steps(game, transcript, seat, names):
        yield from step.words


def format_outcome(names: Sequence[str], outcome: Outcome, unit: str) -> Iterator[str]:
    """Yield the outcome of a match as lines; `unit` is the game's word for a round."""
    played = format_count(outcome.rounds, unit)
    yield f"{outcome.end.capitalize()} after {played}.{' ' * bool(outcome.detail)}{outcome.detail}"
    if outcome.places and outcome.scores:
        yield from format_placings(names, outcome.places, outcome.scores)


def format_placings(
    names: Sequence[str], places: Sequence[int], scores: Sequence[Score]
) -> Iterator[str]:
    """Yield a line for each player with place and score, best first."""
    table: Iterable[Any] = zip(places, names, scores, strict=True)
    for place, name, score in sorted(table, key=lambda row: row[0]):
        yield f"{place:>3}. {name}  {float(score):g}"
