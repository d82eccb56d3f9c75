"""The journal of a running match with people: each ask is kept as soon as it is over.

An ask is kept as the lines of the transcript that have its answers and verdicts, from which the
host plays the match on (`arena.host.PastAsk`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena import Observer, Seat, Verdict
from arena.plugins import AcceptedAnswer, Game
from arena.records import pack_answer, pack_verdict_line
from arena.rules import Question
from arena.wires import dump
from arena_web.play.store.table_store import TableStore

MAX_ANSWER_BYTES = 1_000_000  # of a running match, some 13,000 answers: from there it is played on


class AnswerJournal(Observer):
    """Keeps the asks of a match in the store, up to the first one that cannot be kept.

    An ask is over when a seat is told or asked something again, or need not answer any more.
    """

    def __init__(self, game: Game, store: TableStore, key: str) -> None:
        self._game, self._store, self._key = game, store, key
        self.is_complete = True  #: whether all asks are kept that are over
        self._lines: list[str] = []  # of the open ask
        self._asks = self._bytes = 0

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Keep the ask before, which the event follows."""
        self._keep_ask()

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Keep the ask before these questions."""
        self._keep_ask()

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Add an answer to the open ask."""
        self._add(pack_answer(answer))

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Keep the ask, which its first answer has ended."""
        self._keep_ask()

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Add a verdict to the open ask."""
        self._add(pack_verdict_line(self._game, seat, verdict))

    def _add(self, line: Mapping[str, Any]) -> None:
        self._lines.append(dump(line) + "\n")

    def _keep_ask(self) -> None:
        """Keep the ask that was answered last, unless that is done."""
        if not self._lines:
            return
        self._bytes += sum(map(len, self._lines))
        fits = self._bytes <= MAX_ANSWER_BYTES
        self.is_complete = fits and self._store.tables.add_ask(self._key, self._asks, self._lines)
        self._lines, self._asks = [], self._asks + 1
