"""What a round draws for one seat alone, the others do not learn from what they are sent.

`resample_hidden` is of positions. What is drawn within a round, such as dice that are rolled under
cups, is in no position, so a round is varied itself: it is played again with one of its draws
exchanged, and all its other draws and all answers as they were. If a seat is told something
else alone then, the exchanged draw was a secret of that seat, and whatever another seat is
sent has to be the same, byte by byte: events, questions, their options, their number and
order, and scores. A die that is rolled for all to see is no secret: when it is exchanged,
nobody is told anything else alone.

Not compared is

- what comes behind an event that the game lists in `reveals`, such as the showing of dice. What
  a seat is told alone by such an event, such as a card that it draws, is a secret until
  somebody has answered: what was told alone is not announced in the same breath;
- what comes when somebody cannot answer alike any more, or when the round asks its generator
  for something else than before: draws cannot be told apart behind that;
- a seat for which the same draw has decided the first thing that it is told alone itself, such
  as a role or a hand. Within a shuffle or a sample that holds for all events of that class:
  cards of one pile go to many, whatever the order in which they are dealt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.plugins import Game
from arena.rules import Play, Seat
from arena.testing.bad_inputs import wrong_answers
from arena.testing.branches import Branch, common, comparable
from arena.testing.cases import LARGE, Case, advance
from arena.testing.draws import Draw, Rolling
from arena.testing.hearing import differing, lived, sent, watching
from arena.testing.law import law
from arena.testing.snapshots import Heard, Snapshot, snapshots
from arena.testing.wires import kinds, ruled, speaks_plainly

TRIED = 6  # draws of a round that are exchanged, one at a time


@law()
def no_seat_can_tell_what_is_drawn_for_another(game: Game, case: Case) -> None:
    """Who is not told of a draw in a round is sent the same whatever is drawn."""
    for snapshot in snapshots(game, case):
        for at in _some(snapshot, case):
            branches, draw = _both(game, case, snapshot, at)
            for seat in watching(case):
                seen = [
                    Branch(branch.play, seat, branch.reveals, branch.heard) for branch in branches
                ]
                if _is_a_secret(seen, draw):
                    told = f"in round {snapshot.number}, what another seat was told alone of {draw}"
                    _same_lines(game, case, snapshot, seen, told)
                    _same_errors(seen, told)


@law()
def what_one_seat_is_told_is_kept_until_an_answer(game: Game, case: Case) -> None:
    """What `reveals` tells to one seat alone, others are not sent before somebody has answered."""
    for snapshot in snapshots(game, case):
        for at in _some(snapshot, case, game.reveals):
            branches, draw = _both(game, case, snapshot, at)
            heard = _until_an_answer(*(branch.heard for branch in branches))
            for seat in watching(case) if draw else ():
                told = [_alone(some, seat) for some in heard]
                if told[0] == told[1]:
                    seen = _before_all_see(branches, seat, heard)
                    secret = f"in round {snapshot.number}, what another seat was told alone of"
                    _same_lines(game, case, snapshot, seen, f"{secret} {draw} just before")


def _until_an_answer(one: Sequence[Heard], two: Sequence[Heard]) -> list[list[Heard]]:
    """Return both up to the answer behind the first thing that is told alone and differs.

    That somebody else is told it is no secret of who is told: then it is nothing.
    """
    ends = [
        [at for at, heard in enumerate(all_) if heard.what == "say"] + [len(all_)]
        for all_ in (one, two)
    ]
    for here, there in zip(*ends, strict=False):
        told, other = _alone(one[:here]), _alone(two[:there])
        if [heard.seat for heard in told] != [heard.seat for heard in other]:
            break
        if told != other:
            return [[*one[:here]], [*two[:there]]]
    return [[], []]


def _alone(heard: Sequence[Heard], seat: Seat | None = None) -> list[Heard]:
    """Return what was told to one seat alone: to this one, or to any."""
    told = [one for one in heard if one.what == "tell" and one.seat is not None]
    return [one for one in told if seat in (None, one.seat)]


def _before_all_see(
    branches: Sequence[Branch], seat: Seat, heard: Sequence[Sequence[Heard]]
) -> list[Branch]:
    """Return what a seat hears on both sides before something comes to light for all."""
    seen = []
    for branch, some in zip(branches, heard, strict=True):
        shown = (
            at
            for at, one in enumerate(some)
            if one.seat is None and isinstance(one.message, branch.reveals)
        )
        seen.append(Branch(branch.play, seat, (), [*some[: next(shown, len(some))]]))
    if any(len(one.heard) < len(some) for one, some in zip(seen, heard, strict=True)):
        least = min(one.known for one in seen)
        for one in seen:
            one.heard = one.cut(least)
    return seen


def rolls_in_secret(game: Game, case: Case) -> bool:
    """Say whether somebody is told alone what a round has drawn."""
    return any(
        _told_alone(branches[0], branches[0].heard) != _told_alone(branches[1], branches[1].heard)
        for snapshot in snapshots(game, case)
        for at in _some(snapshot, case)
        for branches, _ in (_both(game, case, snapshot, at),)
    )


def _some(snapshot: Snapshot, case: Case, kinds: tuple[type, ...] = (object,)) -> list[int]:
    """Return the numbers of some draws of a round in which somebody is told such a thing alone."""
    if not kinds:
        return []
    random = case.random(f"draws/{snapshot.number}")
    rolling = Rolling(snapshot.position)
    play, alone = Play(rolling, case.seats, case.seed, snapshot.number), False
    while True:
        alone |= any(to is not None and isinstance(told, kinds) for to, told in play.drain())
        if play.over:
            break
        advance(play, random.randrange(LARGE))
    count = len(rolling.made) if alone else 0
    return sorted(random.sample(range(count), min(TRIED, count)))


def _both(game: Game, case: Case, snapshot: Snapshot, at: int) -> tuple[list[Branch], Draw | None]:
    """Play a round as it is, and with a draw exchanged; return the draw if it was reached."""
    random = case.random(f"exchanged/{snapshot.number}/{at}")
    by = random.randrange(LARGE)
    starts = [Rolling(snapshot.position), Rolling(snapshot.position, exchanged=at, by=by)]
    branches = [Branch.begin(game, case, (start, snapshot.number), 0) for start in starts]
    kept = [0, 0]
    while starts[0].made == starts[1].made:
        kept = [len(branch.heard) for branch in branches]
        answer = common(branches[0].play, branches[1].play, None, random)
        if answer is None:
            break
        for branch in branches:
            branch.answer(*answer)
    for branch, count in zip(branches, kept, strict=True):
        del branch.heard[count:]
    return branches, next(iter(starts[0].made[at : at + 1]), None)


def _is_a_secret(branches: Sequence[Branch], draw: Draw | None) -> bool:
    """Say whether the exchanged draw is one of which the seat may know nothing."""
    seat = branches[0].seat
    one, two = (_told_alone(branches[0], heard) for heard in comparable(branches))
    own, other = one.pop(seat, []), two.pop(seat, [])
    return draw is not None and one != two and _dealt(own, draw) == _dealt(other, draw)


def _dealt(told: Sequence[Any], draw: Draw) -> list[Any]:
    """Return what the seat itself may have got by a draw."""
    if not draw.joint:
        return [*told[:1]]
    return [event for event in told if type(event) is type(told[0])]


def _told_alone(branch: Branch, heard: Sequence[Heard]) -> dict[Seat, list[Any]]:
    """Return what was told to each seat alone, before something came to light for it."""
    told: dict[Seat, list[Any]] = {}
    seeing = set[Seat | None]()
    for one in heard:
        if one.what == "tell" and one.seat is not None:
            if isinstance(one.message, branch.reveals):
                seeing.add(one.seat)
            elif one.seat not in seeing:
                told.setdefault(one.seat, []).append(one.message)
    return told


def _same_lines(
    game: Game, case: Case, snapshot: Snapshot, branches: Sequence[Branch], secret: str
) -> None:
    """Compare what a seat is sent with a draw as it is, and exchanged."""
    seat = branches[0].seat
    for kind in kinds(game):
        one, two = (
            sent(lived(game, case, snapshot, kind), seat, heard) for heard in comparable(branches)
        )
        if one != two:
            raise AssertionError(_words(seat, f"by {kind}, {secret}", *differing(one, two)))


def _same_errors(branches: Sequence[Branch], secret: str) -> None:
    """Compare why answers are refused to the first thing that a seat is asked."""
    seat = branches[0].seat
    asked = [
        [one.message for one in heard if (one.what, one.seat) == ("ask", seat)][:1]
        for heard in comparable(branches)
    ]
    for one, two in zip(*asked, strict=False):
        wrong = [] if speaks_plainly(one) and speaks_plainly(two) else wrong_answers(one)
        for answer in wrong:
            said = ruled(one, answer), ruled(two, answer)
            assert said[0] == said[1], _words(seat, f"by an error, {secret}", *said)


def _words(seat: Seat, secret: str, one: object, two: object) -> str:
    return (
        f"seat {seat} can tell, {secret}: it is sent\n{one}\nand with that draw exchanged\n{two}"
        "\nIs that a leak? Or does it come to light there, by an event that belongs into"
        " Game.reveals? What many are dealt from one pile is shuffled before the round, kept in"
        " the position, and mixed by `resample_hidden`."
    )
