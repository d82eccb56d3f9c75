"""Non-interference: what a seat may not know changes nothing of what it is sent.

From a position and another one that a seat may not tell from it, the same answers of the
others lead to the same lines, options and errors, up to that seat's next answer. Where the
others cannot answer alike, because what is hidden differs, the comparison ends: what they
answer then is their own doing, and no leak of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import evolve, frozen
from hypothesis import find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from arena.codec import Codec
from arena.game import Game
from arena.play import Given, Play, Position, Undealt
from arena.table import Illegal, Question, Seat, Told
from arena.testing.cases import Case, answer_to, chosen, closely, legal, spread, still_asked, walk
from arena.testing.junk import LINES, wrong_answers
from arena.testing.wires import checked, codecs, judged, kinds

TRIES = 12  # draws until an answer is found that is legal in both positions
POOL = 40  # answers from elsewhere in the game that are tried as illegal ones
DRAWS = 5  # until `another` has given a position that differs
SEATS = 3  # that look at one position

Heard = tuple[str, Seat | None, Any]
"""Something that was told (`tell`), asked (`ask`) or answered (`say`), and by or to whom."""


@frozen
class Secret:
    """Two ways to go on from a position, which some seats may not tell apart for a while.

    `one` and `other` are answers in their order, each with its seat: the same but for what is
    secret. What the `blind` seats are sent is the same until so many answers as `until` says
    have been given (None: all of them).
    """

    position: Position
    one: Sequence[Given]
    other: Sequence[Given]
    blind: Sequence[Seat]
    until: int | None = None


@frozen
class Moment:
    """The beginning of a round, and what happened before."""

    position: Position
    number: int  # of the round
    history: tuple[Heard, ...]
    pool: tuple[Any, ...]  # answers from the whole game


def moments(game: Game, case: Case) -> Iterator[Moment]:
    """Play a case, and give some of the positions between its rounds."""
    heard, found, number = list[Heard](), list[Moment](), 0
    play, before = case.deal(game), set[Seat]()
    for move in case.habits():
        told: list[Heard] = [("tell", to, event) for to, event in play.drain()]
        if play.number > number and not play.over:
            number = play.number
            begins = len(Play(play.position, play.seats, play.seed, number).drain())
            earlier = (*heard, *told[: len(told) - begins])
            if spread(play, number - 1):
                found.append(Moment(play.position, number, earlier, ()))
        if play.over:
            break
        asked = [("ask", seat, play.pending[seat]) for seat in sorted({*play.pending} - before)]
        before = still_asked(play)
        seat, answer = chosen(play, move)
        heard += [*told, *asked, ("say", seat, (play.pending[seat], answer))]
        play.answer(seat, answer)
    said = [message[1] for what, _, message in heard if what == "say"]
    pool = tuple(said[:: len(said) // POOL + 1])
    return (evolve(moment, pool=pool) for moment in found)


class _Side:
    """One of the two positions, seen by one seat."""

    def __init__(self, play: Play, seat: Seat, speaking: Codec) -> None:
        self.play, self.seat, self.codec = play, seat, speaking
        self.asked = False

    def lines(self) -> list[str]:
        """Give what the seat has been sent since the last time."""
        told = [event for to, event in self.play.drain() if to in (None, self.seat)]
        sent = [line for event in told for line in checked(self.codec.tell(event))]
        if self.question:
            sent += checked(self.codec.ask(self.question))
        return sent

    @property
    def question(self) -> Question[Any] | None:
        """Give what the seat is asked, if it is."""
        return self.play.pending.get(self.seat)


def the_deal_tells_nothing(game: Game, case: Case) -> None:
    """Nobody is told anything before the first round: there `another` could not show a leak."""
    told: list[Told] = []
    for play in walk(game, case):
        told += play.drain()
        if not isinstance(play.position, Undealt):
            break
    begins = Play(play.position, case.seats, case.seed, play.number).drain()
    early = told[: len(told) - len(begins)] if play.number == 1 else []
    assert not early, f"the deal tells {early[0][1]}: tell it in the round, or leaks cannot be seen"


def no_seat_can_tell_another_position(game: Game, case: Case) -> None:
    """What a seat is sent up to its next answer is the same, whatever it may not know."""
    for moment in moments(game, case):
        for seat in watching(case):
            if other := _another(moment, seat):
                _compare(game, case, moment, seat, other)


def _another(moment: Moment, seat: Seat) -> Position | None:
    """Give a position that this seat may not tell from the one that is, if one is found."""
    drawn = (moment.position.another(seat, Random(number)) for number in range(DRAWS))
    return next((other for other in drawn if other != moment.position), None)


def watching(case: Case) -> list[Seat]:
    """Give some of the seats, not always the same."""
    return sorted(Random(case.seed).sample(range(case.seats), min(SEATS, case.seats)))


def _compare(game: Game, case: Case, moment: Moment, seat: Seat, other: Position) -> None:
    for kind in kinds(game):
        here, there = (
            _side(game, case, moment, position, (seat, kind))
            for position in (moment.position, other)
        )
        _go_on_alike(here, there, Random(case.seed), moment)


def _side(
    game: Game, case: Case, moment: Moment, position: Position, to: tuple[Seat, str]
) -> _Side:
    """Begin at a position, with a codec that has lived through what happened before."""
    seat, kind = to
    speaking = codecs(game, case, kind)[seat]
    _recall(speaking, seat, moment.history)
    return _Side(Play(position, case.seats, case.seed, moment.number), seat, speaking)


def _recall(speaking: Codec, seat: Seat, history: Sequence[Heard]) -> None:
    """Let a codec live through what happened before."""
    for what, who, message in history:
        if what == "tell" and who in (None, seat):
            checked(speaking.tell(message))
        elif what == "ask" and who == seat:
            checked(speaking.ask(message))
        elif what == "say" and who == seat:
            speaking.read(message[0], speaking.say(*message))


def _go_on_alike(here: _Side, there: _Side, random: Random, moment: Moment) -> None:
    """Let the others answer alike on both sides, until the seat is asked; compare all it sees."""
    while True:
        one, other = here.lines(), there.lines()
        assert one == other, _words(here, moment, "it is sent", one, other)
        if here.question and there.question:
            _same_question(here, there, moment)
            return
        if here.play.over or there.play.over:
            return
        answer = _common(here.play, there.play, random)
        if answer is None:
            return
        for side in (here, there):
            side.play.answer(*answer)


def _words(here: _Side, moment: Moment, what: str, one: object, other: object) -> str:
    return (
        f"seat {here.seat} can tell, in round {moment.number}, what it may not know: {what}\n"
        f"  {one}\nand from another position\n  {other}"
    )


def _common(here: Play, there: Play, random: Random) -> Given | None:
    """Find an answer that one of those who are asked may give on both sides."""
    for seat in here.pending.keys() & there.pending.keys():
        one, other = here.pending[seat], there.pending[seat]
        for _ in range(TRIES):
            answer = answer_to(one, random.randrange(1 << 16))
            if legal(other, answer):
                return seat, answer
    return None


def _same_question(here: _Side, there: _Side, moment: Moment) -> None:
    """See that a question's options, and the reasons why answers are refused, are the same."""
    one, other = here.question, there.question
    assert one is not None
    assert other is not None
    assert repr(one) == repr(other), _words(here, moment, "it is asked", one, other)
    pool = {repr(answer): answer for answer in (*moment.pool, *_hidden(here), *_hidden(there))}
    for answer in wrong_answers(one, tuple(pool.values())):
        said = [_verdict(question, answer) for question in (one, other)]
        assert said[0] == said[1], _words(here, moment, f"to {answer!r} it is told", *said)
    for line in LINES:
        said = [judged(side.codec, asked, line) for side, asked in ((here, one), (there, other))]
        assert said[0] == said[1], _words(here, moment, f"to {line!r} it is told", *said)


def _hidden(side: _Side) -> list[Any]:
    """Give answers of the others who are asked: what they hold may be in them."""
    asked = [question for seat, question in side.play.pending.items() if seat != side.seat]
    return [answer_to(question, number) for question in asked for number in (1, 2)]


def _verdict(question: Question[Any], answer: object) -> str:
    try:
        return f"answer: {question.options.read(answer)!r}"
    except Illegal as problem:
        return f"illegal: {problem}"


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
        errors = [_verdict(asked, answer) for answer in wrong_answers(asked)]
        seen.append((told, repr(asked), errors))
    for other_seen in seen[1:]:
        assert other_seen == seen[0], (
            f"seat {seat} can tell what others answered before it has answered itself"
        )


def something_is_hidden(game: Game, drawn: SearchStrategy[Case]) -> None:
    """For some position and seat there is another one: or else the relation says nothing."""

    def differs(case: Case) -> bool:
        return any(
            _another(moment, seat) is not None
            for moment in moments(game, case)
            for seat in watching(case)
        )

    try:
        find(drawn, differs, settings=settings(max_examples=50, database=None, deadline=None))
    except NoSuchExample:
        raise AssertionError(
            "`another` has never given another position: nothing would be hidden;"
            " say `nothing_hidden = True` if that is so"
        ) from None


def nothing_is_hidden(game: Game, case: Case) -> None:
    """No seat has another position than that which is."""
    for moment in moments(game, case):
        for seat in range(case.seats):
            assert _another(moment, seat) is None, f"for seat {seat} there is another position"


def keeps(game: Game, secret: Secret) -> None:
    """The blind seats of a secret cannot tell before its time which answers were given."""
    assert list(secret.one) != list(secret.other), "the two ways are the same"
    seats = len(secret.position.scores)
    case = Case(game.write_variant(secret.position.variant), seats)
    for seat in secret.blind:
        for kind in kinds(game):
            one, other = (
                _sent(game, case, secret, answers, (seat, kind))
                for answers in (secret.one, secret.other)
            )
            for count, (here, there) in enumerate(zip(one, other, strict=True)):
                assert here == there, (
                    f"seat {seat} can tell by {kind} after {count} answers: {here} or {there}"
                )


def _sent(
    game: Game, case: Case, secret: Secret, answers: Sequence[Given], to: tuple[Seat, str]
) -> list[list[str]]:
    """Give the lines that a seat is sent after each answer, as long as they are secret."""
    seat, kind = to
    side = _Side(Play(secret.position, case.seats, "secret"), seat, codecs(game, case, kind)[seat])
    sent = [side.lines()]
    for given in answers[: secret.until]:
        side.play.answer(*given)
        sent.append(side.lines())
    return sent
