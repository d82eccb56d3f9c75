"""Laws for secret answers: what a seat answers in secret, the others do not learn too early.

A card that is passed face down or laid aside is in no position before the round is over, and no
draw has decided it. So the law exchanges the answer itself for another legal one, and continues the
round with the same other answers. The others must be sent the same, byte by byte: events,
questions, their defaults and options, their number and order.

A game declares its secret answers in `Secrecy.secret_answers`: a kind of question, and what
everybody may know of the answers (`Secret`). Known at once is, for example, the number of cards, or
the claim that goes with them. Later events announce a function of all answers to the question so
far. If the function returns something else for the exchanged answers, the comparison ends at the
event; if it returns the same, the event has to be the same, and the comparison continues. A
function of several answers, such as their sum, would distinguish any two of them if only one were
exchanged. So the law also exchanges answers of two seats in ways that do not change its result.

An answer to any other question counts as secret if the events right after it are the same for
another answer, too. If a later event depends on it, the law asks the author to declare it.

An event that tells one seat something in private, such as a card at which it may look, ends the
comparison for that seat. It has to be listed in `private_reveals` or `reveals`, and the seat must
take part in the round: it has answered before, or it is asked next. Nothing is compared after
somebody cannot give the same answer. The scores at the end of the round are not compared, because
they may depend on the secret.

For secrets of another kind, a game lists pairs of continuations (`SecretAlternatives`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from attrs import evolve, frozen

from arena.plugins import Game, Secret
from arena.rules import (
    GivenAnswer,
    Play,
    Position,
    Question,
    Seat,
    describe_error,
    is_same,
    join_words,
)
from arena.testing.harness.cases import (
    MOVE_RANGE,
    Case,
    apply_move,
    choose_legal_answer,
    is_legal,
    iterate_plays,
)
from arena.testing.harness.comparisons import (
    Branch,
    Comparison,
    HiddenFact,
    play_alike,
    reveal_by,
)
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.harness.messages import Message
from arena.testing.harness.snapshots import LimitedPosition, RoundSnapshot, take_snapshots
from arena.testing.law import law

MAX_EXCHANGES = 3  # answers of a round that are exchanged, one at a time
MAX_OTHER_DRAWS = 8  # draws until another answer is found that looks the same to the others
LATER_ROUNDS = 4  # for which a secret answer is watched, with its own


@law()
def answers_stay_secret_until_revealed(game: Game, case: Case) -> None:
    """Until the rules reveal a secret answer, nobody else is sent anything that depends on it."""
    for snapshot in take_snapshots(game, case):
        for exchange in _exchange_answers(snapshot, LimitedPosition(snapshot.position)):
            exchange.check_private_events()
            exchange.check_lines()
            exchange.check_declared()


@law()
def secret_answers_stay_secret_in_later_rounds(game: Game, case: Case) -> None:
    """What `Secrecy.secret_answers` lists stays secret in the next rounds, until it is revealed."""
    for snapshot in take_snapshots(game, case) if game.secrecy.secret_answers else ():
        start = LimitedPosition(snapshot.position, LATER_ROUNDS)
        for exchange in _exchange_answers(snapshot, start):
            if exchange.turn.secret:
                exchange.check_lines()


@frozen
class _Given:
    """An answer that was given, with its seat and its question."""

    seat: Seat
    question: Question[Any]
    answer: Any


def _exchange_answers(snapshot: RoundSnapshot, position: LimitedPosition) -> Iterator[_Exchange]:
    """Yield some secret answers from a position on, exchanged, with what follows."""
    case, given = snapshot.case, list[_Given]()
    random = case.random(f"answers/{snapshot.number}")
    play = Play(position, case.seats, case.seed, snapshot.number)
    while not play.over:
        asked = dict(play.pending)
        seat, answer = apply_move(play, random.randrange(MOVE_RANGE))
        given.append(_Given(seat, asked[seat], answer))
    for at in sorted(random.sample(range(len(given)), min(MAX_EXCHANGES, len(given)))):
        branch = Branch.begin(snapshot, position, scores=False)
        for said in given[:at]:
            branch.answer(said.seat, said.answer)
        for exchange in _Turn(snapshot, branch, given[at:], random).list_exchanges():
            for _ in play_alike(exchange.branches, random):
                pass
            yield exchange


_Ways = tuple[Sequence[_Given], Sequence[_Given]]
"""Two ways to answer the same questions."""


@frozen
class _Turn:
    """A turn of a seat to answer, what was answered from then on, and what could have been."""

    snapshot: RoundSnapshot
    branch: Branch  # before the answer
    given: Sequence[_Given]  # the answer, and those behind it
    random: Random

    @property
    def kind(self) -> type[Question[Any]]:
        """The class of the question."""
        return type(self.given[0].question)

    @property
    def secret(self) -> Secret | None:
        """What `Secrecy.secret_answers` says of the question."""
        return self.snapshot.game.secrecy.secret_answers.get(self.kind)

    def list_exchanges(self) -> Iterator[_Exchange]:
        """Yield the answer exchanged, alone and with a later one of another seat."""
        if self.secret is None:
            yield from self._exchange_undeclared()
            return
        first = self.given[0]
        ways = [([first], [other]) for other in self._list_alternatives(first)]
        if ways:
            yield self._exchange(self.random.choice(ways))
        for event in self.secret.later:
            if same := [way for way in ways if self._announces_same(event, way)]:
                yield self._exchange(same[0])
            if pair := self._find_pair(event):
                yield self._exchange(pair)

    def _exchange_undeclared(self) -> Iterator[_Exchange]:
        """Yield the answer exchanged for one that is announced alike right after it, if any."""
        given = self.given[0]
        for _ in range(MAX_OTHER_DRAWS):
            other = self._draw_answer(given)
            if is_same(other.answer, given.answer):
                continue
            exchange = self._exchange(([given], [other]))
            for _ in play_alike(exchange.branches, self.random):
                if exchange.branches[0].play.closed != self.branch.play.closed:
                    break
            here, there = exchange.list_announcements()
            if here == there:
                yield exchange
                return

    def _find_pair(self, event: type) -> _Ways | None:
        """Return answers from the first to one of another seat, and others with both exchanged.

        What an event of this kind announces is the same, but not if only the first is exchanged.
        """
        first = self.given[0]
        for at, second in enumerate(self.given):
            if second.seat == first.seat or type(second.question) is not self.kind:
                continue
            between = self.given[1:at]
            for instead in self._list_alternatives(first):
                if self._announces_same(event, ([first], [instead])):
                    continue
                for also in self._list_alternatives(second):
                    ways = [first, *between, second], [instead, *between, also]
                    if self._announces_same(event, ways):
                        return ways
        return None

    def _list_alternatives(self, given: _Given) -> list[_Given]:
        """Return some other answers of which everybody may know the same at once."""
        assert self.secret
        known = self.secret.at_once(given.answer)
        drawn = (self._draw_answer(given) for _ in range(MAX_OTHER_DRAWS))
        return [
            other
            for other in drawn
            if not is_same(other.answer, given.answer)
            and self.secret.at_once(other.answer) == known
        ]

    def _draw_answer(self, given: _Given) -> _Given:
        number = self.random.randrange(MOVE_RANGE)
        return evolve(given, answer=choose_legal_answer(given.question, number))

    def _announces_same(self, event: type, ways: _Ways) -> bool:
        """Whether an event of this kind announces the same after both ways."""
        before = self.list_answers(self.branch.heard)
        here, there = (
            [(said.seat, said.answer) for said in way if type(said.question) is self.kind]
            for way in ways
        )
        return self.announce(event, [*before, *here]) == self.announce(event, [*before, *there])

    def list_answers(self, heard: Sequence[Message]) -> list[GivenAnswer]:
        """Return the answers to the question among these messages, with their seats."""
        return [
            (message.seat, message.content[1])
            for message in heard
            if message.kind == "say"
            and message.seat is not None
            and type(message.content[0]) is self.kind
        ]

    def announce(self, event: type, answers: Sequence[GivenAnswer]) -> object:
        """Return the value that an event of this kind announces of these answers."""
        assert self.secret
        try:
            return self.secret.later[event](answers)
        except Exception as problem:
            raise AssertionError(
                f"secret_answers[{self.kind.__name__}].later[{event.__name__}] raises"
                f" {describe_error(problem)} for {answers}"
            ) from problem

    def _exchange(self, ways: _Ways) -> _Exchange:
        """Give the answers of each way, in a branch of its own, as far as they are legal."""
        branches = [self.branch.copy() for _ in ways]
        for pair in zip(*ways, strict=True):
            both = [*zip(branches, pair, strict=True)]
            asked = [branch.play.pending.get(said.seat) for branch, said in both]
            if not all(
                question and is_legal(question, said.answer)
                for question, said in zip(asked, pair, strict=True)
            ):
                break
            for branch, said in both:
                branch.answer(said.seat, said.answer)
        seats = sorted({old.seat for old, new in zip(*ways, strict=True) if old != new})
        return _Exchange(self, branches, seats)


@frozen
class _Exchange:
    """A round that is played with two answers of a seat to the same question.

    Or with two answers of each of two seats.
    """

    turn: _Turn
    branches: Sequence[Branch]
    seats: Sequence[Seat]  # whose answers are exchanged

    def list_announcements(self) -> list[list[Message]]:
        """Return what has been announced to all in each branch."""
        return [
            [heard for heard in branch.heard if heard.kind == "tell" and heard.seat is None]
            for branch in self.branches
        ]

    def check_declared(self) -> None:
        """Check that nothing announced later depends on an answer that is not declared secret."""
        announcements = () if self.turn.secret else zip(*self.list_announcements(), strict=False)
        for first, second in announcements:
            name, kind = self.turn.kind.__name__, type(first.content).__name__
            assert first == second, (
                f"in {self.turn.snapshot.name}, {kind} depends on {self._subject}, of which nothing"
                f" was announced at once: it is {first.content}, but after another answer"
                f" {second.content}.\nIs this a leak? If not, declare in Secrecy what {kind}"
                f" announces, as a function of all answers so far, each with its seat:"
                f" secret_answers={{{name}: Secret(later={{{kind}: lambda answers: ...}})}}."
                " Return no more than what the rules tell; `at_once=` is for what they tell right"
                " after an answer."
            )

    def check_private_events(self) -> None:
        """Check that what is told alone of an answer is told to a seat that has a part."""
        secrecy, start = self.turn.snapshot.game.secrecy, len(self.turn.branch.heard)
        later = self.turn.secret.later if self.turn.secret else ()
        for branch, other in (self.branches, self.branches[::-1]):
            seeing = set[Seat | None]()  # to whom something was revealed: all may differ then
            elsewhere = other.heard[start:]
            for at, heard in enumerate(branch.heard[start:], start):
                if heard.kind != "tell" or heard.seat in self.seats or heard in elsewhere:
                    continue
                if seeing & {None, heard.seat}:
                    continue
                if heard.tells(*secrecy.reveals, *later):
                    seeing.add(heard.seat)
                if heard.seat is None:
                    continue
                told = (
                    f"in {self.turn.snapshot.name}, only seat {heard.seat} is told {heard.content},"
                    f" which depends on {self._subject}"
                )
                kind = type(heard.content)
                assert kind in {*secrecy.private_reveals, *secrecy.reveals}, (
                    f"{told}; if that seat may learn of it, list {kind.__name__} in"
                    " Secrecy.private_reveals"
                )
                seats = {past.seat for past in branch.heard[:at] if past.kind == "say"}
                assert heard.seat in seats | _find_next_asked(branch.heard[at:]), (
                    f"{told}; but seat {heard.seat} has not answered in this round, and is not"
                    " asked next: is it the right seat?"
                )

    def check_lines(self) -> None:
        """Check the lines of all other seats; scores are not compared."""
        snapshot = self.turn.snapshot
        fact = HiddenFact(
            where=f"in {snapshot.name}",
            subject=self._subject,
            otherwise="after another answer",
            advice=self._describe_declaration(),
            may_reveal=self._may_reveal,
        )
        for seat in snapshot.seats:
            if seat not in self.seats:
                Comparison(self.branches, seat, fact).check_lines(snapshot)

    def _may_reveal(self, message: Message, before: Sequence[Sequence[Message]]) -> bool:
        """Whether a message may tell what was answered."""
        if message.kind != "tell":
            return False
        if message.seat is not None or self.turn.secret is None:
            return True  # `check_private_events` and `check_declared` look at these
        kind = type(message.content)
        if kind not in self.turn.secret.later:
            return False
        here, there = (self.turn.announce(kind, self.turn.list_answers(heard)) for heard in before)
        return here != there

    @property
    def _subject(self) -> str:
        seats = f"seat{'s' * (len(self.seats) > 1)} {join_words(map(str, self.seats))}"
        return f"what {seats} answered to {self.turn.kind.__name__}"

    def _describe_declaration(self) -> str:
        """Describe what the game says of the question, and what it could say."""
        name, secret = self.turn.kind.__name__, self.turn.secret
        if secret is None:
            return (
                "What is announced right after the answer tells nothing of it. If everybody may"
                f" know of it at once, announce it; if later, declare Secret(...) for {name}"
                " in Secrecy.secret_answers."
            )
        known = ", ".join(kind.__name__ for kind in secret.later) or "no event"
        return (
            f"Or may all know it now? Secrecy.secret_answers[{name}] says what: `at_once`"
            f" right after the answer, `later` when an event announces it (now {known}), where its"
            " function returns something else. It is given the answers of earlier rounds, too:"
            " `dict(answers)` has the last one of each seat."
        )


def _find_next_asked(heard: list[Message]) -> set[Seat | None]:
    """Return the seats that are asked next, all at once."""
    kinds = [message.kind for message in heard]
    start = kinds.index("ask") if "ask" in kinds else len(kinds)
    asked = set[Seat | None]()
    for message in heard[start:]:
        if message.kind != "ask":
            break
        asked.add(message.seat)
    return asked


DEALS = 6  # of each number of seats
MAX_DRAWS = 8  # of answers to a question
MIN_QUESTIONS = 10  # with several answers, before two of them have to look the same to the others


@law(cases=cases_by_seats)
def secret_answers_have_alternatives(game: Game, case: Case) -> None:
    """What all may know of a secret answer at once leaves more than one answer possible.

    The other laws exchange an answer for one with the same public part. If there never is one,
    they watch nothing, and nobody would notice.
    """
    asked, open_questions = Counter[type](), set[type]()
    random = case.random("alternatives")
    for number in range(DEALS if game.secrecy.secret_answers else 0):
        for play in iterate_plays(game, evolve(case, seed=f"{case.seed}{number}")):
            for question in play.pending.values():
                kind = type(question)
                if kind in game.secrecy.secret_answers and kind not in open_questions:
                    parts = _list_public_parts(game, question, random)
                    asked[kind] += len(parts) > 1
                    if any(is_same(*pair) for pair in combinations(parts, 2)):
                        open_questions.add(kind)
    for kind, count in asked.items():
        assert count < MIN_QUESTIONS or kind in open_questions, (
            f"secret_answers[{kind.__name__}].at_once returns something else for each answer, so"
            " nothing is secret; return only what everybody may know at once"
        )


def _list_public_parts(game: Game, question: Question[Any], random: Random) -> list[object]:
    """Return the public parts of some different answers."""
    answers: list[Any] = []
    for _ in range(MAX_DRAWS):
        answer = choose_legal_answer(question, random.randrange(MOVE_RANGE))
        if not any(is_same(answer, other) for other in answers):
            answers.append(answer)
    secret = game.secrecy.secret_answers[type(question)]
    try:
        return [secret.at_once(answer) for answer in answers]
    except Exception as problem:
        raise AssertionError(
            f"secret_answers[{type(question).__name__}].at_once raises {describe_error(problem)}"
        ) from problem


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
    starts = secret.position, secret.other_position or secret.position
    answers = [*secret.answers], [*secret.other_answers]
    assert starts[0] != starts[1] or answers[0] != answers[1], (
        "both ways to continue from a secret are the same"
    )
    case = Case(game.write_variant(secret.position.variant), len(secret.position.scores), "secret")
    snapshot = RoundSnapshot(game, case, secret.position, 1, codec_seats=range(case.seats))
    branches = [Branch.begin(snapshot, start, scores=False) for start in starts]
    given = [*zip(*(way[: secret.until] for way in answers), strict=True)]
    for count, pair in enumerate([(), *given]):
        for branch, answer in zip(branches, pair, strict=False):
            branch.answer(*answer)
        fact = HiddenFact(
            where=f"after {count} answers",
            subject="which way the match continues",
            otherwise="in the other way",
            advice="Or may the seat learn this here? Then `until` is the number of answers before.",
            may_reveal=reveal_by(),
        )
        for seat in secret.blind_seats:
            Comparison(branches, seat, fact).check_lines(snapshot)
