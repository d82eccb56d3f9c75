"""Laws for secret answers: what a seat answers in secret, the others do not learn too early.

A card that is passed face down, or a card that is laid aside, is in no position before the round is
over, and no draw has decided it. So an answer itself is exchanged for another legal one, and the
round goes on with the same answers of all. What the others are sent has to be the same, byte by
byte: events, questions, their defaults and options, their number and order.

Which answers are secret, a game says in `Secrecy.secret_answers`: a kind of question, and a
function that returns what everybody may know of an answer at once (such as the number of cards, or
the claim that goes with them). An answer to any other question counts as secret if what is
announced right after it is the same for another answer, too; if it is revealed later, the law asks
to declare it.

Not compared is what comes behind an event that the game lists in `reveals`. What one seat is told
alone, such as a card at which it may look, ends the comparison for that seat. Such an event has to
be listed in `private_reveals` or `reveals`, and the seat has to have a part in the round: it has
answered before, or it is asked next. Nor is anything compared when somebody cannot answer alike,
nor the scores at the end of the round: they may be what it was all about.

A game that has secrets of another kind says so by pairs of ways to continue (`SecretAlternatives`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from attrs import define, evolve, field, frozen

from arena.plugins import Game
from arena.rules import GivenAnswer, Play, Position, Question, Seat, SomeOf, describe_error, is_same
from arena.testing.harness.cases import MOVE_RANGE, Case, apply_move, choose_legal_answer, play_case
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.harness.replays import (
    Branch,
    Message,
    RoundSnapshot,
    SeveralRoundsPosition,
    SingleRoundPosition,
    build_codecs,
    check_lines,
    codec_kinds,
    codecs_at,
    collect_lines,
    comparable_messages,
    find_common_answer,
    find_first_difference,
    sample_seats,
    take_snapshots,
)
from arena.testing.law import law
from arena.wires import encode_withdrawal

MAX_EXCHANGES = 3  # answers of a round that are exchanged, one at a time
MAX_OTHER_DRAWS = 8  # draws until another answer is found that looks the same to the others


@law()
def answers_stay_secret_until_revealed(game: Game, case: Case) -> None:
    """Until the rules reveal a secret answer, nobody else is sent anything that depends on it."""
    for snapshot in take_snapshots(game, case):
        start = SingleRoundPosition(snapshot.position)
        for exchange in _exchange_answers(game, case, snapshot, start):
            exchange.check_private_events()
            if not exchange.declared:
                exchange.check_declared()
            exchange.check_all_lines(game, case, snapshot)


@law()
def secret_answers_stay_secret_in_later_rounds(game: Game, case: Case) -> None:
    """What `Secrecy.secret_answers` lists stays secret in the next rounds, until it is revealed."""
    for snapshot in take_snapshots(game, case) if game.secrecy.secret_answers else ():
        start = SeveralRoundsPosition(snapshot.position)
        for exchange in _exchange_answers(game, case, snapshot, start):
            if exchange.declared:
                exchange.check_all_lines(game, case, snapshot)


def _exchange_answers(
    game: Game, case: Case, snapshot: RoundSnapshot, position: SingleRoundPosition
) -> Iterator[_Exchange]:
    """Yield some secret answers from a position on, exchanged, with what follows."""
    random = case.random(f"answers/{snapshot.number}")
    start = position, snapshot.number
    whole, given = Branch.begin(game, case, start, 0), list[tuple[Seat, Any]]()
    while not whole.play.over:
        given.append(apply_move(whole.play, random.randrange(MOVE_RANGE)))
        whole.play.drain()
    for at in sorted(random.sample(range(len(given)), min(MAX_EXCHANGES, len(given)))):
        branch = Branch.begin(game, case, start, 0)
        for seat, answer in given[:at]:
            branch.answer(seat, answer)
        exchange = _exchange(game, branch, given[at], random, snapshot.number)
        if exchange:
            exchange.play_on(random)
            yield exchange


def _exchange(
    game: Game, branch: Branch, given: tuple[Seat, Any], random: Random, number: int
) -> _Exchange | None:
    """Give an answer, and another one that the others may not tell from it at first, if any."""
    seat, answer = given
    question = branch.play.pending[seat]
    public_part = game.secrecy.secret_answers.get(type(question))
    for _ in range(MAX_OTHER_DRAWS):
        other = choose_legal_answer(question, random.randrange(MOVE_RANGE))
        if is_same(other, answer):
            continue
        exchange = _Exchange(
            seat,
            question,
            number,
            public_part is not None,
            game.secrecy.private_reveals,
            branch.heard,
        )
        if public_part is not None:
            if public_part(other) == public_part(answer):
                exchange.give(branch, answer, other)
                return exchange
            continue
        exchange.give(branch, answer, other)
        if exchange.branches[0].play.closed == branch.play.closed:
            exchange.play_on(random, until_closed=True)
        if exchange.looks_alike():
            return exchange
    return None


@define
class _Exchange:
    """A round that is played with two answers of a seat to the same question."""

    seat: Seat
    question: Question[Any]
    number: int  # of the round
    declared: bool  # in `Secrecy.secret_answers`
    private_reveals: tuple[type, ...]
    before: list[Message]  # what was told, asked and answered before
    branches: list[Branch] = field(factory=list)

    def give(self, branch: Branch, *answers: Any) -> None:
        """Give the seat's answers, each in a branch of its own."""
        for answer in answers:
            copy = evolve(branch, play=branch.play.clone(), heard=[])
            copy.play.drain()
            copy.answer(self.seat, answer)
            self.branches.append(copy)

    def play_on(self, random: Random, *, until_closed: bool = False) -> None:
        """Give the same answers in both branches, to the end of the round or of the ask."""
        here, there = self.branches
        closed = here.play.closed
        while not (until_closed and here.play.closed != closed):
            answer = find_common_answer(here.play, there.play, None, random)
            if answer is None:
                break
            here.answer(*answer)
            there.answer(*answer)

    def looks_alike(self) -> bool:
        """Whether what has been announced to all is the same in both branches so far."""
        here, there = self._announcements()
        return here == there

    def check_declared(self) -> None:
        """Check that an answer that no game has declared to be secret is not revealed later."""
        for first, second in zip(*self._announcements(), strict=False):
            if first != second:
                name = type(first.content).__name__
                assert not isinstance(first.content, self.branches[0].reveals), (
                    f"what a seat answers to {self._name} is secret until {name}; declare this in"
                    f" Game, with what all may know at once: secret_answers={{{self._name}:"
                    f" lambda answer: None}} (nothing{self._alternative})"
                )
                return

    def _announcements(self) -> tuple[list[Message], list[Message]]:
        here, there = (
            [heard for heard in branch.heard if heard.kind == "tell" and heard.seat is None]
            for branch in self.branches
        )
        return here, there

    def check_private_events(self) -> None:
        """Check that what is told alone of an answer is told to a seat that has a part."""
        for branch, other in (self.branches, self.branches[::-1]):
            seeing = set[Seat | None]()  # to whom something was revealed: all may differ then
            for at, heard in enumerate(branch.heard):
                if heard.kind != "tell" or heard.seat == self.seat or heard in other.heard:
                    continue
                if seeing & {None, heard.seat}:
                    continue
                if branch.is_reveal(heard):
                    seeing.add(heard.seat)
                if heard.seat is None:
                    continue
                kind = type(heard.content)
                assert kind in {*self.private_reveals, *branch.reveals}, (
                    f"in round {self.number}, only seat {heard.seat} is told {heard.content},"
                    f" which depends on what seat {self.seat} answered to {self._name}; if that"
                    f" seat may learn of it, list {kind.__name__} in Secrecy.private_reveals"
                )
                past = [*self.before, *branch.heard[:at]]
                seats = {message.seat for message in past if message.kind == "say"}
                seats |= _find_next_asked(branch.heard[at:])
                assert heard.seat in seats, (
                    f"in round {self.number}, only seat {heard.seat} is told {heard.content},"
                    f" which depends on what seat {self.seat} answered to {self._name}; but seat"
                    f" {heard.seat} has not answered in this round, and is not asked next: is it"
                    " the right seat?"
                )

    def check_all_lines(self, game: Game, case: Case, snapshot: RoundSnapshot) -> None:
        """Check the lines of all other seats; scores are not compared."""
        for branch in self.branches:
            branch.heard = [heard for heard in branch.heard if heard.kind != "score"]
        for seat in sample_seats(case):
            if seat != self.seat:
                self.check_lines(game, case, snapshot, seat)

    def check_lines(self, game: Game, case: Case, snapshot: RoundSnapshot, seat: Seat) -> None:
        """Check that a seat is sent the same lines in both branches, until a reveal."""
        for branch in self.branches:
            branch.seat = seat
        for kind in codec_kinds(game):
            first, second = (
                collect_lines(
                    codecs_at(game, case, snapshot, kind), seat, [*self.before, *messages]
                )
                for messages in self._comparable_messages()
            )
            if first != second:
                raise AssertionError(
                    self._describe_leak(seat, kind, *find_first_difference(first, second))
                )

    def _comparable_messages(self) -> list[list[Message]]:
        """Return both branches up to the first reveal, and to what the seat learns alone."""
        known = [
            [heard for heard in branch.heard if heard.seat in (None, branch.seat)]
            for branch in self.branches
        ]
        alone = (
            at
            for at, pair in enumerate(zip(*known, strict=False))
            if pair[0] != pair[1] and any(_is_private_event(heard) for heard in pair)
        )
        end = next(alone, max(map(len, known)))
        return [
            messages[: len(branch.truncate(end))]
            for branch, messages in zip(
                self.branches, comparable_messages(self.branches), strict=True
            )
        ]

    @property
    def _alternative(self) -> str:
        return "; or `len`, the number of cards" * isinstance(self.question.options, SomeOf)

    @property
    def _name(self) -> str:
        return type(self.question).__name__

    def _describe_leak(self, seat: Seat, kind: str, first: object, second: object) -> str:
        return (
            f"seat {seat} can tell, by {kind}, in round {self.number}, what seat {self.seat}"
            f" answered to {self._name}, from its lines:\n{first}\n"
            f"and after another answer\n{second}\n"
            "Is this a leak? Or is the answer revealed here? Then list the event that reveals it in"
            f" Secrecy.reveals. What all may know at once of an answer to {self._name} is what the"
            " function in Secrecy.secret_answers returns; without one, it is what is announced"
            " right after the answer."
        )


def _is_private_event(heard: Message) -> bool:
    return heard.kind == "tell" and heard.seat is not None


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
        for play in play_case(game, evolve(case, seed=f"{case.seed}{number}")):
            for question in play.pending.values():
                kind = type(question)
                if kind in game.secrecy.secret_answers and kind not in open_questions:
                    parts = _list_public_parts(game, question, random)
                    asked[kind] += len(parts) > 1
                    if any(is_same(*pair) for pair in combinations(parts, 2)):
                        open_questions.add(kind)
    for kind, count in asked.items():
        assert count < MIN_QUESTIONS or kind in open_questions, (
            f"secret_answers[{kind.__name__}] gives no two answers the same public part, so nothing"
            " is secret; return only what everybody may know at once, such as None"
        )


def _list_public_parts(game: Game, question: Question[Any], random: Random) -> list[object]:
    """Return the public parts of some different answers."""
    answers: list[Any] = []
    for _ in range(MAX_DRAWS):
        answer = choose_legal_answer(question, random.randrange(MOVE_RANGE))
        if not any(is_same(answer, other) for other in answers):
            answers.append(answer)
    public_part = game.secrecy.secret_answers[type(question)]
    try:
        return [public_part(answer) for answer in answers]
    except Exception as problem:
        raise AssertionError(
            f"secret_answers[{type(question).__name__}] raises {describe_error(problem)}"
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
