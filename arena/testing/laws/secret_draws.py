"""Laws for secret draws: what a round draws for one seat alone, the others do not learn.

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
from arena.testing.harness.bad_inputs import generate_wrong_answers
from arena.testing.harness.cases import MOVE_RANGE, Case, apply_move
from arena.testing.harness.codec_replay import (
    codecs_at,
    collect_lines,
    find_first_difference,
    sample_seats,
)
from arena.testing.harness.codecs import codec_kinds, describe_ruling, has_public_options
from arena.testing.harness.exchanged_draws import RecordedDraw, VariedRoundPosition
from arena.testing.harness.paired_branches import Branch, comparable_messages, find_common_answer
from arena.testing.harness.round_snapshots import Message, RoundSnapshot, take_snapshots
from arena.testing.law import law

MAX_DRAWS = 6  # draws of a round that are exchanged, one at a time


@law()
def draws_for_one_seat_stay_secret(game: Game, case: Case) -> None:
    """A seat that is not told of a draw in a round is sent the same, whatever is drawn."""
    for snapshot in take_snapshots(game, case):
        for at in _sample_draws(snapshot, case):
            branches, draw = _play_both(game, case, snapshot, at)
            for seat in sample_seats(case):
                seen = [
                    Branch(branch.play, seat, branch.reveals, branch.heard) for branch in branches
                ]
                if _is_secret(seen, draw):
                    told = f"in round {snapshot.number}, what only another seat was told of {draw}"
                    _check_same_lines(game, case, snapshot, seen, told)
                    _check_same_errors(seen, told)


@law()
def private_reveals_stay_secret_until_an_answer(game: Game, case: Case) -> None:
    """What `reveals` tells one seat alone, the others are not sent before the next answer."""
    for snapshot in take_snapshots(game, case):
        for at in _sample_draws(snapshot, case, game.reveals):
            branches, draw = _play_both(game, case, snapshot, at)
            heard = _truncate_at_answer(*(branch.heard for branch in branches))
            for seat in sample_seats(case) if draw else ():
                told = [_filter_private_events(some, seat) for some in heard]
                if told[0] == told[1]:
                    seen = _truncate_at_reveal(branches, seat, heard)
                    secret = f"in round {snapshot.number}, what only another seat was told of"
                    _check_same_lines(game, case, snapshot, seen, f"{secret} {draw} just before")


def _truncate_at_answer(first: Sequence[Message], second: Sequence[Message]) -> list[list[Message]]:
    """Return both up to the answer after the first private event that differs.

    If another seat is told it, that is no secret of the first seat: then return nothing.
    """
    ends = [
        [at for at, heard in enumerate(all_) if heard.kind == "say"] + [len(all_)]
        for all_ in (first, second)
    ]
    for here, there in zip(*ends, strict=False):
        told, other = _filter_private_events(first[:here]), _filter_private_events(second[:there])
        if [heard.seat for heard in told] != [heard.seat for heard in other]:
            break
        if told != other:
            return [[*first[:here]], [*second[:there]]]
    return [[], []]


def _filter_private_events(heard: Sequence[Message], seat: Seat | None = None) -> list[Message]:
    """Return the events that were told to one seat alone: to this one, or to any."""
    told = [event for event in heard if event.kind == "tell" and event.seat is not None]
    return [event for event in told if seat in (None, event.seat)]


def _truncate_at_reveal(
    branches: Sequence[Branch], seat: Seat, heard: Sequence[Sequence[Message]]
) -> list[Branch]:
    """Return a seat's messages in both branches, up to the first public reveal."""
    seen = [
        Branch(branch.play, seat, (), _list_before_reveal(branch, some))
        for branch, some in zip(branches, heard, strict=True)
    ]
    if any(len(side.heard) < len(some) for side, some in zip(seen, heard, strict=True)):
        least = min(side.known_count for side in seen)
        for side in seen:
            side.heard = side.truncate(least)
    return seen


def _list_before_reveal(branch: Branch, heard: Sequence[Message]) -> list[Message]:
    for at, event in enumerate(heard):
        if event.seat is None and isinstance(event.content, branch.reveals):
            return [*heard[:at]]
    return [*heard]


def has_secret_draws(game: Game, case: Case) -> bool:
    """Whether a seat is told alone what a round has drawn."""
    return any(
        _private_events_by_seat(branches[0], branches[0].heard)
        != _private_events_by_seat(branches[1], branches[1].heard)
        for snapshot in take_snapshots(game, case)
        for at in _sample_draws(snapshot, case)
        for branches, _ in (_play_both(game, case, snapshot, at),)
    )


def _sample_draws(
    snapshot: RoundSnapshot, case: Case, kinds: tuple[type, ...] = (object,)
) -> list[int]:
    """Return the numbers of some draws of a round in which such an event is told to one seat."""
    if not kinds:
        return []
    random = case.random(f"draws/{snapshot.number}")
    rolling = VariedRoundPosition(snapshot.position)
    play, alone = Play(rolling, case.seats, case.seed, snapshot.number), False
    while True:
        alone |= any(to is not None and isinstance(told, kinds) for to, told in play.drain())
        if play.over:
            break
        apply_move(play, random.randrange(MOVE_RANGE))
    count = len(rolling.draws) if alone else 0
    return sorted(random.sample(range(count), min(MAX_DRAWS, count)))


def _play_both(
    game: Game, case: Case, snapshot: RoundSnapshot, at: int
) -> tuple[list[Branch], RecordedDraw | None]:
    """Play a round as it is and with one draw exchanged; return both, and the draw if reached."""
    random = case.random(f"exchanged/{snapshot.number}/{at}")
    by = random.randrange(MOVE_RANGE)
    starts = [
        VariedRoundPosition(snapshot.position),
        VariedRoundPosition(snapshot.position, exchanged=at, by=by),
    ]
    branches = [Branch.begin(game, case, (start, snapshot.number), 0) for start in starts]
    kept = [0, 0]
    while starts[0].draws == starts[1].draws:
        kept = [len(branch.heard) for branch in branches]
        answer = find_common_answer(branches[0].play, branches[1].play, None, random)
        if answer is None:
            break
        for branch in branches:
            branch.answer(*answer)
    for branch, count in zip(branches, kept, strict=True):
        del branch.heard[count:]
    return branches, next(iter(starts[0].draws[at : at + 1]), None)


def _is_secret(branches: Sequence[Branch], draw: RecordedDraw | None) -> bool:
    """Whether the exchanged draw is one of which the seat may know nothing."""
    seat = branches[0].seat
    first, second = (
        _private_events_by_seat(branches[0], heard) for heard in comparable_messages(branches)
    )
    own, other = first.pop(seat, []), second.pop(seat, [])
    return (
        draw is not None
        and first != second
        and _events_by_draw(own, draw) == _events_by_draw(other, draw)
    )


def _events_by_draw(told: Sequence[Any], draw: RecordedDraw) -> list[Any]:
    """Return the events of a seat that a draw may have decided."""
    if not draw.joint:
        return [*told[:1]]
    return [event for event in told if type(event) is type(told[0])]


def _private_events_by_seat(branch: Branch, heard: Sequence[Message]) -> dict[Seat, list[Any]]:
    """Return the private events of each seat, before something is revealed to it."""
    told: dict[Seat, list[Any]] = {}
    seeing = set[Seat | None]()
    for event in heard:
        if event.kind == "tell" and event.seat is not None:
            if isinstance(event.content, branch.reveals):
                seeing.add(event.seat)
            elif event.seat not in seeing:
                told.setdefault(event.seat, []).append(event.content)
    return told


def _check_same_lines(
    game: Game, case: Case, snapshot: RoundSnapshot, branches: Sequence[Branch], secret: str
) -> None:
    """Compare the lines that a seat is sent with a draw as it is, and exchanged."""
    seat = branches[0].seat
    for kind in codec_kinds(game):
        first, second = (
            collect_lines(codecs_at(game, case, snapshot, kind), seat, heard)
            for heard in comparable_messages(branches)
        )
        if first != second:
            raise AssertionError(
                _describe_leak(seat, f"by {kind}, {secret}", *find_first_difference(first, second))
            )


def _check_same_errors(branches: Sequence[Branch], secret: str) -> None:
    """Compare the reasons for refusing answers to the first question that a seat is asked."""
    seat = branches[0].seat
    asked = [
        [event.content for event in heard if (event.kind, event.seat) == ("ask", seat)][:1]
        for heard in comparable_messages(branches)
    ]
    for first, second in zip(*asked, strict=False):
        wrong = (
            []
            if has_public_options(first) and has_public_options(second)
            else generate_wrong_answers(first)
        )
        for answer in wrong:
            said = describe_ruling(first, answer), describe_ruling(second, answer)
            assert said[0] == said[1], _describe_leak(seat, f"by an error, {secret}", *said)


def _describe_leak(seat: Seat, secret: str, first: object, second: object) -> str:
    return (
        f"seat {seat} can tell, {secret}, from its lines:\n{first}\n"
        f"and with that draw exchanged\n{second}"
        "\nIs this a leak? Or is the draw revealed here? Then list the event that reveals it in"
        " Game.reveals. If several seats are dealt cards from one pile, shuffle it before the"
        " round, keep it in the position, and mix it in `resample_hidden`."
    )
