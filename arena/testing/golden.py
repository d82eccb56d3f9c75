"""Golden playthroughs: a whole game as a text that a person can read, for each number of seats.

They show at once what a change has changed. The first lines say what was played, so that a
file can be compared with the rules of today.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from arena.errors import Refusal
from arena.game import Game, plainly
from arena.outcome import places
from arena.play import Play
from arena.table import Seat
from arena.testing.cases import LONGEST, Case, Options, chosen, seats_of, still_asked
from arena.testing.wires import codecs
from arena.view import allowed

SEED = "golden"
COLUMN = 8  # characters, in which it stands who is told or asked


def playthrough(game: Game, case: Case) -> str:
    """Give a case as text: all that is told, with the lines of the wire, and all answers."""
    return "\n".join([*_head(game, case), "", *_Told(game, case).lines(), ""])


def _head(game: Game, case: Case) -> Iterator[str]:
    yield f"game: {game.name}"
    yield f"seats: {case.seats}"
    yield f"options: {json.dumps(dict(case.options))}"
    yield f"seed: {case.seed}"


class _Told:
    """Writes down a game as it goes."""

    def __init__(self, game: Game, case: Case) -> None:
        self._game, self._case, self._play = game, case, case.deal(game)
        self._names = [f"player_{seat}" for seat in range(case.seats)]
        self._codecs = codecs(game, case, game.protocols[0])

    def lines(self) -> Iterator[str]:
        """Give all lines."""
        asked: set[Seat] = set()
        for answered, move in enumerate(self._case.habits()):
            for to, event in self._play.drain():
                yield from self._event(to, event)
            if self._play.over:
                break
            if answered >= LONGEST:
                raise Refusal(f"{self._game.name}: {LONGEST} answers, and the game has no end")
            for seat in sorted(self._play.pending.keys() - asked):
                yield from self._question(seat)
            asked = still_asked(self._play)
            yield self._answer(move)
        yield from _end(self._play)

    def _event(self, to: Seat | None, event: Any) -> Iterator[str]:
        yield _row("all" if to is None else f"to {to}", plainly(event, self._names))
        sent = [[*codec.tell(event)] for codec in self._hearing(to)]
        yield from (_row("", f"| {line}") for line in sent[0])

    def _hearing(self, to: Seat | None) -> Iterable[Any]:
        return self._codecs if to is None else [self._codecs[to]]

    def _question(self, seat: Seat) -> Iterator[str]:
        question = self._play.pending[seat]
        yield _row(f"ask {seat}", f"{plainly(question, self._names)} ({allowed(question.options)})")
        yield from (_row("", f"| {line}") for line in self._codecs[seat].ask(question))

    def _answer(self, move: int) -> str:
        seat, answer = chosen(self._play, move)
        line = self._codecs[seat].say(self._play.pending[seat], answer)
        self._play.answer(seat, answer)
        return _row(f"from {seat}", f"> {line}")


def _row(who: str, what: str) -> str:
    return f"{who:<{COLUMN}}{what}".rstrip()


def _end(play: Play) -> Iterator[str]:
    yield ""
    for seat, place in enumerate(places(play.scores, {})):
        yield f"seat {seat}: place {place}, score {play.scores[seat]}"


def path(game: Game, folder: Path, seats: int) -> Path:
    """Give where the playthrough for so many seats is kept."""
    return folder / f"{game.name}-{seats}.txt"


def write(game: Game, folder: Path, options: Options) -> list[Path]:
    """Write a playthrough for each number of seats, and give the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for seats in seats_of(game):
        file = path(game, folder, seats)
        file.write_text(playthrough(game, Case(options, seats, SEED)), "utf-8")
        written.append(file)
    return written


def missing(game: Game, folder: Path) -> list[int]:
    """Give the numbers of seats for which there is no playthrough."""
    return [seats for seats in seats_of(game) if not path(game, folder, seats).exists()]


def read(file: Path) -> Case:
    """Give the case that a playthrough says it is of, or raise Refusal."""
    try:
        head = dict(line.split(": ", 1) for line in file.read_text("utf-8").splitlines()[:4])
        return Case(json.loads(head["options"]), int(head["seats"]), head["seed"])
    except (OSError, ValueError, KeyError) as problem:
        raise Refusal(f"{file}: no playthrough: {problem}") from None
