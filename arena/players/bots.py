"""Python bots, which run in the host's process: their base class, and two basic ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import iscoroutinefunction
from random import Random
from typing import Any, ClassVar, SupportsIndex

from arena.rules import Question, Seat, locate_definition
from arena.wires import Greeting, TimeLeft

SEARCHES_HERE = "it searches from the rules' own objects, which only the host's process has"
"""Why a bot that searches is no program, as messages say it."""

GREETED = {"seat", "seats", "variant", "_Bot__seed"}
"""The attributes that a bot has once it was greeted."""


class Bot:
    """A bot, which answers for a seat: derive from it and implement `choose`.

    Parameters (`ordered:start=7` on the command line) are the keyword arguments of its
    constructor; an attrs class lists them by itself.
    """

    title: ClassVar[str] = ""  #: what people call it who choose an opponent; empty: by its name
    searches: ClassVar[bool] = False  #: whether the host hands it junctures (`arena.search`)
    seat: Seat  #: where it sits
    seats: int  #: how many play
    variant: Any  #: the game's parameters
    time: TimeLeft  #: seconds that are left when it is asked

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Copy and pickle all that the bot keeps in mind.

        An attrs class with slots would leave out what is not one of its fields.
        """
        return _restore_bot, (type(self), object.__getstate__(self))

    def __init_subclass__(cls, **given: Any) -> None:
        """Raise TypeError for a method that returns before anybody awaits what it does."""
        super().__init_subclass__(**given)
        for name in ("greet", "hear", "choose", "withdraw"):
            if iscoroutinefunction(method := getattr(cls, name)):
                where = locate_definition(method)
                raise TypeError(f"{where} is a coroutine, which nobody awaits; write `def {name}`")

    def check_support(self, variant: Any, seats: int) -> None:
        """Raise UserError if the bot cannot play this variant with this number of seats.

        Called before a match begins; a bot that plays them all leaves this out.
        """

    def prepare(self, variant: Any, seats: int, report: Callable[[float], None]) -> None:
        """Do what takes long and is missing for `check_support`, such as solving the game.

        `report` is told the share that is done, from 0 to 1. It may raise, which ends this.
        """

    def greet(self, greeting: Greeting) -> None:
        """Handle the greeting, which comes once, before anything else."""
        self.seat, self.seats, self.variant = greeting.seat, greeting.seats, greeting.variant
        self.__seed = greeting.seed
        vars(self).pop("random", None)

    @cached_property
    def random(self) -> Random:
        """All its chance, so that a match can be played again."""
        return Random(self.__seed)  # once it is needed: seeding takes longer than many an answer

    def hear(self, event: Any) -> None:
        """Handle an event; override this if the bot needs events."""

    def choose(self, question: Question[Any]) -> Any:
        """Return an answer that the question's options allow."""
        raise NotImplementedError(f"{type(self).__name__} has no `def choose(self, question)`")

    def withdraw(self, question: Question[Any]) -> None:
        """Handle that its answer to a question came too late: somebody else's ended the ask."""

    def explain(self, question: Question[Any], answer: Any) -> str | Sequence[str]:
        """Return why it has just answered so, for hints to people: a sentence, several, or none."""
        return ""


def _restore_bot(kind: type[Bot], state: Any) -> Bot:
    """Return a bot with what `object.__getstate__` gave."""
    bot = kind.__new__(kind)
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        object.__setattr__(bot, name, value)
    return bot


class RandomBot(Bot):
    """Gives random legal answers."""

    def choose(self, question: Question[Any]) -> Any:
        """Return a random legal answer."""
        return question.options.draw(self.random)


class FailingBot(Bot):
    """Plays like another bot, and fails after some answers; then the fallback bot plays on.

    For situations and tests: `partial(FailingBot, Honest)` makes one.
    """

    def __init__(self, make: Callable[[], Bot], answers: int = 6) -> None:
        self._bot, self._left = make(), answers

    def check_support(self, variant: Any, seats: int) -> None:
        """Raise UserError where the other bot cannot play."""
        self._bot.check_support(variant, seats)

    def greet(self, greeting: Greeting) -> None:
        """Pass the greeting to the other bot."""
        self._bot.greet(greeting)

    def hear(self, event: Any) -> None:
        """Pass an event to the other bot."""
        self._bot.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return the other bot's answer; raise RuntimeError after the last one."""
        if not self._left:
            raise RuntimeError("this bot fails on purpose")
        self._left -= 1
        return self._bot.choose(question)

    def withdraw(self, question: Question[Any]) -> None:
        """Tell the other bot that its answer came too late."""
        self._bot.withdraw(question)
