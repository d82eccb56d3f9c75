"""The events and questions of BS."""

from __future__ import annotations

from attrs import frozen

from arena import OneOf, Question, Seat, SomeOf
from arena.cards import Cards

PASS, BS, PEANUT_BUTTER = "Pass", "BS", "Peanut Butter"


@frozen
class Player:
    """How a seat is called in this game; the number is its unique ID."""

    seat: Seat
    nickname: str
    number: int

    def __str__(self) -> str:
        return f"{self.nickname}({self.number})"


@frozen
class Turn:
    """A turn begins: all players and how many cards each holds, the current one first.

    `rank` is what the current player has to claim.
    """

    players: tuple[tuple[Player, int], ...]
    rank: str


@frozen
class Hand:
    """These are your cards."""

    cards: Cards


@frozen
class Played:
    """So many cards were laid face down, and claimed to be of this rank."""

    player: Player
    count: int
    rank: str


@frozen
class Called:
    """These called BS, in the order in which they spoke; perhaps nobody."""

    players: tuple[Player, ...]


@frozen
class Shown:
    """BS was called: these are the cards that were laid."""

    player: Player
    cards: Cards


@frozen
class Judged:
    """The claim was false, or true.

    It follows the cards if BS was called; if not, the player has declared Peanut Butter.
    """

    player: Player
    bluffing: bool


@frozen
class Receives:
    """The caller who spoke last was wrong, and gets the pile."""

    player: Player
    wording: str  # the verb of the published line, `receives` or `takes`


@frozen
class PileTaken:
    """You get these cards: your bluff was called, or you misjudged."""

    cards: Cards
    bluffing: bool


@frozen
class Won:
    """This player has no cards left."""

    player: Player


@frozen
class Nickname(Question[str]):
    """Asks how the player wants to be called, and tells its number."""

    number: int


@frozen
class ChooseCards(Question[Cards]):
    """Asks which cards to lay, claiming this rank."""

    options: SomeOf[str]
    rank: str


@frozen
class Declare(Question[str]):
    """Asks whether to call BS (on the own turn: to declare Peanut Butter) or to pass."""

    options: OneOf[str]


OTHERS_DECLARE = Declare(OneOf((PASS, BS)), default=PASS)
CURRENT_DECLARES = Declare(OneOf((PASS, PEANUT_BUTTER)), default=PASS)

MESSAGES = (
    Turn,
    Hand,
    Played,
    Called,
    Shown,
    Judged,
    Receives,
    PileTaken,
    Won,
    Nickname,
    ChooseCards,
    Declare,
)
