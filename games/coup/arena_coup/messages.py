"""The events and questions of Coup."""

from __future__ import annotations

from attrs import frozen

from arena import OneOf, Question, Seat, SomeOf
from arena_coup.characters import Cards, Character

ALLOW, CHALLENGE = "allow", "challenge"


@frozen
class Turn:
    """A turn begins; the rest is what lies open, in seat order.

    `influence` counts the cards that are face down, `revealed` has those that are face up.
    """

    number: int  # from 1
    seat: Seat
    coins: tuple[int, ...]
    influence: tuple[int, ...]
    revealed: tuple[Cards, ...]


@frozen
class Hand:
    """These are your influences, at the beginning of a turn and whenever they have changed."""

    cards: Cards


@frozen
class Acted:
    """Whose turn it is has chosen this action, and has paid for it."""

    seat: Seat
    action: str  # such as `tax`, or `steal:2` for one with a target


@frozen
class Blocked:
    """A seat blocks the action, and claims this character."""

    seat: Seat
    character: Character


@frozen
class Challenged:
    """A seat challenges the claim that was just made."""

    seat: Seat
    claimant: Seat
    character: Character


@frozen
class Proved:
    """The claimant has shown the character, shuffled it into the court deck, and drawn another."""

    seat: Seat
    character: Character


@frozen
class Lost:
    """A seat has lost an influence, and turned this card up."""

    seat: Seat
    character: Character


@frozen
class Out:
    """A seat has no influence left; its coins are gone, too."""

    seat: Seat


@frozen
class Settled:
    """The action takes effect now, or has failed."""

    seat: Seat
    action: str
    succeeded: bool


@frozen
class Drawn:
    """You have drawn these from the court deck: for the exchange, or in place of one you proved."""

    cards: Cards


@frozen
class Won:
    """This seat is the only one left."""

    seat: Seat


@frozen
class ChooseAction(Question[str]):
    """Asks which action to take."""

    options: OneOf[str]


@frozen
class Challenge(Question[str]):
    """Asks whether to challenge the claim that this seat has this character.

    The claim is part of the `action`, or blocks it.
    """

    options: OneOf[str]
    claimant: Seat
    character: Character
    action: str


@frozen
class Block(Question[str]):
    """Asks whether to allow this seat's action, or to claim a character that blocks it."""

    options: OneOf[str]
    seat: Seat
    action: str


@frozen
class ShowCard(Question[str]):
    """Asks which card to turn up, when a claim of this character is challenged.

    The character itself wins the challenge; any other card is lost.
    """

    options: OneOf[str]
    character: Character
    challenger: Seat


@frozen
class LoseInfluence(Question[str]):
    """Asks which influence to lose."""

    options: OneOf[str]


@frozen
class KeepCards(Question[Cards]):
    """Which of these, your own and those drawn, do you keep? The others go back unseen."""

    options: SomeOf[str]


MESSAGES = (
    Turn,
    Hand,
    Acted,
    Blocked,
    Challenged,
    Proved,
    Lost,
    Out,
    Settled,
    Drawn,
    Won,
    ChooseAction,
    Challenge,
    Block,
    ShowCard,
    LoseInfluence,
    KeepCards,
)
