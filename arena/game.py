"""What a plugin brings: a game, in one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import Factory, field, fields, frozen

from arena.codec import Codec
from arena.converter import converter, read
from arena.jsonlines import JsonLines, Vocabulary
from arena.mind import Bot
from arena.play import Variant
from arena.table import Seat
from arena.view import Describe, PlainView

JSON = "json"


def plainly(message: Any, names: Sequence[str]) -> str:  # noqa: ARG001
    """Say an event or a question by its class and its fields."""
    shown = [
        f"{name.name} {getattr(message, name.name)!r}"
        for name in fields(type(message))
        if name.name not in ("options", "default")
    ]
    return " ".join([f"{type(message).__name__}:", ", ".join(shown)]).rstrip(": ")


@frozen
class Situation:
    """A hard corner of a game, which `arena check` brings a bot into.

    `name` says what happens there; `others` make the bots of all seats but `seat`, where
    the checked bot sits, in seat order. `options` are parameters that the situation needs,
    whatever variant is checked; `seed` is that of the deal.
    """

    name: str
    others: Sequence[Callable[[], Bot]]
    seat: Seat = 0
    options: Mapping[str, Any] = Factory(dict)
    seed: str = "situation"


@frozen(kw_only=True)
class Game:
    """A game: its name, rules, seats, wires, views and bots.

    `messages` lists every event and question class, which gives the game JSON lines;
    `wires` are text protocols by name, the first of them what its programs speak unless
    told otherwise; `view` makes lines for people at a seat (None: who watches), and
    `describe` serves the generic view where there is none; `demo` names the bots that
    `arena demo` shows it with; `deals_hands` says that chance gives each seat what the
    others do not have, so that a tournament plays every deal with everybody in every seat;
    `reveals` lists the events by which the rules bring to light what was hidden, such as a
    showdown or a card that is drawn: up to them nobody can tell what is hidden.

    For machines that learn, `actions` lists all answers that are ever legal in a variant
    with so many seats, in a fixed order, and `encode` gives what a seat was told, the
    greeting first, as figures from 0 to 1, always as many in a variant.
    """

    name: str
    summary: str
    variant: type
    seats: range
    messages: tuple[type, ...]
    wires: Mapping[str, Callable[[Seat], Codec]] = Factory(dict)
    view: Callable[[Seat | None, Sequence[str]], Codec] | None = None
    describe: Describe = plainly
    bots: Mapping[str, type[Bot]] = Factory(dict)
    demo: Sequence[str] = ()
    situations: Sequence[Situation] = ()
    deals_hands: bool = False
    reveals: tuple[type, ...] = ()
    actions: Callable[[Any, int], Sequence[Any]] | None = None
    encode: Callable[[Sequence[Any]], Sequence[float]] | None = None
    vocabulary: Vocabulary = field(init=False)

    @vocabulary.default
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary.of(*self.messages)

    @property
    def protocols(self) -> tuple[str, ...]:
        """Give the names of the wires; the first is the one that programs speak."""
        return (*self.wires, JSON)

    def wire(self, protocol: str | None, seat: Seat) -> Codec:
        """Give a seat's codec: the named one, or that which programs speak."""
        protocol = protocol or self.protocols[0]
        if protocol == JSON:
            return JsonLines(self.vocabulary)
        return self.wires[protocol](seat)

    def view_for(self, seat: Seat | None, names: Sequence[str]) -> Codec:
        """Give the lines for a person at this seat, or for one who watches."""
        if self.view:
            return self.view(seat, names)
        return PlainView(self.describe, names)

    def read_variant(self, options: Mapping[str, Any]) -> Variant:
        """Make the variant of these parameters; raise ValueError that says all that is wrong."""
        variant: Variant = read(options, self.variant)
        return variant

    def write_variant(self, variant: Variant) -> dict[str, Any]:
        """Give a variant's parameters as what `json` can write."""
        packed: dict[str, Any] = converter.unstructure(variant)
        return packed
