"""The game of `higher`, with something wrong about its board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import evolve

from arena import PrivateEvent, Seat, Zone, ZoneKind
from tests.testing.games.higher import Hand, higher
from tests.testing.games.leaky import MARKED, Marked, Unmarking, UnmarkingNarrator, WithMarks


class Sound:
    """Shows an eye's own hand."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self.hand: tuple[int, ...] = ()

    def tell(self, event: Any) -> None:
        match event:
            case Hand(cards) | PrivateEvent(_, Hand(cards)):
                self.hand = tuple(cards)

    @property
    def zones(self) -> Mapping[str, Zone]:
        return {"hand0": self.zone}

    @property
    def zone(self) -> Zone:
        return Zone(kind=ZoneKind.HAND, title="hand", cards=self.hand)


class Gossiping(Sound):
    """All boards know of the hand that any of them was told of."""

    heard: ClassVar[list[int]] = []

    def tell(self, event: Any) -> None:
        super().tell(event)
        self.heard[:] = self.hand or self.heard

    @property
    def zone(self) -> Zone:
        return Zone(kind=ZoneKind.HAND, title="hand", cards=tuple(self.heard))


class Leaking(Sound):
    """Shows the mark of a hand."""

    def tell(self, event: Any) -> None:
        if isinstance(event, Marked):
            self.hand = (event.mark,)


class Unwritten(Sound):
    """Has cards that JSON does not know."""

    @property
    def zone(self) -> Zone:
        cards: Any = (object(),)
        return Zone(kind=ZoneKind.HAND, title="hand", cards=cards)


class Uneven(Sound):
    """Has more who laid cards than cards."""

    @property
    def zone(self) -> Zone:
        return evolve(super().zone, cards=(1,), seats=(0, 1))


class OfNobody(Sound):
    """Belongs to a seat that there is not."""

    @property
    def zone(self) -> Zone:
        return evolve(super().zone, of=7)


GOSSIPING = higher(board=Gossiping)
LEAKING = higher(
    WithMarks, messages=MARKED, wires={"text": Unmarking}, narrator=UnmarkingNarrator, board=Leaking
)
UNWRITTEN = higher(board=Unwritten)
UNEVEN = higher(board=Uneven)
OF_NOBODY = higher(board=OfNobody)
