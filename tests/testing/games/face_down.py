"""A game of cards that are passed face down with a claim, and what may leak of such a card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from attrs import evolve, frozen

from arena import Bot, Game, Narrator, OneOf, Question, Seat, Secret, Table
from arena.rules import Position
from tests.support.toys import change

RANKS = (1, 2, 3, 4)
PEEK = "peek"


@frozen
class Hand:
    """These are your cards."""

    cards: tuple[int, ...]


@frozen
class Offered:
    """A seat passes a card face down to another one, and says what it is."""

    seat: Seat
    to: Seat
    claim: int


@frozen
class Peeked:
    """You look at the card."""

    card: int


@frozen
class Turned:
    """The card is turned up; a seat loses a point."""

    card: int
    loser: Seat


@frozen
class Give(Question[tuple[int, Seat, int]]):
    """Which card do you pass, to whom, and as what?"""


@frozen
class Call(Question[str]):
    """Is it what is claimed? Or do you look at it, and pass it on?"""


@frozen
class FaceDown:
    """Each deal has as many rounds as there are seats."""

    cards: int = 4

    async def deal(self, table: Table) -> FaceDownPosition:
        pack = [rank for rank in RANKS for _ in range(len(table.seats) * self.cards)]
        table.random.shuffle(pack)
        hands = tuple(
            tuple(sorted(pack[seat * self.cards : (seat + 1) * self.cards])) for seat in table.seats
        )
        return FaceDownPosition(self, hands, (0,) * len(hands))


@frozen
class FaceDownPosition:
    """Hands, points, and the seat that passes the next card."""

    variant: FaceDown
    hands: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    turn: Seat = 0
    started: bool = False

    @property
    def over(self) -> bool:
        return self.started and self.turn == 0

    async def round(self, table: Table) -> Position:
        if not self.started:
            for seat in table.seats:
                table.tell(seat, Hand(self.hands[seat]))
        giver, seen = self.turn, {self.turn}
        options = self._offers(table, giver, self.hands[giver], seen)
        card, to, claim = await table.ask(giver, Give(options))
        hand = [*self.hands[giver]]
        hand.remove(card)
        while True:
            self.offer(table, Offered(giver, to, claim), card)
            seen.add(to)
            call = await table.ask(to, self.call(card, last=len(seen) == len(table.seats)))
            if call != PEEK:
                break
            self.show(table, to, card)
            options = self._offers(table, to, (card,), seen)
            giver, (_, to, claim) = to, await table.ask(to, self.give(options))
        loser = giver if (call == "true") == (claim == card) else to
        table.announce(Turned(card, loser))
        hands = tuple(
            tuple(hand) if seat == self.turn else cards for seat, cards in enumerate(self.hands)
        )
        scores = tuple(score - (seat == loser) for seat, score in enumerate(self.scores))
        turn = (self.turn + 1) % len(hands)
        return evolve(self, hands=hands, scores=scores, turn=turn, started=True)

    def _offers(self, table: Table, giver: Seat, cards: Any, seen: set[Seat]) -> OneOf[Any]:
        seats = [seat for seat in table.seats if seat not in seen]
        return OneOf(
            (card, seat, claim) for card in sorted({*cards}) for seat in seats for claim in RANKS
        )

    def offer(self, table: Table, offered: Offered, card: int) -> None:
        table.announce(offered)

    def show(self, table: Table, seat: Seat, card: int) -> None:
        table.tell(seat, Peeked(card))

    def call(self, card: int, *, last: bool) -> Call:
        return Call(OneOf(("true", "false") if last else ("true", "false", PEEK)))

    def give(self, options: OneOf[Any]) -> Give:
        return Give(options)

    def resample_hidden(self, seat: Seat, random: Any) -> FaceDownPosition:
        others = [other for other in range(len(self.hands)) if other != seat]
        cards = [card for other in others for card in self.hands[other]]
        random.shuffle(cards)
        hands = [*self.hands]
        for other in others:
            count = len(self.hands[other])
            hands[other], cards = tuple(sorted(cards[:count])), cards[count:]
        return evolve(self, hands=tuple(hands)) if not self.started else self


class First(Bot):
    """Takes the first option."""

    def choose(self, question: Question[Any]) -> Any:
        return question.options.draw(self.random)


def _game(position: type[FaceDownPosition], **more: Any) -> Game:
    @frozen
    class Variant(FaceDown):
        async def deal(self, table: Table) -> FaceDownPosition:
            dealt = await super().deal(table)
            return position(dealt.variant, dealt.hands, dealt.scores)

    Variant.__doc__ = FaceDown.__doc__
    settings: dict[str, Any] = {
        "secret_answers": {
            Give: Secret(
                at_once=lambda given: given[1:],
                later={Turned: lambda gifts: {card for _, (card, _, _) in gifts}},
            )
        },
        "private_reveals": (Peeked,),
        "demo": ("first",) * 3,
        **more,
    }
    game = Game(
        name="facedown", summary="pass cards face down", variant=Variant, seats=range(3, 6),
        messages=(Hand, Offered, Peeked, Turned, Give, Call), bots={"first": First},
    )  # fmt: skip
    return change(game, **settings)


class InTheEvent(FaceDownPosition):
    """The claim that all are told is the card itself."""

    def offer(self, table: Table, offered: Offered, card: int) -> None:
        table.announce(evolve(offered, claim=card))


class ToEverybody(FaceDownPosition):
    """All see what one seat looks at."""

    def show(self, table: Table, seat: Seat, card: int) -> None:
        table.announce(Peeked(card))


class ToTheNeighbour(FaceDownPosition):
    """A seat that has no part in it looks at the card, too."""

    def show(self, table: Table, seat: Seat, card: int) -> None:
        super().show(table, seat, card)
        table.tell((seat + 1) % len(table.seats), Peeked(card))


class InTheDefault(FaceDownPosition):
    """The fallback bot knows the truth about a card of a high rank, and with it the seat."""

    def call(self, card: int, *, last: bool) -> Call:
        return evolve(super().call(card, last=last), default="true" if card > 2 else "false")


@frozen
class InALaterRound(FaceDownPosition):
    """Each card is only passed, and what it is comes out when the next one is."""

    passed: int = 0

    async def round(self, table: Table) -> Position:
        if self.passed:
            table.announce(Peeked(self.passed))
        options = self._offers(table, self.turn, self.hands[self.turn], {self.turn})
        card, to, claim = await table.ask(self.turn, Give(options))
        table.announce(Offered(self.turn, to, claim))
        return evolve(self, passed=card, turn=(self.turn + 1) % len(self.hands), started=True)


class InTheOptions(FaceDownPosition):
    """Who has a low card before it cannot look at it."""

    def call(self, card: int, *, last: bool) -> Call:
        return super().call(card, last=last or card < 3)


class GossipingNarrator(Narrator):
    """Tells all what one of them has written."""

    given: ClassVar[list[int]] = [0]

    def say(self, question: Question[Any], answer: Any) -> str:
        if isinstance(question, Give):
            self.given[0] = answer[0]
        return super().say(question, answer)

    def describe(self, message: Any) -> Iterator[str]:
        yield from super().describe(message)
        if isinstance(message, Offered):
            yield f"It is {self.given[0]}."


SOUND = _game(FaceDownPosition)
UNDECLARED = _game(FaceDownPosition, secret_answers={})
IN_THE_EVENT = _game(InTheEvent)
TO_EVERYBODY = _game(ToEverybody)
TO_THE_NEIGHBOUR = _game(ToTheNeighbour)
TO_THE_NEIGHBOUR_UNDECLARED = _game(ToTheNeighbour, private_reveals=())
BY_THE_NUMBER = _game(FaceDownPosition, secret_answers={Give: Secret(at_once=lambda given: given)})
OF_NOTHING = _game(
    FaceDownPosition,
    secret_answers={Give: Secret(at_once=len), Call: Secret(at_once=lambda call: call.claim)},
)
IN_THE_DEFAULT = _game(InTheDefault)
IN_A_LATER_ROUND = _game(InALaterRound)
BEHIND_AN_EQUAL_REVEAL = _game(InTheDefault, reveals=(Offered, Turned))
IN_THE_OPTIONS = _game(InTheOptions)
IN_A_SHARED_NARRATOR = _game(FaceDownPosition, narrator=GossipingNarrator)
IN_THE_DEFAULT_UNDECLARED = _game(InTheDefault, secret_answers={})
