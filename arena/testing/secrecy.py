"""Non-interference: what a seat may not know changes nothing of what it is sent.

From a position and another one that a seat may not tell from it, the same answers lead to
the same lines, options and errors: up to that seat's next answer, and also behind it to the
end of the round. Where somebody cannot answer alike, because what is hidden differs, the
comparison ends: what they answer then is their own doing, and no leak of the rules. It also
ends where the game says that its rules bring something to light (`Game.reveals`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from arena.plugins import Game
from arena.rules import Play, Position, Seat
from arena.testing.bad_inputs import LINES, wrong_answers
from arena.testing.branches import Branch, common, comparable
from arena.testing.cases import Case, answer_to, closely
from arena.testing.hearing import SEATS, differing, lived, sent, watching
from arena.testing.law import law
from arena.testing.snapshots import Once, Snapshot, snapshots
from arena.testing.wires import judged, kinds, ruled, share, speaks_plainly
from arena.wires import Codec

DRAWS = 5  # until `resample_hidden` has given a position that differs


@law()
def the_deal_tells_nothing(game: Game, case: Case) -> None:
    """Where something is hidden, nobody is told anything before the first round.

    `resample_hidden` is of positions, so that it could not show what leaks there.
    """
    found = [*snapshots(game, case)]
    hidden = any(another_than(snapshot, seat) for snapshot in found for seat in watching(case))
    for snapshot in found[:2] if hidden else ():
        told = [one.message for one in snapshot.history if one.what == "tell"]
        assert not told, (
            f"the deal tells {told[0]}: tell it in the round, or nothing shows what leaks"
        )


@law()
def no_seat_can_tell_another_position(game: Game, case: Case) -> None:
    """What a seat is sent up to its next answer is the same, whatever it may not know."""
    for snapshot, seat, other in _others(game, case):
        branches = [
            Branch.begin(game, case, (position, snapshot.number), seat)
            for position in (snapshot.position, other)
        ]
        asked = _go_on(branches, case.random("others"))
        if asked:
            _same_errors(branches, snapshot)
        _same_lines(game, case, snapshot, branches, asked=asked)


@law()
def no_seat_can_tell_in_a_round(game: Game, case: Case) -> None:
    """To the end of a round, by the same answers of all, a seat is sent the same."""
    for snapshot, seat, other in _others(game, case):
        here, there = (
            Branch.begin(game, case, (Once(position), snapshot.number), seat)
            for position in (snapshot.position, other)
        )
        random = case.random("all")
        while answer := common(here.play, there.play, None, random):
            here.answer(*answer)
            there.answer(*answer)
        _same_lines(game, case, snapshot, [here, there], asked=False)


def _others(game: Game, case: Case) -> Iterator[tuple[Snapshot, Seat, Position]]:
    """Return positions of a game, each with a seat and another position for it."""
    for number, snapshot in enumerate(snapshots(game, case)):
        for seat in _in_turn(watching(case), number):
            if other := another_than(snapshot, seat):
                yield snapshot, seat, other


def _in_turn(seats: list[Seat], number: int) -> list[Seat]:
    """Leave out one of three seats, at the next position the next."""
    return [seat for at, seat in enumerate(seats) if at != number % SEATS or len(seats) < SEATS]


def another_than(snapshot: Snapshot, seat: Seat) -> Position | None:
    """Return a position that this seat may not tell from the one that is, if one is found."""
    if seat not in snapshot.others:
        snapshot.others[seat] = _another(snapshot, seat)
    return snapshot.others[seat]


def _another(snapshot: Snapshot, seat: Seat) -> Position | None:
    drawn = (snapshot.position.resample_hidden(seat, Random(number)) for number in range(DRAWS))
    return next((other for other in drawn if other != snapshot.position), None)


def _go_on(branches: Sequence[Branch], random: Random) -> bool:
    """Let the others answer alike, as long as they can; say whether the seat is asked then."""
    here, there = branches
    while not (here.question or there.question):
        answer = common(here.play, there.play, here.seat, random)
        if answer is None:
            return False
        here.answer(*answer)
        there.answer(*answer)
        if any(branch.until_revealed is not None for branch in branches):
            return False
    for branch in branches:
        branch.catch_up(random)
    asked = {bool(branch.question) for branch in branches}
    assert asked == {True} or here.known != there.known, (
        f"seat {here.seat} is asked, and from another position the game ends without that"
    )
    return asked == {True} and all(branch.until_revealed is None for branch in branches)


def _same_lines(
    game: Game, case: Case, snapshot: Snapshot, branches: Sequence[Branch], *, asked: bool
) -> None:
    """Compare what a seat is sent on both sides, and how its lines are read at the end."""
    seat = branches[0].seat
    for kind in kinds(game):
        where = f"by {kind}, from round {snapshot.number} on"
        speaking = [lived(game, case, snapshot, kind) for _ in branches]
        one, two = (
            sent(all_, seat, heard)
            for all_, heard in zip(speaking, comparable(branches), strict=True)
        )
        assert one == two, _words(seat, where, "it is sent", *differing(one, two))
        if asked:
            lines = share(LINES, snapshot.number + seat)
            _same_reading([all_[seat] for all_ in speaking], branches, lines, where)


def _words(seat: Seat, where: str, what: str, one: object, other: object) -> str:
    return (
        f"seat {seat} can tell, {where}, what it may not know: {what}\n"
        f"{one}\nand from another position\n{other}\n"
        "Is that a leak? Or does `resample_hidden` change what the seat rightly learns there, by an"
        " event that belongs into Game.reveals?"
    )


def _same_errors(branches: Sequence[Branch], snapshot: Snapshot) -> None:
    """See that a question's options, and the reasons why answers are refused, are the same."""
    seat = branches[0].seat
    one, two = (branch.play.pending[seat] for branch in branches)
    where = f"from round {snapshot.number} on"
    assert repr(one) == repr(two), _words(seat, where, "it is asked", one, two)
    if speaks_plainly(one) and speaks_plainly(two):
        return
    hidden = [answer for branch in branches for answer in _hidden(branch.play, seat)]
    pool = {repr(answer): answer for answer in (*snapshot.pool, *hidden)}
    for answer in wrong_answers(one, tuple(pool.values())):
        said = [ruled(question, answer) for question in (one, two)]
        assert said[0] == said[1], _words(seat, where, f"to {answer!r} it is told", *said)


def _hidden(play: Play, seat: Seat) -> list[Any]:
    """Return answers of the others who are asked: what they hold may be in them."""
    asked = [question for other, question in play.pending.items() if other != seat]
    return [answer_to(question, number) for question in asked for number in (1, 2)]


def _same_reading(
    speaking: Sequence[Codec], branches: Sequence[Branch], lines: Sequence[str], where: str
) -> None:
    """See that lines are read alike on both sides."""
    for line in lines:
        said = [
            judged(codec, branch.question, line)
            for codec, branch in zip(speaking, branches, strict=True)
            if branch.question
        ]
        assert said[0] == said[1], _words(branches[0].seat, where, f"to {line!r} it is told", *said)


@law()
def sealed_answers_are_sealed(game: Game, case: Case) -> None:
    """While several are asked, nobody is sent what depends on the answers of others to this ask.

    Where one answer ends the ask (`Table.ask_first`), all others only pass before it.
    """
    for play in closely(game, case):
        if len(play.pending) > 1 and play.passing is None:
            for seat in sorted(play.pending)[:SEATS]:
                _sealed(game, play, seat)


def _sealed(game: Game, play: Play, seat: Seat) -> None:
    seen = []
    for number in range(4):
        twin = play.clone()
        for other in sorted(play.pending.keys() - {seat}):
            twin.answer(other, answer_to(twin.pending[other], number * 7 + other))
        told = [game.vocabulary.pack(event) for to, event in twin.drain() if to in (None, seat)]
        asked = twin.pending[seat]
        wrong = [] if speaks_plainly(asked) else wrong_answers(asked)
        errors = [ruled(asked, answer) for answer in wrong]
        seen.append((told, repr(asked), errors))
    for one in seen[1:]:
        assert one == seen[0], _words(
            seat, "before it has answered", "others' answers to the same ask", seen[0], one
        )
