"""What people see of BS, and what they may type."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena import Codec, Greeting, MalformedLineError, Play, Question, Seat, SomeOf
from arena.cards import Cards
from arena.wires import AnswerEvent, PrivateEvent
from arena_bs import GAME, Bs, BsPosition
from arena_bs.rules import (
    BS,
    CURRENT_DECLARES,
    DECK,
    OTHERS_DECLARE,
    PASS,
    PEANUT_BUTTER,
    ChooseCards,
    Hand,
    Player,
    build_name_question,
)

NAMES = ("Alice", "Bob", "Charlie")
PLAYERS = tuple(Player(seat, name, 100 + seat) for seat, name in enumerate(NAMES))
HANDS = ("2D 7S AS AH KC", "2H 2C 5S", "9C 3D 3H")
TYPED = [
    (0, "as 2D a♥"), (0, "pb"), (2, ""), (1, "p"),
    (1, "2h 2c"), (0, "b"), (1, ""), (2, "Bull Shit"),
    (2, "9C 3D"), (0, ""), (1, "BS"), (2, ""),
    (0, "KC"), (0, ""), (1, ""), (2, ""),
    (1, "5S"), (0, ""), (1, ""), (2, ""),
]  # fmt: skip


def cards(text: str) -> Cards:
    return tuple(text.split())


def shown(seat: Seat | None, players: tuple[Player, ...] = PLAYERS) -> Iterator[str]:
    """Return what a person at a seat, or who watches, sees of a short game."""
    play = Play(BsPosition(Bs(), players, tuple(map(cards, HANDS)), 0), 3, "seed")
    view = GAME.build_view(seat, NAMES)

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
        answer = play.answer(by, GAME.build_view(by, NAMES).read(question, line))
        if seat is None:
            yield from view.tell(AnswerEvent(by, question, answer))
    yield from heard()
    assert play.over


WATCHED = """\
Rank A: Alice 5, Bob 3, Charlie 3
  Alice lays A♠ 2♦ A♥ and says: 3 x A — a bluff
  Peanut Butter: all are told of the bluff.
Rank 2: Bob 3, Charlie 3, Alice 2; pile 3
  Bob lays 2♥ 2♣ and says: 2 x 2 — the truth
  Alice and Charlie call BS: Charlie takes the pile of 5.
Rank 3: Charlie 8, Alice 2, Bob 1
  Charlie lays 9♣ 3♦ and says: 2 x 3 — a bluff
  Bob calls BS: Charlie takes the pile of 2.
Rank 4: Alice 2, Bob 1, Charlie 8
  Alice lays K♣ and says: 1 x 4 — a bluff
Rank 5: Bob 1, Charlie 8, Alice 1; pile 1
  Bob lays 5♠ and says: 1 x 5 — the truth
  Bob wins."""


def test_who_watches_sees_every_lie() -> None:
    """A turn takes two or three lines: what was laid and claimed, who called, who takes it."""
    assert "\n".join(shown(None)) == WATCHED


PLAYED = """\

Rank A, Alice's turn: Alice 5, you 3, Charlie 3
Your hand: 2♥ 2♣ 5♠
Alice says: 3 x A
What do you say? (Enter to pass, b to call BS)
> p
Nobody calls.
Peanut Butter: Alice lied, and nobody called.

Rank 2, your turn: you 3, Charlie 3, Alice 2; pile 3
Your hand: 2♥ 2♣ 5♠
Which cards do you lay as 2? (such as: 2H 2C)
> 2h 2c
You say: 2 x 2
What do you say? (Enter to pass, pb for Peanut Butter: boast of your lie, if nobody calls)
>\x20
Alice and Charlie call BS.
You had laid 2♥ 2♣: the truth.
Charlie takes the pile of 5.

Rank 3, Charlie's turn: Charlie 8, Alice 2, you 1
Your hand: 5♠
Charlie says: 2 x 3
What do you say? (Enter to pass, b to call BS)
> BS
You call BS.
Charlie had laid 9♣ 3♦: a bluff.
Charlie takes the pile of 2.

Rank 4, Alice's turn: Alice 2, you 1, Charlie 8
Your hand: 5♠
Alice says: 1 x 4
What do you say? (Enter to pass, b to call BS)
>\x20
Nobody calls.

Rank 5, your turn: you 1, Charlie 8, Alice 1; pile 1
Your hand: 5♠
Which cards do you lay as 5? (such as: 5S)
> 5S
You say: 1 x 5
What do you say? (Enter to pass, pb for Peanut Butter: boast of your lie, if nobody calls)
>\x20
Nobody calls.
You win: no cards left!"""


def test_what_a_person_sees() -> None:
    """Each turn the players with their cards, one's own hand, and all that is said."""
    assert "\n".join(shown(1)) == PLAYED


def test_who_takes_the_pile_sees_it() -> None:
    """The cards are named to who takes them, whether for a lie or for a wrong call."""
    lines = list(shown(2))
    assert "Alice and you call BS." in lines
    taken = [line for line in lines if line.startswith("You take")]
    assert taken == ["You take the pile: 2♥ 2♣ A♠ 2♦ A♥", "You take the pile: 9♣ 3♦"]
    assert "You take the pile of 2." not in lines


def test_ones_own_peanut_butter() -> None:
    """Who declared it is told that it worked."""
    assert "Peanut Butter: you lied, and nobody called." in list(shown(0))


def test_a_hand_is_sorted_by_rank() -> None:
    """From the ace to the king, the colours of a rank taking turns."""
    lines = GAME.build_view(0, NAMES).tell(Hand(cards("KC TS 7D AS 7C 2H 7H 7S")))
    assert list(lines) == ["Your hand: A♠ 2♥ 7♠ 7♥ 7♣ 7♦ T♠ K♣"]


def test_the_greeting_tells_a_person_the_rules() -> None:
    """A person is told what to do; who watches is not."""
    greeting = Greeting("bs", 0, 3, Bs(), "")
    assert "get rid of your cards" in next(iter(GAME.build_view(0, NAMES).tell(greeting)))
    assert not list(GAME.build_view(None, NAMES).tell(greeting))


def test_equal_nicknames_are_told_apart() -> None:
    """At a seat by their names, too; who watches sees these alone."""
    players = (PLAYERS[0], *(evolve(player, nickname="Bo") for player in PLAYERS[1:]))
    assert "Rank 2, Bo (Bob)'s turn: Bo (Bob) 3, Bo (Charlie) 3, you 2; pile 3" in list(
        shown(0, players)
    )
    assert list(shown(None, players)) == list(shown(None))


@pytest.mark.parametrize("nickname", ["Charlie", "charlie", "Alice", "you", "You", "champion"])
def test_who_takes_the_name_of_another_is_called_by_its_own(nickname: str) -> None:
    """At a seat nobody passes for who sits there, nor for somebody else, here or elsewhere."""
    players = (PLAYERS[0], evolve(PLAYERS[1], nickname=nickname), PLAYERS[2])
    lines = [*shown(0, players)]
    assert f"Rank 2, {nickname} (Bob)'s turn: {nickname} (Bob) 3, Charlie 3, you 2; pile 3" in lines
    assert "Rank A, your turn: you 5, " + f"{nickname} (Bob) 3, Charlie 3" in lines
    assert list(shown(None, players)) == list(shown(None))


def test_who_watches_learns_the_nicknames() -> None:
    """Where the nickname is not the name, it is said once."""
    view = GAME.build_view(None, NAMES)
    assert list(view.tell(AnswerEvent(0, build_name_question(0, 100), "Ally"))) == [
        "Alice plays as Ally."
    ]
    assert not list(view.tell(AnswerEvent(0, build_name_question(0, 100), "Alice")))


def test_who_watches_is_not_bothered_with_hands() -> None:
    """What is told to a single seat is left out."""
    assert not list(GAME.build_view(None, NAMES).tell(PrivateEvent(0, Hand(cards("AS")))))


LAY = ChooseCards(SomeOf(cards("7H 7D TC AS")), "7", default=cards("7H 7D"))
VIEW: Codec = GAME.build_view(0, NAMES)


@pytest.mark.parametrize(
    "line", ["7H TC", "7h tc", "7♥ T♣", "7♥\N{VARIATION SELECTOR-16} 10c", " 7h,  10♣ ", "7H, TC"]
)
def test_cards_may_be_typed_in_many_ways(line: str) -> None:
    """Letters of any case or symbols; the order is kept."""
    assert VIEW.read(LAY, line) == ("7H", "TC")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "at least one"), ("7S", "do not hold 7♠"), ("7H 7h", "you can lay 7♥ only once"),
        ("7", "not a card"), ("7X", "not a card"), ("1H", "not a card"), ("7H7D", "not a card"), ("pass", "not a card"),
    ],
)  # fmt: skip
def test_what_cannot_be_laid_is_refused_kindly(line: str, reason: str) -> None:
    """The reason says what to do about it."""
    with pytest.raises(MalformedLineError, match=reason):
        VIEW.read(LAY, line)


@pytest.mark.parametrize(
    ("question", "line", "word"),
    [
        (OTHERS_DECLARE, "", PASS), (OTHERS_DECLARE, "p", PASS), (OTHERS_DECLARE, "PASS", PASS),
        (OTHERS_DECLARE, "b", BS), (OTHERS_DECLARE, "bs", BS), (OTHERS_DECLARE, "Bacon Sandwich", BS),
        (CURRENT_DECLARES, "", PASS), (CURRENT_DECLARES, "p", PASS),
        (CURRENT_DECLARES, "PB", PEANUT_BUTTER), (CURRENT_DECLARES, "Peanut Butter", PEANUT_BUTTER),
    ],
)  # fmt: skip
def test_declarations_have_keys(question: Question[str], line: str, word: str) -> None:
    """Enter passes; b and pb are enough, and the published words are good, too."""
    assert VIEW.read(question, line) == word


@pytest.mark.parametrize(
    ("question", "line", "hint"),
    [
        (OTHERS_DECLARE, "pb", "b to call BS"),
        (OTHERS_DECLARE, "x", "b to call BS"),
        (CURRENT_DECLARES, "b", "pb for"),
    ],
)
def test_what_is_no_declaration_is_refused_kindly(
    question: Question[str], line: str, hint: str
) -> None:
    """The reason says which keys there are."""
    with pytest.raises(MalformedLineError, match=hint):
        VIEW.read(question, line)


def test_a_person_chooses_a_name() -> None:
    """Enter takes the default, and a name that cannot be is refused kindly."""
    question = build_name_question(2, 100)
    assert list(VIEW.ask(question)) == ["What is your name at this table? (Enter: player_2)"]
    assert VIEW.read(question, "") == "player_2"
    assert VIEW.read(question, "Ann_1") == "Ann_1"
    for line in ("Ann Bee", "x" * 33, "Änn"):
        with pytest.raises(MalformedLineError, match="letters, digits"):
            VIEW.read(question, line)


@given(st.lists(st.sampled_from(DECK), min_size=1, unique=True).map(tuple), st.integers())
def test_what_is_shown_as_typed_can_be_typed(hand: Cards, seed: int) -> None:
    """A replay shows answers as the view reads them."""
    lay = ChooseCards(SomeOf(hand), "A", default=hand)
    laid = lay.options.draw(Random(seed))
    answers: list[tuple[Question[Any], Any]] = [
        (lay, laid),
        (OTHERS_DECLARE, PASS),
        (OTHERS_DECLARE, BS),
    ]
    answers += [(CURRENT_DECLARES, PASS), (CURRENT_DECLARES, PEANUT_BUTTER)]
    for question, answer in answers:
        assert VIEW.read(question, VIEW.say(question, answer)) == answer


@given(st.text(max_size=12))
def test_anything_may_be_typed(line: str) -> None:
    """Whatever it is, it is an answer or is refused; nothing else can happen."""
    for question in (LAY, OTHERS_DECLARE, CURRENT_DECLARES, build_name_question(0, 1)):
        try:
            read: Any = VIEW.read(question, line)
        except MalformedLineError:
            continue
        assert question.options.read(read) == read


@pytest.mark.parametrize(("line", "answer"), [("AS AH", PASS), ("AS 2D", None), ("KC", None)])
def test_who_told_the_truth_need_not_say_more(line: str, answer: str | None) -> None:
    """Peanut Butter is asked of who has lied, and BS of everybody."""
    view: Any = GAME.build_view(0, NAMES)
    view.read(ChooseCards(SomeOf(cards(HANDS[0])), "A"), line)
    assert view.find_forced_answer(CURRENT_DECLARES) == answer
    assert view.find_forced_answer(OTHERS_DECLARE) is None
