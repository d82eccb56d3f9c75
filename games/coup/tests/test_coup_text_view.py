"""What people see of Coup, and what they may type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena import Greeting, MalformedLineError, Play, PrivateEvent, Seat
from arena_coup import GAME, Coup, CoupPosition
from arena_coup.rules import AMBASSADOR, ASSASSIN, CAPTAIN, CONTESSA, DUKE

NAMES = ("Ann", "Bob", "Bobby")
START = CoupPosition(
    Coup(),
    ((DUKE, AMBASSADOR), (DUKE, CONTESSA), ()),
    ((), (), (ASSASSIN, ASSASSIN)),
    (2, 1, 0),
    (CAPTAIN, CAPTAIN, ASSASSIN, CONTESSA),
    gone=(2,),
)
TYPED = [(0, "exch"), (1, ""), (0, "ambassador, captain"), (1, "steal ann"), (0, "allow"), (0, "c"),
         (1, "ch"), (0, "Captain"), (1, "duke")]  # fmt: skip


def shown(seat: Seat | None) -> Iterator[str]:
    """Return what a person at a seat, or who watches, sees of two turns."""
    play, view = Play(START, 3, "seed"), GAME.build_view(seat, NAMES)

    def heard() -> Iterator[str]:
        for to, event in play.drain():
            if to in (None, seat):
                yield from view.tell(event)
            elif seat is None:
                yield from view.tell(PrivateEvent(to, event))

    for by, line in TYPED:
        yield from heard()
        question = play.pending[by]
        if by == seat:
            yield from view.ask(question)
            yield f"> {line}"
        play.answer(by, GAME.build_view(by, NAMES).read(question, line))
    for line in heard():
        if not line:  # the next turn
            return
        yield line


def test_what_a_person_sees() -> None:
    """Who does what, one's own cards, and what can be typed."""
    assert [*shown(0)] == [
        "",
        "Turn 1: you",
        "  you     2 coins  ▒ ▒",
        "  Bob     1 coin   ▒ ▒",
        "  Bobby  out       (Assassin and Assassin)",
        "Your cards: Duke and Ambassador",
        "What do you do?",
        "  (income | foreign-aid | tax | exchange | steal Bob)",
        "> exch",
        "You claim the Ambassador: exchange with the court.",
        "You draw Captain and Captain.",
        "Which do you keep? (2)",
        "  (Duke Captain Captain Ambassador)",
        "> ambassador, captain",
        "Your cards: Captain and Ambassador",
        "",
        "Turn 2: Bob",
        "  you     2 coins  Captain Ambassador",
        "  Bob     1 coin   ▒ ▒",
        "  Bobby  out       (Assassin and Assassin)",
        "Bob claims the Captain: steal from you.",
        "Do you challenge Bob's Captain?",
        "  (Enter to allow | challenge)",
        "> allow",
        "Do you block Bob's steal?",
        "  (Enter to allow | Captain | Ambassador)",
        "> c",
        "You claim the Captain, to block.",
        "Bob challenges your Captain.",
        "Which card do you turn up? It is lost, but for the Captain.",
        "  (Captain | Ambassador)",
        "> Captain",
        "You show the Captain, and draw another.",
        "You draw Captain.",
        "Your cards: Captain and Ambassador",
        "Bob loses an influence: Duke.",
        "The steal fails.",
    ]


def test_who_watches_sees_all_cards() -> None:
    """Also those that are drawn in secret."""
    lines = [*shown(None)]
    assert lines[:7] == [
        "",
        "Turn 1: Ann",
        "  Ann     2 coins  Duke Ambassador",
        "  Bob     1 coin   Duke Contessa",
        "Ann claims the Ambassador: exchange with the court.",
        "  (Ann draws Captain and Captain.)",
        "  (Ann holds Captain and Ambassador.)",
    ]


def test_the_rules_are_told_first() -> None:
    """To a person who sits down."""
    greeting = Greeting("coup", 0, 3, Coup(), "seed")
    assert len([*GAME.build_view(0, NAMES).tell(greeting)]) == 3


@pytest.mark.parametrize(("typed", "answer"), [
    ("steal Bob", "steal:1"), ("STEAL  bob", "steal:1"), ("steal Bobb", "steal:2"),
    ("i", "income"), ("t", "tax"),
])  # fmt: skip
def test_what_may_be_typed(typed: str, answer: str) -> None:
    """A name that is the whole of what is typed goes before one that only begins so."""
    assert read(typed) == answer


@pytest.mark.parametrize("typed", ["", "steal", "st", "steal Carl", "coup Bob", "steal:1", "allow"])
def test_what_may_not_be_typed(typed: str) -> None:
    """What is not clear is asked again."""
    with pytest.raises(MalformedLineError):
        read(typed)


def read(typed: str) -> Any:
    """Read an action of Ann's."""
    start = CoupPosition(
        Coup(), ((DUKE,), (DUKE,), (DUKE,)), ((CAPTAIN,),) * 3, (2, 2, 2), (CONTESSA,) * 9
    )
    return GAME.build_view(0, NAMES).read(Play(start, 3, "seed").pending[0], typed)
