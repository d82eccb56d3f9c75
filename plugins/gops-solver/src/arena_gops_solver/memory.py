"""What a bot remembers, taken down as bytes and made into a bot again."""

from __future__ import annotations

import pickle
from io import BytesIO
from typing import Any

from arena import Bot

State = bytes
"""A pickled bot, without its `random`."""

Memory = dict[str, Any]


class Writer(pickle.Pickler):
    """Takes down all of a bot, and of the bots that it holds.

    A bot's own way to be pickled is passed by. An attrs class with slots takes down nothing but
    its fields, while what a class above it keeps is somewhere else.
    """

    def reducer_override(self, thing: Any) -> Any:
        """Say how each thing is made again (see the manual of `pickle`)."""
        if isinstance(thing, Bot):
            return object.__new__, (type(thing),), _remembered(thing), None, None, _remind
        return NotImplemented


def asleep(bot: Bot, writer: type[Writer] = Writer) -> State:
    """Take a bot down; what it holds may be such that this raises any exception."""
    written = BytesIO()
    writer(written).dump(bot)
    return written.getvalue()


def awake(state: State) -> Bot:
    """Return a bot that remembers this."""
    bot: Bot = pickle.loads(state)  # noqa: S301  # it was pickled here
    return bot


def _remembered(bot: Bot) -> tuple[Memory, Memory]:
    """Return what it keeps in its dictionary and in slots, except where its chance is from."""
    found: Any = object.__getstate__(bot)
    named, slots = found if isinstance(found, tuple) else (found, None)
    return _without_chance(named or {}), _without_chance(slots or {})


def _without_chance(memory: Memory) -> Memory:
    return {name: thing for name, thing in memory.items() if name != "random"}


def _remind(bot: Bot, memory: tuple[Memory, Memory]) -> None:
    named, slots = memory
    vars(bot).update(named)
    for name, thing in slots.items():
        object.__setattr__(bot, name, thing)  # which a frozen class allows
