"""Bots that search: the host hands them junctures, where other bots get questions.

They play in the host's process only. A program cannot be handed a juncture, which is made of the
rules' own objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from attrs import define, field, validators

from arena.players import SEARCHES_HERE, Bot, BotPlayer
from arena.plugins import Game
from arena.rules import AddressedEvent, Play, Question, Seat, UserError, derive_seed
from arena.search.comparison import compare, list_candidates
from arena.search.junctures import Juncture
from arena.search.substitutes import Substitutes
from arena.search.worlds import Worlds
from arena.wires import Greeting, TimeLeft

MAX_PLAYOUTS = 100_000


class SearchingBot(Bot):
    """A bot that is handed junctures: derive from it and implement `choose_at`.

    A juncture has all that the seat knows, so the bot hears no events, and keeps nothing in mind
    from one answer to the next: of a match that is resumed it is only asked what is open.
    """

    searches = True
    __seed: str

    def greet(self, greeting: Greeting) -> None:
        """Handle the greeting."""
        super().greet(greeting)
        self.__seed = greeting.seed

    def build_random(self, juncture: Juncture) -> Random:
        """Return the source of all chance for one answer."""
        return Random(derive_seed(self.__seed, juncture.number, len(juncture.asks)))

    def choose_at(self, juncture: Juncture) -> Any:
        """Return an answer that the juncture's question allows."""
        raise NotImplementedError

    def choose(self, question: Question[Any]) -> Any:
        """Raise UserError: a question alone is too little."""
        raise UserError(f"{type(self).__name__} cannot play here: {SEARCHES_HERE}")


class Follower:
    """A player that looks at the play from its seat; the host has it follow the play."""

    find_juncture: Callable[[], Juncture]  #: at which the seat is asked

    def follow(self, game: Game, play: Play, seat: Seat, history: Sequence[AddressedEvent]) -> None:
        """Look at this play from its seat from now on; what it tells is added to the history."""
        self.find_juncture = partial(Juncture.of, game, play, seat, history)


class SearchingPlayer(Follower, BotPlayer):
    """A player that is a searching bot."""

    def __init__(self, bot: SearchingBot) -> None:
        super().__init__(bot)
        self._choose_at = bot.choose_at
        self._choose = self._choose_here

    def repeat(
        self, events: Sequence[Any], question: Question[Any], left: TimeLeft, _: object
    ) -> None:
        """Do nothing: the next juncture has it all."""

    def _choose_here(self, _: Question[Any]) -> Any:
        return self._choose_at(self.find_juncture())


def create_bot_player(bot: Bot) -> BotPlayer:
    """Return the player of a bot of this process."""
    return SearchingPlayer(bot) if isinstance(bot, SearchingBot) else BotPlayer(bot)


@define(eq=False)
class Search(SearchingBot):
    """Deals hidden cards anew, plays on with other bots, and answers what comes out best.

    It needs nothing but the rules. The more `playouts` it has for an answer, the better it plays
    and the longer it takes.
    """

    #: for each answer, of all candidates together
    playouts: int = field(default=200, validator=[validators.ge(1), validators.le(MAX_PLAYOUTS)])

    def choose_at(self, juncture: Juncture) -> Any:
        """Return the best answer, or a substitute's where no world is found."""
        random = self.build_random(juncture)
        substitutes = Substitutes.of(juncture.game, self.variant, self.seats)
        known = substitutes.list_answers(juncture, f"{random.getrandbits(64):016x}")
        answers = self.list_answers(juncture.question, random, known)
        if len(answers) == 1:
            return answers[0]
        worlds = Worlds(juncture, substitutes, random)
        comparison = compare(worlds, answers, self.playouts)
        return comparison.best if comparison else answers[0]

    def list_answers(
        self, question: Question[Any], random: Random, known: Sequence[Any]
    ) -> Sequence[Any]:
        """Return the answers to compare, first those that are known from substitutes."""
        return list_candidates(question, random, known)
