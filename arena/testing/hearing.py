"""What a seat's lines are for what was told, asked and answered.

A codec is handed only what its seat was told, but codecs could share what they know. So those of
some other seats live through a case, too; of a table of fifty not all, as that shows at small ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import zip_longest

from arena.plugins import Game
from arena.rules import Seat
from arena.testing.cases import Case
from arena.testing.snapshots import Heard, Snapshot
from arena.testing.wires import checked, codec_of
from arena.wires import Codec, withdrawal

SEATS = 3  # that look at one position


def watching(case: Case) -> list[Seat]:
    """Return some of the seats, not always the same."""
    return sorted(_some(case)[:SEATS])


def _some(case: Case) -> list[Seat]:
    """Return those that watch, and behind them one whose codec lives through the case beside."""
    return case.random("watching").sample(range(case.seats), min(SEATS + 1, case.seats))


def lived(game: Game, case: Case, snapshot: Snapshot, kind: str) -> dict[Seat, Codec]:
    """Return some seats' codecs of a kind, as they are after all that went before a moment.

    They live through it once, and copies of them are given, if they can be copied.
    """
    if kind not in snapshot.codecs:
        snapshot.codecs[kind] = _living(game, case, snapshot, kind)
    return _copies(game, snapshot.codecs[kind]) or _made(game, case, snapshot, kind)


def _living(game: Game, case: Case, snapshot: Snapshot, kind: str) -> dict[Seat, Codec]:
    """Let those that have lived up to an earlier moment go on to this one."""
    earlier = snapshot.before
    if earlier is None:
        return _made(game, case, snapshot, kind)
    living = lived(game, case, earlier, kind)
    sent(living, 0, snapshot.history[len(earlier.history) :])
    return living


def _made(game: Game, case: Case, snapshot: Snapshot, kind: str) -> dict[Seat, Codec]:
    made = {seat: codec_of(game, case, kind, seat) for seat in sorted(_some(case))}
    sent(made, 0, snapshot.history)
    return made


def _copies(game: Game, kept: Mapping[Seat, Codec]) -> dict[Seat, Codec] | None:
    """Return copies of codecs, or None where they cannot be copied, such as a generator."""
    shared = (game, game.vocabulary, game.describe)
    try:
        copies = deepcopy({**kept}, {id(one): one for one in shared})
    except Exception:  # noqa: BLE001  # whatever a stranger's codec raises
        return None
    whole = all(_names(one) == _names(copies[seat]) for seat, one in kept.items())
    return copies if whole else None


def _names(codec: Codec) -> set[str]:
    """Return what it has beside its slots: a copy of an attrs class leaves out what was added."""
    return {*getattr(codec, "__dict__", ())}


def sent(speaking: Mapping[Seat, Codec], seat: Seat, heard: Sequence[Heard]) -> list[str]:
    """Let the codecs of these seats live through this, and return the lines of one seat."""
    sent: list[str] = []
    for one in heard:
        for at in speaking if one.seat is None else speaking.keys() & {one.seat}:
            lines = _lines(speaking[at], one)
            if at == seat:
                sent += lines
    return sent


def _lines(codec: Codec, one: Heard) -> list[str]:
    match one.what:
        case "tell":
            return checked(codec.tell(one.message))
        case "ask":
            return checked(codec.ask(one.message))
        case "withdraw":
            return checked(withdrawal(codec, one.message))
        case "score":
            return [f"scores: {', '.join(map(str, one.message))}"]
    codec.read(one.message[0], codec.say(*one.message))
    return []


def differing(one: Sequence[str], two: Sequence[str]) -> tuple[object, object]:
    """Return the first lines that differ, with those before and behind them."""
    pairs = [*zip_longest(one, two)]
    at = next(at for at, (here, there) in enumerate(pairs) if here != there)
    return [*one[max(0, at - 1) : at + 2]], [*two[max(0, at - 1) : at + 2]]
