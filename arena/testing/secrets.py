"""Moves that are secret when they are made, and come to light later."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.plugins import Game
from arena.rules import Given, Play, Position, Seat
from arena.testing.cases import Case
from arena.testing.wires import checked, codecs, kinds
from arena.wires import withdrawal


@frozen
class Secret:
    """Two ways to go on from a `position`, which some seats may not tell apart for a while.

    `one` and `other` are answers in their order, each with its seat: the same except for what is
    secret. What the `blind` seats are sent is the same until as many answers as `until` says
    have been given (None: all of them). The other way may begin at another position,
    `instead`: then the answers can be the same, and what is held is the secret.
    """

    position: Position
    one: Sequence[Given]
    other: Sequence[Given]
    blind: Sequence[Seat]
    until: int | None = None
    instead: Position | None = None


def keeps(game: Game, secret: Secret) -> None:
    """The blind seats of a secret cannot tell before its time which answers were given."""
    starts = (secret.position, secret.instead or secret.position)
    ways = [*zip(starts, map(list, (secret.one, secret.other)), strict=True)]
    assert ways[0] != ways[1], "the two ways of a secret are the same"
    for seat in secret.blind:
        for kind in kinds(game):
            sent = [_sent(game, secret, way, seat, kind) for way in ways]
            for count, (here, there) in enumerate(zip(*sent, strict=True)):
                assert here == there, (
                    f"seat {seat} can tell by {kind} after {count} answers:\n{here}\nor\n{there}"
                )


def _sent(
    game: Game, secret: Secret, way: tuple[Position, Sequence[Given]], seat: Seat, kind: str
) -> list[list[str]]:
    """Return the lines that a seat is sent after each answer, as long as they are secret."""
    position, answers = way
    seats = len(position.scores)
    case = Case(game.write_variant(secret.position.variant), seats)
    speaking = codecs(game, case, kind)
    play, sent = Play(position, seats, "secret"), list[list[str]]()
    for given in (None, *answers[: secret.until]):
        closed = play.closed
        if given:
            play.answer(*given)
        late = play.withdrawn.get(seat) if play.closed != closed else None
        told = [(to, event) for to, event in play.drain()]
        lines = checked(withdrawal(speaking[seat], late)) if late else []
        lines += [
            line
            for to, event in told
            for at in (range(seats) if to is None else (to,))
            for line in checked(speaking[at].tell(event))
            if at == seat
        ]
        if seat in play.pending:
            lines += checked(speaking[seat].ask(play.pending[seat]))
        sent.append(lines)
    return sent
