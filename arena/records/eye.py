"""What one eye sees of a match, step by step: words, and the zones of the board that changed.

All that is shown of a match is made here, of one that is played and of one that is recorded, in a
terminal and on a page. An eye's view and board are handed only what the eye may see, so what a
seat was never told cannot come to its page, for the reason that it cannot come to its bot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from attrs import define, evolve, field, frozen

from arena.players import PROMPT, taken_back
from arena.plugins import Game
from arena.records.outcomes import result
from arena.records.recorder import of_one
from arena.records.transcript import (
    Header,
    Line,
    Transcript,
    Unreadable,
    unpack_outcome,
    unpack_verdict,
)
from arena.rules import Fault, Outcome, Question, Seat, Variant, Verdict, heard
from arena.wires import (
    Board,
    Codec,
    Greeting,
    Malformed,
    Private,
    Said,
    Zone,
    Zones,
    changed,
    freeze,
    printable,
)
from arena.wires import Line as Marked


class Spectator(StrEnum):
    """Eyes that are no seat's."""

    ALL = "all"  #: sees everything
    PUBLIC = "public"  #: sees what is announced to everybody, and the end


Sight = Seat | Spectator
"""Through whose eyes."""


@frozen
class Bad:
    """A player has failed: that is marked on the line of time."""

    seat: Seat
    kind: Fault
    detail: str = ""  #: nothing where the eye may not know it

    @property
    def packed(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"seat": self.seat, "kind": self.kind, "detail": printable(self.detail)}


@frozen
class Step:
    """What an eye sees at once."""

    words: tuple[str, ...] = ()  #: lines of the view, cleaned; some are `Line`s that stand out
    zones: Mapping[str, Zone | None] = {}  #: that are not as before; None for what is gone
    bad: Bad | None = None  #: who failed
    line: int = 0  #: of the transcript, counted from 1

    @property
    def packed(self) -> dict[str, Any]:
        """Return it as JSON: `l` the line, `t` the words, `z` the zones, `bad` who failed.

        A word that stands out is a pair: why, and the text.
        """
        packed: dict[str, Any] = {"l": self.line}
        if self.words:
            packed["t"] = [
                [w.mark.value, str(w)] if isinstance(w, Marked) else w for w in self.words
            ]
        if self.zones:
            packed["z"] = {key: zone and zone.packed for key, zone in self.zones.items()}
        if self.bad:
            packed["bad"] = self.bad.packed
        return packed

    def __bool__(self) -> bool:
        """Is anything seen?"""
        return bool(self.words or self.zones or self.bad)


NOTHING = Step()


@define
class Eye:
    """One eye on a match: tell it all that happens, in order; it gives the step that it sees.

    `sight` is a seat's number or one of `Spectator`; `names` are in seat order. A step that is
    false shows nothing.
    """

    game: Game
    variant: Variant
    names: Sequence[str]
    sight: Sight = Spectator.ALL
    line: int = field(init=False, default=0)  #: of the transcript, at which it looks
    view: Codec = field(init=False)
    board: Board | None = field(init=False)
    _shown: Zones = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        seat = None if isinstance(self.sight, Spectator) else self.sight
        self.view = self.game.view_for(seat, self.names)
        self.board = self.game.board(seat, self.names) if self.game.board else None

    def begin(self) -> Step:
        """See the match begin."""
        seat = 0 if isinstance(self.sight, Spectator) else self.sight
        return self._see(Greeting(self.game.name, seat, len(self.names), self.variant, ""))

    def told(self, to: Seat | None, event: Any) -> Step:
        """See what a seat, or all of them (None), are told."""
        if to is None or to == self.sight:
            return self._see(event)
        return self._see(Private(to, event)) if self.sight is Spectator.ALL else NOTHING

    def asked(self, seat: Seat, question: Question[Any]) -> Step:
        """See a question: its own seat does."""
        return self._step(self.view.ask(question)) if seat == self.sight else NOTHING

    def answered(self, seat: Seat, question: Question[Any], answer: Any) -> Step:
        """See an answer: its own seat does, and who sees everything."""
        if seat == self.sight:
            if self.board:
                self.board.tell(Said(seat, question, answer))
            return self._step([PROMPT + self.view.say(question, answer)], told=True)
        if self.sight is Spectator.ALL:
            return self._see(Said(seat, question, answer))
        return NOTHING

    def withdrawn(self, seat: Seat, question: Question[Any]) -> Step:
        """See that a question is taken back."""
        return self._step(taken_back(self.view, question)) if seat == self.sight else NOTHING

    def failed(self, seat: Seat, verdict: Verdict) -> Step:
        """See a verdict; only who sees everything sees what it quotes."""
        if self.sight is Spectator.ALL:
            said = heard(verdict.kind, verdict.line, verdict.errors)
            words = [
                f"*** {self.names[seat]}: {verdict.kind}, {verdict.detail}",
                *(f"    {line}" for line in said),
            ]
            return evolve(self._step(words), bad=Bad(seat, verdict.kind, verdict.detail))
        if self.sight is Spectator.PUBLIC:
            words = [f"*** {self.names[seat]}: {verdict.kind}"]
            return evolve(self._step(words), bad=Bad(seat, verdict.kind))
        return NOTHING

    def ended(self, outcome: Outcome) -> Step:
        """See how it came out; a seat knows that from what it was told."""
        if isinstance(self.sight, Spectator):
            return self._step(result(self.names, outcome, self.game.unit))
        return NOTHING

    def _see(self, event: Any) -> Step:
        if self.board:
            self.board.tell(event)
        return self._step(self.view.tell(event), told=True)

    def _step(self, words: Iterable[str], *, told: bool = False) -> Step:
        """Return a step; what a board was not told changes no zone."""
        zones: dict[str, Zone | None] = {}
        if self.board and told:
            before, self._shown = self._shown, dict(self.board.zones)
            zones = changed(before, self._shown)
        said = tuple(map(cleaned, words))
        return Step(said, zones, line=self.line) if said or zones else NOTHING


def cleaned(words: str) -> str:
    """Return a line of a view with all that is harmful in it replaced, and its mark kept."""
    text = printable(words)
    return Marked(text, words.mark) if isinstance(words, Marked) else text


class Steps:
    """Makes steps of a transcript's lines, for several eyes at once, as the lines come."""

    def __init__(self, eyes: Sequence[Eye]) -> None:
        self._eyes = eyes
        self._game = eyes[0].game
        sights = {eye.sight for eye in eyes}
        blind = {*range(len(eyes[0].names))} - sights if Spectator.ALL not in sights else ()
        self._others = tuple(begun for seat in blind for begun in of_one(seat))  # lines begin so
        self._questions: dict[Seat, Question[Any]] = {}

    @classmethod
    def of(
        cls, game: Game, header: Header, sights: Sequence[Sight], names: Sequence[str] | None = None
    ) -> Steps:
        """Look at a match through these eyes; `names` are others than the header's."""
        variant = header.read_variant(game)
        return cls([Eye(game, variant, names or header.names, sight) for sight in sights])

    def begin(self) -> list[Step]:
        """Return what each eye sees first."""
        return [evolve(eye.begin(), line=1) for eye in self._eyes]

    def take(self, line: Line) -> list[Step]:
        """Return what each eye sees of a line, or nothing where no eye is that of its seat.

        Such a line is not even read.

        Raises:
            Unreadable: where the line cannot be read, or shown.
        """
        if line.text.startswith(self._others):
            return []
        value = line.value
        for eye in self._eyes:
            eye.line = line.at
        try:
            return self._seen(value)
        except Exception as problem:  # noqa: BLE001  # a stranger's file may be wrong in any way
            why = str(problem) or type(problem).__name__
            raise Unreadable(f"line {line.at}: cannot be shown: {why}") from None

    def _seen(self, line: Mapping[str, Any]) -> list[Step]:
        eyes, unpack = self._eyes, self._game.vocabulary.unpack
        match line:
            case {"to": int() | None as to, "event": packed}:
                event = unpack(packed)
                return [eye.told(to, event) for eye in eyes]
            case {"to": int(seat), "question": packed}:
                question = self._questions[seat] = unpack(packed)
                return [eye.asked(seat, question) for eye in eyes]
            case {"from": int(seat), "answer": answer}:
                asked, said = self._questions[seat], freeze(answer)
                return [eye.answered(seat, asked, said) for eye in eyes]
            case {"to": int(seat), "withdrawn": str()}:
                asked = self._questions[seat]
                return [eye.withdrawn(seat, asked) for eye in eyes]
            case {"verdict": packed}:
                verdict = unpack_verdict(self._game, packed)
                return [eye.failed(packed["seat"], verdict) for eye in eyes]
            case {"outcome": packed}:
                outcome = unpack_outcome(packed)
                return [eye.ended(outcome) for eye in eyes]
        raise Malformed("no line of a transcript")


def steps(
    game: Game,
    transcript: Transcript,
    sight: Sight = Spectator.ALL,
    names: Sequence[str] | None = None,
) -> Iterator[Step]:
    """Give what an eye sees of a recorded match; what shows it nothing is left out.

    Raises:
        Unreadable: where a line cannot be shown.
    """
    looking = Steps.of(game, transcript.header, [sight], names)
    yield from looking.begin()
    for line in transcript.lines:
        yield from filter(None, looking.take(line))
