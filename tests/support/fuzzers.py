"""What reads strangers' bytes, driven by atheris: garbage gives a verdict or an error of ours.

    python -m tests.support.fuzzers TARGET=100000 TARGET=5000 -seed=1

Each target has so many runs, in a process of its own. Atheris looks which branches of our code an input reaches, and goes on from those that reach
new ones. An exception that no caller expects ends it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

import atheris

TRUSTED = [  # what reads no strangers' bytes: instrumenting it would take half of the time
    *[f"arena_{game}.{module}" for game in ("bs", "gops") for module in ("bots", "show")],
    *[f"arena.players.{module}" for module in ("interrupts", "person", "process", "starters")],
    *[f"arena.plugins.{module}" for module in ("analysis", "game", "registry")],
]
with atheris.instrument_imports(["arena", "arena_bs", "arena_gops"], TRUSTED, enable_loader_override=False):  # fmt: skip
    from arena import IllegalAnswerError, MalformedLineError, Play
    from arena.players import FloodError, LineBuffer
    from arena.plugins import get_plugins
    from arena.records import parse_lines, replay_for_spectator, verify
    from arena.rules import UserError, split_by_seat
    from arena.wires import Greeting
    from tests.support.transcripts import load_recorded_match


def lines(data: bytes) -> None:
    """Read bytes in pieces, as they come from a pipe."""
    found, given = LineBuffer(), atheris.FuzzedDataProvider(data)
    with suppress(FloodError):
        while given.remaining_bytes() and not found.is_full:
            found.feed(given.ConsumeBytes(given.ConsumeIntInRange(1, 5000)))
            while given.ConsumeBool() and found.take() is not None:
                pass


def answers(data: bytes) -> None:
    """Read lines as answers, on each wire of a game and by its narrator, and play on."""
    given = atheris.FuzzedDataProvider(data)
    game = get_plugins().games[given.PickValueInList(sorted(get_plugins().games))]
    variant, seats = game.read_variant({}), game.seats[min(1, len(game.seats) - 1)]
    play, names = Play.deal(variant, seats, "1"), [f"p{at}" for at in range(seats)]
    codecs = [[*(game.build_codec(name, at) for name in game.protocols), game.build_narrator(at, names)]
              for at in range(seats)]  # fmt: skip
    for at, some in enumerate(codecs):
        for codec in some:
            codec.tell(Greeting(game.name, at, seats, variant, "1"))
    for _ in range(3):
        for at, events in enumerate(split_by_seat(play.drain(), seats)):
            for codec in codecs[at]:
                for event in events:
                    codec.tell(event)
        for at, question in [*play.pending.items()]:
            text = given.ConsumeUnicode(given.ConsumeIntInRange(0, 60))
            for codec in codecs[at]:
                codec.ask(question)
                with suppress(MalformedLineError, IllegalAnswerError):
                    question.options.read(codec.read(question, text))
            play.answer(at, question.options.draw(Random(at)))


def transcripts(data: bytes) -> None:
    """Read, verify and show a transcript with some bytes changed."""
    given = atheris.FuzzedDataProvider(data)
    game, whole = load_recorded_match(given.PickValueInList(["gops", "bs", "kuhn"]))
    some = [*whole]
    for _ in range(given.ConsumeIntInRange(1, 3)):
        at = given.ConsumeIntInRange(0, len(some) - 1)
        first = given.ConsumeIntInRange(0, len(some[at]))
        last = given.ConsumeIntInRange(first, len(some[at]))
        some[at] = some[at][:first] + given.ConsumeUnicode(12) + some[at][last:]
    with suppress(UserError):
        transcript = parse_lines(some)
        for _ in replay_for_spectator(game, transcript):
            pass
        verify(game, transcript)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "lines": lines,
    "answers": answers,
    "transcripts": transcripts,
}


def fuzz(target: str, runs: str, options: Sequence[str]) -> int:
    """Fuzz a target in a fork, which atheris ends; return its exit status."""
    if not (child := os.fork()):
        atheris.Setup([sys.argv[0], f"-runs={runs}", *options], TARGETS[target])
        atheris.Fuzz()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    targets = [word.split("=") for word in sys.argv[1:] if not word.startswith("-")]
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    sys.exit(any(fuzz(target, runs, options) for target, runs in targets))
