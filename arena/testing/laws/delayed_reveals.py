"""Moves that are secret when they are made, and revealed later."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.plugins import Game
from arena.rules import GivenAnswer, Play, Position, Seat
from arena.testing.harness.cases import Case
from arena.testing.harness.codecs import build_codecs, check_lines, codec_kinds
from arena.wires import encode_withdrawal


@frozen
class SecretAlternatives:
    """Two ways to continue from a `position` that some seats may not distinguish for a while.

    `answers` and `other_answers` are given in their order, each with its seat: they are the same
    except for what is secret. What the `blind_seats` are sent is the same until as many answers as
    `until` says have been given (None: all of them). The other way may begin at another position,
    `other_position`: then the answers can be the same, and what that seat holds is the secret.
    """

    position: Position
    answers: Sequence[GivenAnswer]
    other_answers: Sequence[GivenAnswer]
    blind_seats: Sequence[Seat]
    until: int | None = None
    other_position: Position | None = None


def check_secret(game: Game, secret: SecretAlternatives) -> None:
    """Raise AssertionError if a blind seat can tell too early which answers were given."""
    starts = (secret.position, secret.other_position or secret.position)
    ways = [*zip(starts, map(list, (secret.answers, secret.other_answers)), strict=True)]
    assert ways[0] != ways[1], "both ways to continue from a secret are the same"
    for seat in secret.blind_seats:
        for kind in codec_kinds(game):
            sent = [_collect_lines(game, secret, way, seat, kind) for way in ways]
            for count, (here, there) in enumerate(zip(*sent, strict=True)):
                assert here == there, (
                    f"seat {seat} can tell, by {kind}, after {count} answers:\n{here}\nor\n{there}"
                )


def _collect_lines(
    game: Game,
    secret: SecretAlternatives,
    way: tuple[Position, Sequence[GivenAnswer]],
    seat: Seat,
    kind: str,
) -> list[list[str]]:
    """Return the lines that a seat is sent after each answer, as long as these are secret."""
    position, answers = way
    seats = len(position.scores)
    case = Case(game.write_variant(secret.position.variant), seats)
    speaking = build_codecs(game, case, kind)
    play, sent = Play(position, seats, "secret"), list[list[str]]()
    for given in (None, *answers[: secret.until]):
        closed = play.closed
        if given:
            play.answer(*given)
        late = play.withdrawn.get(seat) if play.closed != closed else None
        told = [(to, event) for to, event in play.drain()]
        lines = check_lines(encode_withdrawal(speaking[seat], late)) if late else []
        lines += [
            line
            for to, event in told
            for at in (range(seats) if to is None else (to,))
            for line in check_lines(speaking[at].tell(event))
            if at == seat
        ]
        if seat in play.pending:
            lines += check_lines(speaking[seat].ask(play.pending[seat]))
        sent.append(lines)
    return sent
