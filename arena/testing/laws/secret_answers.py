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
from itertools import combinations, zip_longest
from random import Random
from typing import Any

from attrs import Factory, define, evolve, frozen

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
from arena.testing.harness.branches import (
    Branch,
    Message,
    RoundSnapshot,
    SeveralRoundsPosition,
    SingleRoundPosition,
    build_codecs,
    check_lines,
    codec_kinds,
    codecs_at,
    collect_messages_with_lines,
    find_common_answer,
    find_first_difference,
    name_round,
    sample_seats,
    take_snapshots,
    tells_by_itself,
)
from arena.testing.harness.cases import (
    MOVE_RANGE,
    Case,
    apply_move,
    choose_legal_answer,
    is_legal,
    iterate_plays,
)
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.law import law
from arena.testing.laws.noninterference import BY_CODECS
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
            exchange.check_all_lines(game, case, snapshot)
            exchange.check_declared()


@law()
def secret_answers_stay_secret_in_later_rounds(game: Game, case: Case) -> None:
    """What `Secrecy.secret_answers` lists stays secret in the next rounds, until it is revealed."""
    for snapshot in take_snapshots(game, case) if game.secrecy.secret_answers else ():
        start = SeveralRoundsPosition(snapshot.position)
        for exchange in _exchange_answers(game, case, snapshot, start):
            if exchange.secret:
                exchange.check_all_lines(game, case, snapshot)


def _exchange_answers(
    game: Game, case: Case, snapshot: RoundSnapshot, position: SingleRoundPosition
) -> Iterator[_Exchange]:
    """Yield some secret answers from a position on, exchanged, with what follows."""
    random = case.random(f"answers/{snapshot.number}")
    start = position, snapshot.number
    whole, given = Branch.begin(game, case, start, 0), list[_Given]()
    while not whole.play.over:
        asked = dict(whole.play.pending)
        seat, answer = apply_move(whole.play, random.randrange(MOVE_RANGE))
        given.append(_Given(seat, asked[seat], answer))
        whole.play.drain()
    for at in sorted(random.sample(range(len(given)), min(MAX_EXCHANGES, len(given)))):
        branch = Branch.begin(game, case, start, 0)
        for said in given[:at]:
            branch.answer(said.seat, said.answer)
        for exchange in _list_exchanges(game, branch, given[at:], random, snapshot.number):
            exchange.play_on(random)
            yield exchange


@frozen
class _Given:
    """An answer that was given, with its seat and its question."""

    seat: Seat
    question: Question[Any]
    answer: Any


def _list_exchanges(
    game: Game, branch: Branch, given: Sequence[_Given], random: Random, number: int
) -> Iterator[_Exchange]:
    """Yield the first of these answers exchanged, alone and with a later one of another seat."""
    first = given[0]
    secret = game.secrecy.secret_answers.get(type(first.question))
    exchange = _Exchange(first.question, number, secret, game.secrecy.private_reveals, branch.heard)
    if secret is None:
        yield from _exchange_undeclared(exchange, branch, first, random)
        return
    others = _list_alternatives(secret, first, random)
    if others:
        yield evolve(exchange).give(branch, [first], [random.choice(others)])
    for kind in secret.later:
        same = [exchange.announces_same(kind, [first], [other]) for other in others]
        if any(same):
            yield evolve(exchange).give(branch, [first], [others[same.index(True)]])
        if pair := _exchange_pair(exchange, kind, given, random):
            yield evolve(exchange).give(branch, *pair)


def _exchange_undeclared(
    exchange: _Exchange, branch: Branch, given: _Given, random: Random
) -> Iterator[_Exchange]:
    """Yield an answer exchanged for one that is announced alike right after it, if any."""
    for _ in range(MAX_OTHER_DRAWS):
        other = choose_legal_answer(given.question, random.randrange(MOVE_RANGE))
        if is_same(other, given.answer):
            continue
        tried = evolve(exchange).give(branch, [given], [evolve(given, answer=other)])
        if tried.branches[0].play.closed == branch.play.closed:
            tried.play_on(random, until_closed=True)
        if tried.looks_alike():
            yield tried
            return


def _list_alternatives(secret: Secret, given: _Given, random: Random) -> list[_Given]:
    """Return some other answers of which everybody may know the same at once."""
    known = secret.at_once(given.answer)
    drawn = (
        choose_legal_answer(given.question, random.randrange(MOVE_RANGE))
        for _ in range(MAX_OTHER_DRAWS)
    )
    return [
        evolve(given, answer=answer)
        for answer in drawn
        if not is_same(answer, given.answer) and secret.at_once(answer) == known
    ]


def _exchange_pair(
    exchange: _Exchange, kind: type, given: Sequence[_Given], random: Random
) -> tuple[Sequence[_Given], Sequence[_Given]] | None:
    """Return answers from the first to one of another seat, and others with these two exchanged.

    What an event of this kind announces is the same, but not if only the first is exchanged.
    """
    first, secret = given[0], exchange.secret
    assert secret
    for at, second in enumerate(given):
        if second.seat == first.seat or type(second.question) is not type(first.question):
            continue
        between = given[1:at]
        for instead in _list_alternatives(secret, first, random):
            if exchange.announces_same(kind, [first], [instead]):
                continue
            for also in _list_alternatives(secret, second, random):
                ways = [first, *between, second], [instead, *between, also]
                if exchange.announces_same(kind, *ways):
                    return ways
    return None


@define
class _Exchange:
    """A round that is played with two answers of a seat to the same question.

    Or with two answers of each of two seats.
    """

    question: Question[Any]
    number: int  # of the round
    secret: Secret | None  # what `Secrecy.secret_answers` says of the question
    private_reveals: tuple[type, ...]
    before: list[Message]  # what was told, asked and answered before
    seats: tuple[Seat, ...] = ()  # whose answers are exchanged
    branches: list[Branch] = Factory(list)

    def give(self, branch: Branch, *ways: Sequence[_Given]) -> _Exchange:
        """Give the answers of each way, in a branch of its own, as far as they are legal."""
        here, there = ways
        self.seats = tuple(old.seat for old, new in zip(here, there, strict=True) if old != new)
        self.branches = [evolve(branch, play=branch.play.clone(), heard=[]) for _ in ways]
        for copy in self.branches:
            copy.play.drain()
        for pair in zip(here, there, strict=True):
            asked = [copy.play.pending.get(pair[0].seat) for copy in self.branches]
            if not all(
                question and is_legal(question, said.answer)
                for question, said in zip(asked, pair, strict=True)
            ):
                break
            for copy, said in zip(self.branches, pair, strict=True):
                copy.answer(said.seat, said.answer)
        return self

    def announces_same(self, kind: type, *ways: Sequence[_Given]) -> bool:
        """Whether an event of this kind announces the same of the answers of both ways."""
        before = self._list_answers(self.before)
        here, there = (
            self._announce(
                kind,
                [
                    *before,
                    *(
                        (said.seat, said.answer)
                        for said in way
                        if type(said.question) is type(self.question)
                    ),
                ],
            )
            for way in ways
        )
        return here == there

    def _announce(self, kind: type, answers: Sequence[GivenAnswer]) -> object:
        """Return the value that an event of this kind announces of these answers."""
        assert self.secret
        try:
            return self.secret.later[kind](answers)
        except Exception as problem:
            raise AssertionError(
                f"secret_answers[{self._name}].later[{kind.__name__}] raises"
                f" {describe_error(problem)} for {answers}"
            ) from problem

    def _list_answers(self, heard: Sequence[Message]) -> list[GivenAnswer]:
        """Return the answers to the question among these messages, with their seats."""
        return [
            (message.seat, message.content[1])
            for message in heard
            if message.kind == "say"
            and message.seat is not None
            and type(message.content[0]) is type(self.question)
        ]

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
        """Check that nothing announced later depends on an answer that is not declared secret."""
        for first, second in zip(*self._announcements(), strict=False) if not self.secret else ():
            kind = type(first.content).__name__
            assert first == second, (
                f"in {name_round(self.number)}, {kind} depends on {self._subject}, of which nothing"
                f" was announced at once: it is {first.content}, but after another answer"
                f" {second.content}.\nIs this a leak? If not, declare in Secrecy what {kind}"
                f" announces, as a function of all answers so far, each with its seat:"
                f" secret_answers={{{self._name}: Secret(later={{{kind}: lambda answers: ...}})}}."
                " Return no more than what the rules tell; `at_once=` is for what they tell right"
                " after an answer."
            )

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
            later = tuple(self.secret.later) if self.secret else ()
            for at, heard in enumerate(branch.heard):
                if heard.kind != "tell" or heard.seat in self.seats or heard in other.heard:
                    continue
                if seeing & {None, heard.seat}:
                    continue
                if branch.is_reveal(heard) or isinstance(heard.content, later):
                    seeing.add(heard.seat)
                if heard.seat is None:
                    continue
                kind = type(heard.content)
                assert kind in {*self.private_reveals, *branch.reveals}, (
                    f"in {name_round(self.number)}, only seat {heard.seat} is told {heard.content},"
                    f" which depends on {self._subject}; if that seat may learn of it, list"
                    f" {kind.__name__} in Secrecy.private_reveals"
                )
                past = [*self.before, *branch.heard[:at]]
                seats = {message.seat for message in past if message.kind == "say"}
                seats |= _find_next_asked(branch.heard[at:])
                assert heard.seat in seats, (
                    f"in {name_round(self.number)}, only seat {heard.seat} is told {heard.content},"
                    f" which depends on {self._subject}; but seat {heard.seat} has not answered in"
                    " this round, and is not asked next: is it the right seat?"
                )

    def check_all_lines(self, game: Game, case: Case, snapshot: RoundSnapshot) -> None:
        """Check the lines of all other seats; scores are not compared."""
        for branch in self.branches:
            branch.heard = [heard for heard in branch.heard if heard.kind != "score"]
        for seat in sample_seats(case):
            if seat not in self.seats:
                self._check_lines(game, case, snapshot, seat)

    def _check_lines(self, game: Game, case: Case, snapshot: RoundSnapshot, seat: Seat) -> None:
        """Check that a seat is sent the same lines in both branches, as long as it may not know."""
        for branch in self.branches:
            branch.seat = seat
        end = self._find_end()
        for kind in codec_kinds(game):
            heard = [[*self.before, *branch.truncate(end)] for branch in self.branches]
            sent = [
                collect_messages_with_lines(codecs_at(game, case, snapshot, kind), seat, messages)
                for messages in heard
            ]
            first, second = ([line for _, line in some] for some in sent)
            if first != second:
                advice = (
                    BY_CODECS.format(kind=kind)
                    if tells_by_itself(sent, heard, seat)
                    else self._describe_declaration()
                )
                difference = find_first_difference(first, second)
                raise AssertionError(self._describe_leak(seat, kind, *difference, advice))

    def _find_end(self) -> int:
        """Return the number of messages that a seat may know before it may learn of answers."""
        known = [branch.own_messages for branch in self.branches]
        for at, pair in enumerate(zip_longest(*known)):
            if pair[0] != pair[1] and any(heard and self._may_tell(heard, at) for heard in pair):
                return at
        return max(map(len, known))

    def _may_tell(self, heard: Message, at: int) -> bool:
        """Whether a message behind so many, which are the same, may tell what was answered."""
        if heard.kind != "tell":
            return False
        if heard.seat is not None or self.secret is None:
            return True  # `check_private_events` and `check_declared` look at these
        kind = type(heard.content)
        if kind not in self.secret.later:
            return False
        here, there = (
            self._announce(kind, self._list_answers([*self.before, *branch.truncate(at)]))
            for branch in self.branches
        )
        return here != there

    @property
    def _name(self) -> str:
        return type(self.question).__name__

    @property
    def _subject(self) -> str:
        who = join_words(map(str, sorted({*self.seats})))
        return (
            f"what {'seat' if len({*self.seats}) == 1 else 'seats'} {who} answered to {self._name}"
        )

    def _describe_leak(
        self, seat: Seat, kind: str, first: object, second: object, advice: str
    ) -> str:
        return (
            f"seat {seat} can tell, by {kind}, in {name_round(self.number)}, {self._subject}, from"
            f" its lines:\n{first}\nand after another answer\n{second}\n"
            f"Is this a leak? {advice}"
        )

    def _describe_declaration(self) -> str:
        """Describe what the game says of the question, and what it could say."""
        if self.secret is None:
            return (
                "What is announced right after the answer tells nothing of it. If everybody may"
                f" know of it at once, announce it; if later, declare Secret(...) for {self._name}"
                " in Secrecy.secret_answers."
            )
        known = ", ".join(kind.__name__ for kind in self.secret.later) or "no event"
        return (
            f"Or may all know it now? Secrecy.secret_answers[{self._name}] says what: `at_once`"
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
