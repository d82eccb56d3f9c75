"""The answers of a game as sums of parts, and the probabilities of the allowed ones in rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from arena import Question
from arena_pettingzoo.encodings import Actions, GameSetup, Rename
from arena_pettingzoo.learned_bot import list_parts

Numbers = NDArray[np.int64]
MAX_CACHED = 100_000


@define(eq=False)
class AnswerParts:
    """The parts of all answers of a game; what is no part has the number behind the last one."""

    parts: Sequence[str]  #: their names
    splits: bool  #: whether a selection is the sum of what it selects
    width: int  #: the most parts of an answer
    _numbers: dict[str, int] = field(init=False)
    _known: dict[Any, Numbers] = field(init=False, factory=dict)
    _selected: dict[Any, int] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._numbers = {part: number for number, part in enumerate(self.parts)}

    @classmethod
    def of(cls, setup: GameSetup) -> Self:
        """Find the parts of a game's answers.

        Selections are split unless two of them would then be alike, as those of an order are.
        """
        actions = Actions.of(setup.game, setup.variant, setup.seats)
        answers = [*actions]
        lists = [list_parts(answer, splits=True) for answer in answers]
        splits = len({tuple(sorted(some)) for some in lists}) == len(answers)
        if not splits:
            lists = [list_parts(answer, splits=False) for answer in answers]
        parts = [*dict.fromkeys(part for some in lists for part in some)]
        return cls(parts, splits, max(map(len, lists)))

    def list_rows(self, question: Question[Any], rename: Rename | None = None) -> Numbers:
        """Return the numbers of the parts of each allowed answer, a row for each.

        `rename` says what the encoder of the seat calls an answer.
        """
        options: Any = question.options
        if rename:
            return self._build_rows([*map(rename, options)])
        try:
            key = type(question), options
            rows = self._known.get(key)
        except TypeError:  # options without a hash
            return self._build_rows(options)
        if rows is None:
            rows = self._build_rows(options)
            if len(self._known) < MAX_CACHED and len(rows) < len(self.parts):
                self._known[key] = rows
        return rows

    def _build_rows(self, options: Any) -> Numbers:
        return np.array([self._list_numbers(answer) for answer in options], np.int64)

    def _list_numbers(self, answer: Any) -> list[int]:
        """Return the numbers of an answer's parts, and then those of no part."""
        if self.splits and isinstance(answer, tuple) and answer:
            numbers = [self._find_selected(part) for part in answer]
        else:
            numbers = [self._numbers[part] for part in list_parts(answer, splits=self.splits)]
        return numbers + [len(self.parts)] * (self.width - len(numbers))

    def _find_selected(self, part: Any) -> int:
        """Return the number of something that is selected; there are many selections of few."""
        key = type(part), part
        number = self._selected.get(key)
        if number is None:
            (name,) = list_parts((part,), splits=True)
            number = self._selected[key] = self._numbers[name]
        return number


@define(eq=False)
class AllowedAnswers:
    """The allowed answers of several questions, one below the other."""

    rows: Numbers  #: the parts of each answer
    counts: Numbers  #: how many answers each question has
    starts: Numbers = field(init=False)  #: the first answer of each question
    owners: Numbers = field(init=False)  #: the question of each answer

    def __attrs_post_init__(self) -> None:
        self.starts = np.cumsum(self.counts) - self.counts
        self.owners = np.repeat(np.arange(len(self.counts)), self.counts)

    @classmethod
    def join(cls, rows: Sequence[Numbers]) -> Self:
        """Put those of each question one below the other."""
        return cls(np.concatenate(rows), np.array([len(some) for some in rows]))

    def select(self, questions: Numbers) -> Self:
        """Return those of some questions."""
        counts = self.counts[questions]
        shifts = np.repeat(self.starts[questions] - (np.cumsum(counts) - counts), counts)
        return type(self)(self.rows[shifts + np.arange(int(counts.sum()))], counts)

    def compute_logarithms(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """Return the logarithm of each answer's probability, given outputs for all parts."""
        padded = np.concatenate([outputs, np.zeros((len(outputs), 1), outputs.dtype)], 1)
        figures = padded[self.owners[:, None], self.rows].sum(1)
        figures -= np.maximum.reduceat(figures, self.starts)[self.owners]
        sums = np.add.reduceat(np.exp(figures), self.starts)
        result: NDArray[Any] = figures - np.log(sums)[self.owners]
        return result

    def draw(self, logarithms: NDArray[Any], random: np.random.Generator) -> Numbers:
        """Draw an answer of each question; return its number among those of the question."""
        heights = np.cumsum(np.exp(logarithms.astype(float)))
        ends = heights[self.starts + self.counts - 1]
        bases = np.concatenate([[0.0], ends[:-1]])
        wanted = bases + random.random(len(self.counts)) * (ends - bases)
        found = np.searchsorted(heights, wanted, side="right") - self.starts
        result: Numbers = np.clip(found, 0, self.counts - 1)
        return result

    def sum_by_part(self, figures: NDArray[Any], parts: int) -> NDArray[np.float32]:
        """Return for each question the sums of its answers' figures by their parts."""
        width = parts + 1
        places = (self.owners[:, None] * width + self.rows).ravel()
        sums = np.bincount(places, np.repeat(figures, self.rows.shape[1]), len(self.counts) * width)
        return sums.reshape(-1, width)[:, :parts].astype(np.float32)
