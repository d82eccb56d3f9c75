"""Non-interference: what a seat may not know changes nothing of what it is sent.

From a position and another one that a seat may not tell from it, the same answers lead to
the same lines, options and errors: up to that seat's next answer, and also behind it to the
end of the round. Where somebody cannot answer alike, because what is hidden differs, the
comparison ends: what they answer then is their own doing, and no leak of the rules. It also
ends where the game says that its rules bring something to light (`Game.reveals`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random
from typing import Any

from hypothesis import HealthCheck, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from arena.codec import Codec
from arena.game import Game
from arena.play import Play, Position
from arena.table import Seat
from arena.testing.cases import Case, answer_to, closely
from arena.testing.junk import LINES, wrong_answers
from arena.testing.moments import Heard, Moment, Once, moments
from arena.testing.patience import patience
from arena.testing.sides import Side, common, comparable
from arena.testing.wires import checked, codecs, judged, kinds, ruled

DRAWS = 5  # until `another` has given a position that differs
SEATS = 3  # that look at one position


def the_deal_tells_nothing(game: Game, case: Case) -> None:
    """Where something is hidden, nobody is told anything before the first round.

    `another` is of positions, so that it could not show what leaks there.
    """
    found = [*moments(game, case)]
    hidden = any(_another(moment, seat) for moment in found for seat in watching(case))
    for moment in found[:2] if hidden else ():
        told = [one.message for one in moment.history if one.what == "tell"]
        assert not told, (
            f"the deal tells {told[0]}: tell it in the round, or nothing shows what leaks"
        )


def no_seat_can_tell_another_position(game: Game, case: Case) -> None:
    """What a seat is sent up to its next answer is the same, whatever it may not know."""
    for moment, seat, other in _others(game, case):
        sides = [
            Side.begin(game, case, (position, moment.number), seat)
            for position in (moment.position, other)
        ]
        asked = _go_on(sides, case.random("others"))
        if asked:
            _same_errors(sides, moment)
        _same_lines(game, case, moment, sides, asked=asked)


def no_seat_can_tell_in_a_round(game: Game, case: Case) -> None:
    """To the end of a round, by the same answers of all, a seat is sent the same."""
    for moment, seat, other in _others(game, case):
        here, there = (
            Side.begin(game, case, (Once(position), moment.number), seat)
            for position in (moment.position, other)
        )
        random = case.random("all")
        while answer := common(here.play, there.play, None, random):
            here.answer(*answer)
            there.answer(*answer)
        _same_lines(game, case, moment, [here, there], asked=False)


def _others(game: Game, case: Case) -> Iterator[tuple[Moment, Seat, Position]]:
    """Give positions of a game, each with a seat and another position for it."""
    for moment in moments(game, case):
        for seat in watching(case):
            if other := _another(moment, seat):
                yield moment, seat, other


def _another(moment: Moment, seat: Seat) -> Position | None:
    """Give a position that this seat may not tell from the one that is, if one is found."""
    drawn = (moment.position.another(seat, Random(number)) for number in range(DRAWS))
    return next((other for other in drawn if other != moment.position), None)


def watching(case: Case) -> list[Seat]:
    """Give some of the seats, not always the same."""
    return sorted(case.random("watching").sample(range(case.seats), min(SEATS, case.seats)))


def _go_on(sides: Sequence[Side], random: Random) -> bool:
    """Let the others answer alike, as long as they can; say whether the seat is asked then."""
    here, there = sides
    while not (here.question or there.question):
        answer = common(here.play, there.play, here.seat, random)
        if answer is None:
            return False
        here.answer(*answer)
        there.answer(*answer)
        if any(side.until_revealed is not None for side in sides):
            return False
    for side in sides:
        side.catch_up(random)
    asked = {bool(side.question) for side in sides}
    assert asked == {True} or here.known != there.known, (
        f"seat {here.seat} is asked, and from another position the game ends without that"
    )
    return asked == {True} and all(side.until_revealed is None for side in sides)


def _same_lines(
    game: Game, case: Case, moment: Moment, sides: Sequence[Side], *, asked: bool
) -> None:
    """Compare what a seat is sent on both sides, and how its lines are read at the end."""
    seat = sides[0].seat
    for kind in kinds(game):
        where = f"by {kind}, from round {moment.number} on"
        speaking = [codecs(game, case, kind) for _ in sides]
        one, two = (
            _sent(all_, seat, [*moment.history, *heard])
            for all_, heard in zip(speaking, comparable(sides), strict=True)
        )
        assert one == two, _words(seat, where, "it is sent", *_differing(one, two))
        if asked:
            _same_reading([all_[seat] for all_ in speaking], sides, where)


def _sent(speaking: Sequence[Codec], seat: Seat, heard: Sequence[Heard]) -> list[str]:
    """Let the codecs of all seats live through this, and give the lines of one seat."""
    sent: list[str] = []
    for one in heard:
        for at in range(len(speaking)) if one.seat is None else (one.seat,):
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
    codec.read(one.message[0], codec.say(*one.message))
    return []


def _differing(one: Sequence[str], two: Sequence[str]) -> tuple[object, object]:
    """Give the first lines that differ, with those before and behind them."""
    pairs = [*zip_longest(one, two)]
    at = next(at for at, (here, there) in enumerate(pairs) if here != there)
    return [*one[max(0, at - 1) : at + 2]], [*two[max(0, at - 1) : at + 2]]


def _words(seat: Seat, where: str, what: str, one: object, other: object) -> str:
    return (
        f"seat {seat} can tell, {where}, what it may not know: {what}\n"
        f"{one}\nand from another position\n{other}\n"
        "Is that a leak? Or does `another` change what the seat rightly learns there, by an"
        " event that belongs into Game.reveals?"
    )


def _same_errors(sides: Sequence[Side], moment: Moment) -> None:
    """See that a question's options, and the reasons why answers are refused, are the same."""
    seat = sides[0].seat
    one, two = (side.play.pending[seat] for side in sides)
    where = f"from round {moment.number} on"
    assert repr(one) == repr(two), _words(seat, where, "it is asked", one, two)
    hidden = [answer for side in sides for answer in _hidden(side.play, seat)]
    pool = {repr(answer): answer for answer in (*moment.pool, *hidden)}
    for answer in wrong_answers(one, tuple(pool.values())):
        said = [ruled(question, answer) for question in (one, two)]
        assert said[0] == said[1], _words(seat, where, f"to {answer!r} it is told", *said)


def _hidden(play: Play, seat: Seat) -> list[Any]:
    """Give answers of the others who are asked: what they hold may be in them."""
    asked = [question for other, question in play.pending.items() if other != seat]
    return [answer_to(question, number) for question in asked for number in (1, 2)]


def _same_reading(speaking: Sequence[Codec], sides: Sequence[Side], where: str) -> None:
    """See that lines are read alike on both sides."""
    for line in LINES:
        said = [
            judged(codec, side.question, line)
            for codec, side in zip(speaking, sides, strict=True)
            if side.question
        ]
        assert said[0] == said[1], _words(sides[0].seat, where, f"to {line!r} it is told", *said)


def sealed_answers_are_sealed(game: Game, case: Case) -> None:
    """While several are asked, nobody is sent what depends on the answers of others to this ask."""
    for play in closely(game, case):
        if len(play.pending) > 1:
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
        errors = [ruled(asked, answer) for answer in wrong_answers(asked)]
        seen.append((told, repr(asked), errors))
    for one in seen[1:]:
        assert one == seen[0], _words(
            seat, "before it has answered", "others' answers to the same ask", seen[0], one
        )


def something_is_hidden(game: Game, drawn: SearchStrategy[Case], seconds: float) -> None:
    """For some position and seat there is another one: or else the relation says nothing."""

    def differs(case: Case) -> bool:
        with patience(seconds):
            return any(
                _another(moment, seat) is not None
                for moment in moments(game, case)
                for seat in watching(case)
            )

    quiet = settings(
        max_examples=50, database=None, deadline=None, suppress_health_check=[*HealthCheck]
    )
    try:
        find(drawn, differs, settings=quiet, random=Random(0))
    except NoSuchExample:
        raise AssertionError(
            "`another` has never given another position: nothing would be hidden;"
            " say `nothing_hidden = True` if that is so"
        ) from None


def nothing_is_hidden(game: Game, case: Case) -> None:
    """No seat has another position than that which is."""
    for moment in moments(game, case):
        for seat in range(case.seats):
            assert _another(moment, seat) is None, (
                f"`nothing_hidden = True` is said, and for seat {seat} there is another position"
            )
