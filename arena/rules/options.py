"""Options of a question: one of several values, several of some cards, a number, or a text.

Answers come from strangers, so they are never trusted to `==` alone: `True == 1`
and `10.0 == 10`. What `read` gives back is always of the options' own type.
"""

from __future__ import annotations

import re
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from random import Random
from typing import Generic, Protocol, Self, TypeVar

from attrs import field, frozen

from arena.rules.english import describe_number
from arena.rules.errors import GameError

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)

MAX_TEXT_LENGTH = 500  # characters
MAX_NUMBER_BITS = 4000  # bits; Python refuses to write much longer ones
MAX_LIMIT = 2**53 - 1  # the last number up to which programs in all languages read each exactly


class IllegalAnswerError(Exception):
    """An answer that the rules do not allow; the message says why."""


class Options(Protocol[A_co]):
    """The answers that a question allows.

    Wires can write `OneOf`, `SomeOf`, `Between` and `Text`: a game's own derive from one of them.
    """

    def read(self, answer: object) -> A_co:
        """Return the answer to use, or raise IllegalAnswerError with the reason."""

    def draw(self, random: Random) -> A_co:
        """Return a legal answer, drawn with this generator."""


class _ShortRepr(reprlib.Repr):
    """Writes any value in one short line."""

    def repr_int(self, value: int, level: int) -> str:
        """Return a number, or its length if it is long."""
        if value.bit_length() > MAX_NUMBER_BITS:
            return f"a number of {value.bit_length()} bits"
        return super().repr_int(value, level)


_short_repr = _ShortRepr()
_short_repr.maxtuple = _short_repr.maxlist = 60
_short_repr.maxstring = _short_repr.maxother = 80


def abbreviate(value: object) -> str:
    """Return a value for a person, shortened if it is long."""
    text = _short_repr.repr(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}..."


def is_same(left: object, right: object) -> bool:
    """Whether two values are equal and of the same type, all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(is_same, left, right))
    return left == right


UNORDERED_KINDS: tuple[type, ...] = (set, frozenset)
_new_tuple = tuple.__new__  # `super()` would take as long as all else that a `OneOf` costs


def _describe_unordered(kind: str) -> str:
    """Return an error's text on options that are made from a set."""
    return (
        f"{kind} of a set: a set has no order of its own, and which answer is drawn depends on the"
        f" order; write {kind}(sorted(...))"
    )


class OneOf(tuple[A, ...]):
    """Exactly one of these: a tuple of the choices, few enough to list.

    A hand of cards can be its own options.

    >>> OneOf((1, 2, 3)).read(2)
    2
    """

    __slots__ = ()

    def __new__(cls, choices: Iterable[A] = ()) -> Self:
        """Create the options; raise GameError for a set."""
        if type(choices) in UNORDERED_KINDS:
            raise GameError(_describe_unordered(cls.__name__))
        return _new_tuple(cls, choices)

    def read(self, answer: object) -> A:
        """Return the choice that equals the answer, or raise IllegalAnswerError."""
        try:
            option = self[self.index(answer)]
            if option is answer or is_same(option, answer):
                return option
            for option in self:  # 1 may stand before True, which equals it
                if is_same(option, answer):
                    return option
        except Exception:  # noqa: BLE001, S110  # it is not there, or cannot even be compared
            pass
        raise IllegalAnswerError(f"{abbreviate(answer)} is not one of {abbreviate(tuple(self))}")

    def draw(self, random: Random) -> A:
        """Return a random choice."""
        return self[int(random.random() * len(self))]  # three times as fast as `choice`


class OneSeat(OneOf[int]):
    """Exactly one of these seats: programs answer its number, and people the player's name.

    >>> OneSeat((0, 2)).read(2)
    2
    """

    __slots__ = ()


@frozen
class SomeOf(Sequence[tuple[A, ...]], Generic[A]):
    """At least `least` and at most `most` of the `cards`, each once, in any order.

    It lists each choice of cards once (equal cards are not told apart), never the orders in which
    they may be laid, and makes an item only when it is looked at: of 52 cards there are 2^52
    choices.

    >>> two = SomeOf(("AH", "KS", "2C"), 2, 2)
    >>> list(two), two.read(("2C", "AH"))
    ([('AH', 'KS'), ('AH', '2C'), ('KS', '2C')], ('2C', 'AH'))
    """

    cards: tuple[A, ...]
    least: int = 1
    most: int = field()

    @most.default
    def _all(self) -> int:
        return len(self.cards)

    def __attrs_post_init__(self) -> None:
        if type(self.cards) in UNORDERED_KINDS:
            raise GameError(_describe_unordered(type(self).__name__))

    @property
    def sizes(self) -> range:
        """The numbers of cards that may be chosen."""
        return range(self.least, min(self.most, len(self.cards)) + 1)

    def read(self, answer: object) -> tuple[A, ...]:
        """Return the cards in the order given, or raise IllegalAnswerError."""
        if not isinstance(answer, tuple):
            if isinstance(answer, list):  # of a bot in this process: those of JSON are tuples
                raise IllegalAnswerError(f"{abbreviate(answer)} is a list; answer with a tuple")
            raise IllegalAnswerError(f"{abbreviate(answer)} is not a list of cards")
        if len(answer) not in self.sizes:
            raise IllegalAnswerError(f"{len(answer)} cards, not {self.least} to {self.most}")
        hand = OneOf(self.cards)
        taken = tuple(map(hand.read, answer))
        for card in taken:
            if taken.count(card) > self.cards.count(card):
                raise IllegalAnswerError(f"{abbreviate(card)} appears twice")
        return taken

    def draw(self, random: Random) -> tuple[A, ...]:
        """Return a random selection: first the number, then the cards."""
        return tuple(random.sample(self.cards, random.choice(self.sizes)))

    @property
    def _piles(self) -> dict[A, int]:
        """Return each card with its count, since equal cards are not distinguished."""
        return Counter(self.cards)

    @property
    def total(self) -> int:
        """The number of selections, which may exceed what `len` can return."""
        many = tuple(self._piles.values())
        return sum(_count_ways(many, size) for size in self.sizes)

    def __len__(self) -> int:
        return self.total

    def __iter__(self) -> Iterator[tuple[A, ...]]:
        if len(self._piles) < len(self.cards):
            return (self[at] for at in range(self.total))
        return chain.from_iterable(combinations(self.cards, size) for size in self.sizes)

    def __contains__(self, answer: object) -> bool:
        with suppress(IllegalAnswerError):
            self.read(answer)
            return True
        return False

    def __getitem__(self, index: int) -> tuple[A, ...]:  # type: ignore[override]  # no slices
        at = range(self.total)[index]
        piles = self._piles
        many = tuple(piles.values())
        for size in self.sizes:
            if at < _count_ways(many, size):
                return _find_choice(piles, size, at)
            at -= _count_ways(many, size)
        raise IndexError(index)


@lru_cache(maxsize=1 << 14)
def _count_ways(many: tuple[int, ...], size: int) -> int:
    """Return the number of ways to take this many cards from piles of equal cards."""
    if not many or max(many) == 1:
        return comb(len(many), size)
    return sum(_count_ways(many[1:], size - taken) for taken in range(min(many[0], size) + 1))


def _find_choice(piles: dict[A, int], size: int, at: int) -> tuple[A, ...]:
    """Return the selection with this number; those with more of the first card come first."""
    chosen: list[A] = []
    rest = tuple(piles.values())
    for card, many in piles.items():
        rest, wanted = rest[1:], size - len(chosen)
        for taken in range(min(many, wanted), -1, -1):
            ways = _count_ways(rest, wanted - taken)
            if at < ways:
                chosen += [card] * taken
                break
            at -= ways
    return tuple(chosen)


@frozen
class Between(Sequence[int]):
    """A whole number from `low` to `high`, in steps of `step`; `high` becomes the last of them.

    It lists the numbers, and makes each only when it is looked at.

    >>> bid = Between(0, 1_000_000)
    >>> bid.read(250_000), bid[-1]
    (250000, 1000000)
    >>> print(Between(10, 99, 25))
    a whole number from 10 to 85 in steps of 25
    """

    low: int
    high: int
    step: int = 1

    def __attrs_post_init__(self) -> None:
        for number in (self.low, self.high, self.step):
            if type(number) is not int or abs(number) > MAX_LIMIT:
                raise ValueError(
                    f"{self!r}: {abbreviate(number)} is not a whole number"
                    f" from -{MAX_LIMIT} to {MAX_LIMIT}"
                )
        if self.step < 1 or self.low > self.high:
            raise ValueError(f"{self!r} contains no number; its step must be at least 1")
        object.__setattr__(self, "high", self._numbers[-1])

    @property
    def _numbers(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def read(self, answer: object) -> int:
        """Return the number, or raise IllegalAnswerError."""
        if type(answer) is int and answer in self._numbers:
            return answer
        raise IllegalAnswerError(f"{abbreviate(answer)} is not {self}")

    def draw(self, random: Random) -> int:
        """Return a random number."""
        return random.choice(self._numbers)

    def __str__(self) -> str:
        steps = f" in steps of {self.step}" if self.step > 1 else ""
        return f"{describe_number('a whole number', self.low, self.high)}{steps}"

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, answer: object) -> bool:
        return type(answer) is int and answer in self._numbers

    def __getitem__(self, index: int) -> int:  # type: ignore[override]  # no slices
        return self._numbers[index]


@frozen
class Text:
    """A text that matches `pattern` as a whole; `sample` is an example.

    Texts cannot be listed, so a draw gives the sample.
    """

    pattern: str
    sample: str

    def read(self, answer: object) -> str:
        """Return the text, or raise IllegalAnswerError."""
        if isinstance(answer, str) and re.fullmatch(self.pattern, answer):
            return answer
        raise IllegalAnswerError(f"{abbreviate(answer)} does not match {self.pattern}")

    def draw(self, random: Random) -> str:
        """Return the sample."""
        return self.sample


OPTION_KINDS = (OneOf, SomeOf, Between, Text)
"""The kinds of options: all that wires can write and people can be asked."""

OPTIONS_RULE = (
    "write OneOf(...), SomeOf(...), Between(...), Text(...) or a class that derives from one of"
    " these"
)
