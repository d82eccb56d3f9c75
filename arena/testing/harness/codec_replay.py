"""Replays messages to seats' codecs, and collects the lines that one seat is sent.

A codec receives only what its seat was told, but codecs could share state. So the codecs of some
other seats replay a case, too; at a table of fifty not all, as small tables show such a leak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import zip_longest

from arena.plugins import Game
from arena.rules import Seat
from arena.testing.harness.cases import Case
from arena.testing.harness.codecs import build_codec, check_lines
from arena.testing.harness.round_snapshots import Message, RoundSnapshot
from arena.wires import Codec, encode_withdrawal

MAX_SEATS = 3  # that are compared at one position


def sample_seats(case: Case) -> list[Seat]:
    """Return a sample of the seats, which depends on the case."""
    return sorted(_sample_codec_seats(case)[:MAX_SEATS])


def _sample_codec_seats(case: Case) -> list[Seat]:
    """Return the sampled seats, and behind them one more whose codec replays the case, too."""
    return case.random("watching").sample(range(case.seats), min(MAX_SEATS + 1, case.seats))


def codecs_at(game: Game, case: Case, snapshot: RoundSnapshot, kind: str) -> dict[Seat, Codec]:
    """Return some seats' codecs of a kind, after all messages before a snapshot.

    The messages are replayed once; callers get copies, if the codecs can be copied.
    """
    if kind not in snapshot.codecs:
        snapshot.codecs[kind] = _advance_codecs(game, case, snapshot, kind)
    return _copy_codecs(game, snapshot.codecs[kind]) or _replay_codecs(game, case, snapshot, kind)


def _advance_codecs(
    game: Game, case: Case, snapshot: RoundSnapshot, kind: str
) -> dict[Seat, Codec]:
    """Return codecs that are replayed from an earlier snapshot to this one."""
    earlier = snapshot.before
    if earlier is None:
        return _replay_codecs(game, case, snapshot, kind)
    living = codecs_at(game, case, earlier, kind)
    collect_lines(living, 0, snapshot.history[len(earlier.history) :])
    return living


def _replay_codecs(game: Game, case: Case, snapshot: RoundSnapshot, kind: str) -> dict[Seat, Codec]:
    made = {seat: build_codec(game, case, kind, seat) for seat in sorted(_sample_codec_seats(case))}
    collect_lines(made, 0, snapshot.history)
    return made


def _copy_codecs(game: Game, kept: Mapping[Seat, Codec]) -> dict[Seat, Codec] | None:
    """Return copies of codecs, or None if they cannot be copied, such as generators."""
    shared = (game, game.vocabulary, game.describe)
    try:
        copies = deepcopy({**kept}, {id(shared_object): shared_object for shared_object in shared})
    except Exception:  # noqa: BLE001  # whatever a stranger's codec raises
        return None
    whole = all(
        _attribute_names(codec) == _attribute_names(copies[seat]) for seat, codec in kept.items()
    )
    return copies if whole else None


def _attribute_names(codec: Codec) -> set[str]:
    """Return the names of attributes beside the slots, which a copy of an attrs class loses."""
    return {*getattr(codec, "__dict__", ())}


def collect_lines(
    speaking: Mapping[Seat, Codec], seat: Seat, heard: Sequence[Message]
) -> list[str]:
    """Pass messages to the codecs of these seats, and return the lines of one seat."""
    lines_sent: list[str] = []
    for message in heard:
        for at in speaking if message.seat is None else speaking.keys() & {message.seat}:
            lines = _encode_lines(speaking[at], message)
            if at == seat:
                lines_sent += lines
    return lines_sent


def _encode_lines(codec: Codec, heard: Message) -> list[str]:
    match heard.kind:
        case "tell":
            return check_lines(codec.tell(heard.content))
        case "ask":
            return check_lines(codec.ask(heard.content))
        case "withdraw":
            return check_lines(encode_withdrawal(codec, heard.content))
        case "score":
            return [f"scores: {', '.join(map(str, heard.content))}"]
    codec.read(heard.content[0], codec.say(*heard.content))
    return []


def find_first_difference(first: Sequence[str], second: Sequence[str]) -> tuple[object, object]:
    """Return the first lines that differ, with one line of context on both sides."""
    pairs = [*zip_longest(first, second)]
    at = next(at for at, (here, there) in enumerate(pairs) if here != there)
    return [*first[max(0, at - 1) : at + 2]], [*second[max(0, at - 1) : at + 2]]
