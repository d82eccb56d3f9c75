"""A part of the store, each of whose changes is written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from attrs import frozen

from arena import UserError
from arena.tournament.store.connection import Connection
from arena.tournament.store.database import Database
from arena_web.http.log_throttle import LogThrottle

P = ParamSpec("P")
Part = TypeVar("Part", bound="StorePart")


@frozen(eq=False)
class StorePart:
    """A part of a store of tables."""

    database: Database
    log: LogThrottle


def transaction(
    change: Callable[Concatenate[Part, Connection, P], bool | None],
) -> Callable[Concatenate[Part, P], bool]:
    """Make a method write all that it writes, or nothing; it returns whether it did.

    What cannot be written is only logged. A method may return False to say that it wrote nothing.
    """

    @wraps(change)
    def write(part: Part, /, *args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            with part.database.begin_write() as connection:
                return change(part, connection, *args, **kwargs) is not False
        except UserError as problem:
            part.log.say(f"games of visitors are not kept: {problem}")
            return False

    return write
