"""Golden playthroughs: a whole game as a text that a person can read, for each number of seats.

They show at once what a change has changed. The first lines say what was played, so that a
file can be compared with the rules of today. Then it is told three times: as messages, with
the lines of the wire; as the person at the first seat sees it; as one sees it who watches.
One more file plays with other options than the usual ones.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from attrs import fields

from arena.players import taken_back
from arena.plugins import Game, plainly
from arena.rules import Play, Question, Seat, UserError, places
from arena.testing import strategies
from arena.testing.cases import LONGEST, Case, Options, chosen, seats_of
from arena.testing.cpu_limit import cpu_limit
from arena.testing.wires import greeting
from arena.wires import Private, Said, allowed, withdrawal

SEED = "golden"
COLUMN = 8  # characters, in which the recipient stands
FIRST: Seat = 0  # whose view is shown
OTHER = "options"  # stands in the name of the file with other options


def playthrough(game: Game, case: Case) -> str:
    """Return a case as text: what is told, asked and answered, on the wire and in both views."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    wire, seat, watching = _Wire(game, case, names), _AtSeat(game, names), _Watching(game, names)
    told, seen, watched = _played(game, case, (wire, seat, watching))
    return "\n".join(
        [
            *_head(game, case), "", *told,
            "", f"--- the person at seat {FIRST} sees", "", *seen,
            "", "--- who watches sees", "", *watched, "",
        ]
    )  # fmt: skip


def _head(game: Game, case: Case) -> Iterator[str]:
    yield f"game: {game.name}"
    yield f"seats: {case.seats}"
    yield f"options: {json.dumps(dict(case.options))}"
    yield f"seed: {case.seed}"


class _Scribe:
    """Writes down what happens, as somebody sees it."""

    def greeted(self, case: Case) -> Iterable[str]:
        return ()

    def told(self, to: Seat | None, event: Any) -> Iterable[str]:
        return ()

    def withdrawn(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return ()

    def asked(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return ()

    def answered(self, seat: Seat, question: Question[Any], answer: Any) -> Iterable[str]:
        return ()

    def ended(self, play: Play) -> Iterable[str]:
        return ()


def _played(game: Game, case: Case, scribes: Sequence[_Scribe]) -> list[list[str]]:
    """Play a case; return the lines of each scribe."""
    play, before = case.deal(game), -1
    written = [[*scribe.greeted(case)] for scribe in scribes]

    def write(what: str, *words: Any) -> None:
        for lines, scribe in zip(written, scribes, strict=True):
            lines.extend(getattr(scribe, what)(*words))

    for answered, move in enumerate(case.move_stream()):
        new = play.closed != before
        for seat in sorted(play.withdrawn) if new else ():
            write("withdrawn", seat, play.withdrawn[seat])
        for to, event in play.drain():
            write("told", to, event)
        if play.over:
            break
        if answered >= LONGEST:
            raise UserError(f"{game.name}: {LONGEST} answers, and the game has no end")
        for seat in sorted(play.pending) if new else ():
            write("asked", seat, play.pending[seat])
        before = play.closed
        seat, answer = chosen(play, move)
        write("answered", seat, play.pending[seat], answer)
        play.answer(seat, answer)
    write("ended", play)
    return written


class _Wire(_Scribe):
    """Writes down all messages, with their lines on the wire that programs speak."""

    def __init__(self, game: Game, case: Case, names: Sequence[str]) -> None:
        self._game, self._names = game, names
        self._codecs = [game.wire(None, seat) for seat in range(case.seats)]

    def greeted(self, case: Case) -> Iterator[str]:
        first = greeting(self._game, case, FIRST)
        yield _row("all", f"Greeting: seats {first.seats}, variant {first.variant!r}")
        for seat, codec in enumerate(self._codecs):
            for line in codec.tell(greeting(self._game, case, seat)):
                yield _row(f"to {seat}", f"| {line}")

    def told(self, to: Seat | None, event: Any) -> Iterator[str]:
        yield _row("all" if to is None else f"to {to}", plainly(event, self._names))
        hearing = self._codecs if to is None else [self._codecs[to]]
        sent = [[*codec.tell(event)] for codec in hearing]
        yield from (_row("", f"| {line}") for line in sent[0])

    def asked(self, seat: Seat, question: Question[Any]) -> Iterator[str]:
        yield _row(f"ask {seat}", f"{plainly(question, self._names)} ({allowed(question.options)})")
        yield from (_row("", f"| {line}") for line in self._codecs[seat].ask(question))

    def withdrawn(self, seat: Seat, question: Question[Any]) -> Iterator[str]:
        yield _row(f"late {seat}", type(question).__name__)
        yield from (_row("", f"| {line}") for line in withdrawal(self._codecs[seat], question))

    def answered(self, seat: Seat, question: Question[Any], answer: Any) -> Iterator[str]:
        yield _row(f"from {seat}", f"> {self._codecs[seat].say(question, answer)}")

    def ended(self, play: Play) -> Iterator[str]:
        yield ""
        for seat, place in enumerate(places(play.scores, {})):
            yield f"seat {seat}: place {place}, score {play.scores[seat]}"


class _AtSeat(_Scribe):
    """Writes down what a person sees and types."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self._game, self._view = game, game.view_for(FIRST, names)

    def greeted(self, case: Case) -> Iterable[str]:
        return self._view.tell(greeting(self._game, case, FIRST))

    def told(self, to: Seat | None, event: Any) -> Iterable[str]:
        return self._view.tell(event) if to in (None, FIRST) else ()

    def asked(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return self._view.ask(question) if seat == FIRST else ()

    def withdrawn(self, seat: Seat, question: Question[Any]) -> Iterable[str]:
        return taken_back(self._view, question) if seat == FIRST else ()

    def answered(self, seat: Seat, question: Question[Any], answer: Any) -> Iterator[str]:
        if seat == FIRST:
            typed = self._view.say(question, answer)
            self._view.read(question, typed)  # a view may take note of what is typed
            yield f"> {typed}"


class _Watching(_Scribe):
    """Writes down what one sees who watches."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self._game, self._view = game, game.view_for(None, names)

    def greeted(self, case: Case) -> Iterable[str]:
        return self._view.tell(greeting(self._game, case, FIRST))

    def told(self, to: Seat | None, event: Any) -> Iterable[str]:
        return self._view.tell(event if to is None else Private(to, event))

    def answered(self, seat: Seat, question: Question[Any], answer: Any) -> Iterable[str]:
        return self._view.tell(Said(seat, question, answer))


def _row(who: str, what: str) -> str:
    return f"{who:<{COLUMN}}{what}".rstrip()


def planned(game: Game, folder: Path, options: Options) -> dict[Path, Case]:
    """Return the files that belong there, and what is played in each.

    There is one for each number of seats, and one with options that are not the default, for
    the fewest, if the game has any that `options` leave open.
    """
    cases = {
        folder / f"{game.name}-{seats}.txt": Case(options, seats, SEED) for seats in seats_of(game)
    }
    if other := other_options(game, options):
        fewest = game.seats[0]
        cases[folder / f"{game.name}-{fewest}-{OTHER}.txt"] = Case(
            {**options, **other}, fewest, SEED
        )
    return cases


def other_options(game: Game, options: Options) -> Options:
    """Return an unusual value for each option that has one, as far as they go together."""
    usual = {one.name: one.default for one in fields(game.variant)}
    other: dict[str, Any] = {}
    for name, values in strategies.each_option(game).items():
        for value in reversed(values):
            one = {**other, name: value}
            if (
                name not in options
                and value != usual[name]
                and strategies.allowed(game, {**options, **one})
            ):
                other = one
                break
    return other


def write(game: Game, folder: Path, options: Options) -> list[Path]:
    """Write all playthroughs, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = planned(game, folder, options)
    for file, case in cases.items():
        file.write_text(playthrough(game, case), "utf-8")
    return [*cases]


def missing(game: Game, folder: Path, options: Options) -> list[str]:
    """Return the names of the playthroughs that are not there."""
    return [file.name for file in planned(game, folder, options) if not file.exists()]


def agree(game: Game, folder: Path, options: Options, seconds: float) -> None:
    """There is a playthrough for each number of seats, and with other options; they hold."""
    words = [f"-o {name}={value}" for name, value in options.items()]
    again = f"write it by: arena golden {game.name} {' '.join(words)}".rstrip()
    lacking = ", ".join(missing(game, folder, options))
    assert not lacking, (
        f"there is no playthrough {lacking}; {again} --into {shlex.quote(str(folder))}"
    )
    for file in planned(game, folder, options):
        with cpu_limit(seconds):
            now = playthrough(game, read(file))
        lines = zip_longest(file.read_text("utf-8").splitlines(), now.splitlines())
        for at, (kept, line) in enumerate(lines, 1):
            assert kept == line, (
                f"{file.name}, line {at}: {kept!r} is {line!r} now; if that is meant, {again}"
            )


def read(file: Path) -> Case:
    """Return the case that a playthrough says it is of, or raise UserError."""
    try:
        head = dict(line.split(": ", 1) for line in file.read_text("utf-8").splitlines()[:4])
        return Case(json.loads(head["options"]), int(head["seats"]), head["seed"])
    except (OSError, ValueError, KeyError) as problem:
        raise UserError(f"{file}: no playthrough: {problem}") from None
