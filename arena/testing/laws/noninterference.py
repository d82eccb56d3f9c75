"""Non-interference: what a seat may not know changes nothing of what it is sent.

From a position and another one that a seat may not distinguish from it, the same answers lead to
the same lines, options and errors: up to the next answer, and on to the end of the round. Where
somebody cannot answer alike, because hidden cards differ, the comparison ends, as it does where the
game declares that its rules reveal something (`Game.reveals`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from arena.plugins import Game
from arena.rules import Play, Position, Seat
from arena.testing.harness.bad_inputs import BAD_LINES, generate_wrong_answers
from arena.testing.harness.cases import Case, choose_legal_answer, sample_plays
from arena.testing.harness.codec_replay import (
    MAX_SEATS,
    codecs_at,
    collect_lines,
    find_first_difference,
    sample_seats,
)
from arena.testing.harness.codecs import (
    codec_kinds,
    describe_reading,
    describe_ruling,
    has_public_options,
)
from arena.testing.harness.cpu_limit import cpu_limit
from arena.testing.harness.paired_branches import Branch, comparable_messages, find_common_answer
from arena.testing.harness.round_snapshots import (
    Message,
    RoundSnapshot,
    SingleRoundPosition,
    list_messages,
    take_snapshots,
)
from arena.testing.law import law
from arena.testing.laws.secret_draws import has_secret_draws
from arena.testing.laws.wires import select_share
from arena.wires import Codec

MAX_CASES = 50  # cases in which something hidden is looked for
MAX_POSITION_DRAWS = 5  # until `resample_hidden` has given a position that differs


@law()
def deals_tell_nothing(game: Game, case: Case) -> None:
    """If something is hidden, nobody is told anything before the first round.

    `resample_hidden` changes positions, so it cannot find what leaks during the deal.
    """
    found = [*take_snapshots(game, case)]
    hidden = any(
        alternative_position(snapshot, seat) for snapshot in found for seat in sample_seats(case)
    )
    for snapshot in found[:2] if hidden else ():
        told = [heard.content for heard in snapshot.history if heard.kind == "tell"]
        assert not told, f"the deal tells {told[0]}; tell it in a round, where leaks can be found"


@law()
def hidden_positions_stay_secret_until_an_answer(game: Game, case: Case) -> None:
    """Up to a seat's next answer, what it is sent does not depend on what it may not know."""
    for snapshot, seat, other in alternative_positions(game, case):
        branches = [
            Branch.begin(game, case, (position, snapshot.number), seat)
            for position in (snapshot.position, other)
        ]
        asked = _play_until_asked(branches, case.random("others"))
        if asked:
            _check_same_errors(branches, snapshot)
        _check_same_lines(game, case, snapshot, branches, asked=asked)


@law()
def hidden_positions_stay_secret_in_a_round(game: Game, case: Case) -> None:
    """Given the same answers of all, a seat is sent the same to the end of a round."""
    for snapshot, seat, other in alternative_positions(game, case):
        here, there = (
            Branch.begin(game, case, (SingleRoundPosition(position), snapshot.number), seat)
            for position in (snapshot.position, other)
        )
        random = case.random("all")
        while answer := find_common_answer(here.play, there.play, None, random):
            here.answer(*answer)
            there.answer(*answer)
        _check_same_lines(game, case, snapshot, [here, there], asked=False)


def alternative_positions(game: Game, case: Case) -> Iterator[tuple[RoundSnapshot, Seat, Position]]:
    """Yield positions of a game, each with a seat and an alternative position for it."""
    for number, snapshot in enumerate(take_snapshots(game, case)):
        for seat in _skip_in_turn(sample_seats(case), number):
            if other := alternative_position(snapshot, seat):
                yield snapshot, seat, other


def _skip_in_turn(seats: list[Seat], number: int) -> list[Seat]:
    """Leave out one of three seats, another one at the next position."""
    return [
        seat for at, seat in enumerate(seats) if at != number % MAX_SEATS or len(seats) < MAX_SEATS
    ]


def alternative_position(snapshot: RoundSnapshot, seat: Seat) -> Position | None:
    """Return another position that this seat may not distinguish from this one, or None."""
    if seat not in snapshot.others:
        snapshot.others[seat] = _find_alternative(snapshot, seat)
    return snapshot.others[seat]


def _find_alternative(snapshot: RoundSnapshot, seat: Seat) -> Position | None:
    drawn = (
        snapshot.position.resample_hidden(seat, Random(number))
        for number in range(MAX_POSITION_DRAWS)
    )
    return next((other for other in drawn if other != snapshot.position), None)


def _play_until_asked(branches: Sequence[Branch], random: Random) -> bool:
    """Answer alike for the others as long as possible; return whether the seat is asked then."""
    here, there = branches
    while not (here.question or there.question):
        answer = find_common_answer(here.play, there.play, here.seat, random)
        if answer is None:
            return False
        here.answer(*answer)
        there.answer(*answer)
        if any(branch.known_count_before_reveal is not None for branch in branches):
            return False
    for branch in branches:
        branch.catch_up(random)
    asked = {bool(branch.question) for branch in branches}
    assert asked == {True} or here.known_count != there.known_count, (
        f"seat {here.seat} is asked, but from another position the game ends without asking it"
    )
    return asked == {True} and all(branch.known_count_before_reveal is None for branch in branches)


def _check_same_lines(
    game: Game, case: Case, snapshot: RoundSnapshot, branches: Sequence[Branch], *, asked: bool
) -> None:
    """Compare what a seat is sent in both branches, and how its lines are read at the end."""
    seat = branches[0].seat
    for kind in codec_kinds(game):
        where = f"by {kind}, from round {snapshot.number} on"
        speaking = [codecs_at(game, case, snapshot, kind) for _ in branches]
        first, second = (
            collect_lines(all_, seat, heard)
            for all_, heard in zip(speaking, comparable_messages(branches), strict=True)
        )
        assert first == second, _describe_leak(
            seat, where, "its lines", *find_first_difference(first, second)
        )
        if asked:
            lines = select_share(BAD_LINES, snapshot.number + seat)
            _check_same_reading([all_[seat] for all_ in speaking], branches, lines, where)


def _describe_leak(seat: Seat, where: str, kind: str, first: object, other: object) -> str:
    return (
        f"seat {seat} can tell, {where}, what it may not know, from {kind}:\n"
        f"{first}\nand from another position\n{other}\n"
        "Is this a leak? Or may the seat learn this here? Then list the event that reveals it in"
        " Game.reveals."
    )


def _check_same_errors(branches: Sequence[Branch], snapshot: RoundSnapshot) -> None:
    """Check that a question's options, and the reasons for refusing answers, are the same."""
    seat = branches[0].seat
    here, there = (branch.play.pending[seat] for branch in branches)
    where = f"from round {snapshot.number} on"
    assert repr(here) == repr(there), _describe_leak(seat, where, "its question", here, there)
    if has_public_options(here) and has_public_options(there):
        return
    hidden = [answer for branch in branches for answer in _answers_of_others(branch.play, seat)]
    pool = {repr(answer): answer for answer in (*snapshot.pool, *hidden)}
    for answer in generate_wrong_answers(here, tuple(pool.values())):
        said = [describe_ruling(question, answer) for question in (here, there)]
        context = seat, where, f"the reply to the answer {answer!r}"
        assert said[0] == said[1], _describe_leak(*context, *said)


def _answers_of_others(play: Play, seat: Seat) -> list[Any]:
    """Return answers of the other asked seats, which may contain what they hold."""
    asked = [question for other, question in play.pending.items() if other != seat]
    return [choose_legal_answer(question, number) for question in asked for number in (1, 2)]


def _check_same_reading(
    speaking: Sequence[Codec], branches: Sequence[Branch], lines: Sequence[str], where: str
) -> None:
    """Check that lines are read alike in both branches."""
    for line in lines:
        said = [
            describe_reading(codec, branch.question, line)
            for codec, branch in zip(speaking, branches, strict=True)
            if branch.question
        ]
        context = branches[0].seat, where, f"the reply to the line {line!r}"
        assert said[0] == said[1], _describe_leak(*context, *said)


@law()
def simultaneous_answers_stay_secret(game: Game, case: Case) -> None:
    """While several seats are asked, none is sent anything that depends on the others' answers.

    Where one answer ends the ask (`Table.ask_first`), all others only pass before it.
    """
    for play in sample_plays(game, case):
        if len(play.pending) > 1 and play.passing is None:
            for seat in sorted(play.pending)[:MAX_SEATS]:
                _check_sealing(game, play, seat)


def _check_sealing(game: Game, play: Play, seat: Seat) -> None:
    seen = [_observe_others_answer(game, play.clone(), seat, number) for number in range(4)]
    for view in seen[1:]:
        assert view == seen[0], _describe_leak(
            seat, "before it has answered", "what it is sent", seen[0], view
        )


def _observe_others_answer(game: Game, play: Play, seat: Seat, number: int) -> object:
    """Let all others answer; return a seat's events, its question, and its errors."""
    for other in sorted(play.pending.keys() - {seat}):
        play.answer(other, choose_legal_answer(play.pending[other], number * 7 + other))
    told = [game.vocabulary.pack(event) for to, event in play.drain() if to in (None, seat)]
    asked = play.pending[seat]
    wrong = [] if has_public_options(asked) else generate_wrong_answers(asked)
    return told, repr(asked), [describe_ruling(asked, answer) for answer in wrong]


def check_hidden_information(game: Game, drawn: SearchStrategy[Case], seconds: float) -> None:
    """Raise AssertionError unless some position or draw is hidden from some seat."""
    alone: list[Message] = []

    def hides(case: Case) -> bool:
        with cpu_limit(seconds):
            alone.extend(list_private_events(game, case)[:1])
            return has_alternative_position(game, case) or has_secret_draws(game, case)

    quiet = settings(
        max_examples=MAX_CASES, database=None, deadline=None, suppress_health_check=[*HealthCheck],
        phases=[Phase.generate],
    )  # fmt: skip
    try:
        find(drawn, hides, settings=quiet, random=Random(0))
    except NoSuchExample:
        raise AssertionError(
            f"`resample_hidden` never returned another position: {_describe_lack(alone)}"
        ) from None


def _describe_lack(alone: list[Message]) -> str:
    """Describe what is wrong or missing where nothing seems hidden."""
    if not alone:
        return "nothing seems to be hidden; if that is right, set `nothing_hidden = True`"
    return (
        f"nothing seems to be hidden, but only seat {alone[0].seat} is told {alone[0].content};"
        " let `resample_hidden` exchange what others hold, or `announce` what all may know"
    )


def has_alternative_position(game: Game, case: Case) -> bool:
    """Whether some seat cannot distinguish some position from another one."""
    return any(
        alternative_position(snapshot, seat) is not None
        for snapshot in take_snapshots(game, case)
        for seat in sample_seats(case)
    )


def list_private_events(game: Game, case: Case) -> list[Message]:
    """Return the messages that are told to one seat alone."""
    told = (heard for heard in list_messages(game, case) if heard.kind == "tell")
    return [heard for heard in told if heard.seat is not None and case.seats > 1]


def check_perfect_information(game: Game, case: Case) -> None:
    """Raise AssertionError if something is hidden from a seat, or told to one seat alone."""
    for snapshot in take_snapshots(game, case):
        for seat in range(case.seats):
            assert alternative_position(snapshot, seat) is None, (
                f"`nothing_hidden = True` is set, but for seat {seat} there is another position"
            )
    for heard in list_private_events(game, case):
        raise AssertionError(
            f"`nothing_hidden = True` is set, but only seat {heard.seat} is told {heard.content};"
            " `announce` what all may know, or do not set it"
        )
