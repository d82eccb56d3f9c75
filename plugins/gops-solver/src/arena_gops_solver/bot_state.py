"""The memory of a bot as bytes, from which the bot can be restored."""

from __future__ import annotations

import pickle
from io import BytesIO
from typing import Any

from arena import Bot

State = bytes
"""A pickled bot, without its `random`."""

Memory = dict[str, Any]


class BotPickler(pickle.Pickler):
    """Pickles a bot, and the bots that it holds.

    A bot's own pickling methods are ignored: those of an attrs class with slots save only its
    fields, and not the attributes of its base classes.
    """

    def reducer_override(self, thing: Any) -> Any:
        """Return the recipe that rebuilds an object (see the manual of `pickle`)."""
        if isinstance(thing, Bot):
            return object.__new__, (type(thing),), _read_memory(thing), None, None, _restore_memory
        return NotImplemented


def dump_bot(bot: Bot, writer: type[BotPickler] = BotPickler) -> State:
    """Pickle a bot; depending on what it holds, this may raise any exception."""
    written = BytesIO()
    writer(written).dump(bot)
    return written.getvalue()


def load_bot(state: State) -> Bot:
    """Return a bot with this memory."""
    bot: Bot = pickle.loads(state)  # noqa: S301  # it was pickled here
    return bot


def _read_memory(bot: Bot) -> tuple[Memory, Memory]:
    """Return the state of a bot from its dictionary and its slots, without its source of chance."""
    found: Any = object.__getstate__(bot)
    named, slots = found if isinstance(found, tuple) else (found, None)
    return _drop_chance(named or {}), _drop_chance(slots or {})


def _drop_chance(memory: Memory) -> Memory:
    return {name: thing for name, thing in memory.items() if name != "random"}


def _restore_memory(bot: Bot, memory: tuple[Memory, Memory]) -> None:
    named, slots = memory
    vars(bot).update(named)
    for name, thing in slots.items():
        object.__setattr__(bot, name, thing)  # also works for frozen classes
