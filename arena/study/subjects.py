"""The bots of a study beside the bundled ones: a search that sees all, and bots with a taboo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from attrs import define, evolve, field, frozen

from arena.host import Entrant
from arena.players import Bot, Player
from arena.plugins import Game
from arena.rules import (
    AddressedEvent,
    Between,
    OneOf,
    Play,
    Position,
    Question,
    Seat,
    SomeOf,
    Variant,
)
from arena.search import (
    Juncture,
    Search,
    SearchingPlayer,
    create_bot_player,
    list_candidates,
)
from arena.study.measures import AnswerPattern, can_avoid
from arena.wires import Greeting

MAX_LISTED = 1000  # options of a question of which those that are left are listed


class OpenJuncture(Juncture):
    """A juncture with all cards face up; chance to come is as unknown as ever."""

    def build_dealer(self) -> Callable[[Random], Position]:
        """Return what deals the true position."""
        return lambda _: self.position


class SeeingPlayer(SearchingPlayer):
    """A player that is shown what the others hold and have answered in secret."""

    def follow(self, game: Game, play: Play, seat: Seat, history: Sequence[AddressedEvent]) -> None:
        """Look at this play with all cards face up."""
        self.find_juncture = partial(look_at_all, game, play, seat, history)


def look_at_all(game: Game, play: Play, seat: Seat, history: Sequence[AddressedEvent]) -> Juncture:
    """Return a seat's juncture with the true position and all answers of asks that are over."""
    asks = tuple(tuple(ask.items()) for ask in play.asks)
    return evolve(OpenJuncture.of(game, play, seat, history), position=play.position, asks=asks)


@define(eq=False)
class RestrictedSearch(Search):
    """Searches, but leaves out answers of a kind where it has others."""

    pattern: AnswerPattern = field(default=AnswerPattern(()), kw_only=True)

    def list_answers(
        self, question: Question[Any], random: Random, known: Sequence[Any]
    ) -> Sequence[Any]:
        """Return the answers that are not of the kind, or all if there are no others."""
        answers = super().list_answers(question, random, known)
        return [one for one in answers if not self.pattern.fits(question, one)] or answers


class RestrictedBot(Bot):
    """Plays like another bot, but never gives an answer of a kind where it has others.

    The other bot is asked with the options that are left. Where it gives such an answer all the
    same, as it may plan by the rules alone, chance answers.
    """

    def __init__(self, make: Callable[[], Bot], pattern: AnswerPattern) -> None:
        self._bot, self._pattern = make(), pattern

    def check_support(self, variant: Variant, seats: int) -> None:
        """Raise UserError where the other bot cannot play."""
        self._bot.check_support(variant, seats)

    def greet(self, greeting: Greeting) -> None:
        """Pass the greeting to the other bot."""
        super().greet(greeting)
        self._bot.greet(greeting)

    def hear(self, event: Any) -> None:
        """Pass an event to the other bot."""
        self._bot.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the other bot's answer to what is left of the question."""
        self._bot.time = self.time
        pattern = self._pattern
        if not can_avoid(pattern, question):
            return self._bot.choose(question)
        left = narrow(question, pattern)
        answer = self._bot.choose(left)
        if not pattern.fits(question, answer):
            return answer
        others = [one for one in list_candidates(left, self.random) if not pattern.fits(left, one)]
        return self.random.choice(others) if others else left.options.draw(self.random)

    def withdraw(self, question: Question[Any]) -> None:
        """Tell the other bot that its answer came too late."""
        self._bot.withdraw(question)


def narrow(question: Question[Any], pattern: AnswerPattern) -> Question[Any]:
    """Return a question without the options of a kind; its default is another, or none."""
    options = question.options
    if isinstance(options, SomeOf):
        cards = tuple(card for card in options.cards if not pattern.fits(question, card))
        narrowed: Any = evolve(options, cards=cards, most=min(options.most, len(cards)))
    elif isinstance(options, OneOf) or (
        isinstance(options, Between) and len(options) <= MAX_LISTED
    ):
        narrowed = OneOf(option for option in options if not pattern.fits(question, option))
    else:
        return question
    default = question.default
    if default is not None and pattern.fits(question, default):
        default = None
    return evolve(question, options=narrowed, default=default)


@frozen
class BotFactory:
    """Makes the player of a bot in this process."""

    make: Callable[[], Bot]
    seat: Callable[[Any], Player] = create_bot_player
    is_program = False
    sandbox = None

    def create_player(self, seat: Seat, folder: object, log: object) -> Player:
        """Return a new player."""
        return self.seat(self.make())


def build_search(playouts: int) -> Entrant:
    """Return the search with so many playouts an answer."""
    name = f"search:playouts={playouts}"
    make = partial(Search, playouts=playouts)
    return Entrant(name, name, BotFactory(make), make)


def build_seeing_search(playouts: int) -> Entrant:
    """Return the search with so many playouts that sees all."""
    name = f"search that sees all:playouts={playouts}"
    make = partial(Search, playouts=playouts)
    return Entrant(name, name, BotFactory(make, SeeingPlayer), make)


def restrict(entrant: Entrant, pattern: AnswerPattern) -> Entrant:
    """Return a bot that plays like another without answers of a kind."""
    assert entrant.make_bot is not None
    bot = entrant.make_bot()
    make: Callable[[], Bot] = partial(RestrictedBot, entrant.make_bot, pattern)
    if isinstance(bot, Search):
        make = partial(RestrictedSearch, playouts=bot.playouts, pattern=pattern)
    name = f"{entrant.name} without {', '.join(pattern.patterns)}"
    return Entrant(name, name, BotFactory(make), make)
