"""The journal of a running match: what it keeps is what the transcript has."""

from __future__ import annotations

import json

import pytest

from arena import Bot, MatchSpec
from arena.host import play_series
from arena.host.api import AnyBot
from arena_web.play.match import answer_journal
from arena_web.play.match.answer_journal import AnswerJournal
from arena_web.play.store.table_store import TableStore
from tests.support.web.seat_players import build_setup

KEY = "table"


class Quitter(Bot):
    """Fails at its first question."""

    def answer(self, question: object) -> object:
        """Raise an exception."""
        raise RuntimeError


def play(game: str, *bots: AnyBot) -> tuple[AnswerJournal, list[list[str]], list[str]]:
    """Play a match; return its journal, the asks that are kept, and the transcript's lines."""
    store, journals = TableStore(), list[AnswerJournal]()
    store.tables.add(KEY, "192.0.2.1", build_setup("gops", "easy").to_stored([], [], [], "7"), [])

    def observe(spec: MatchSpec) -> list[AnswerJournal]:
        journals.append(AnswerJournal(spec.game, store, KEY))
        return journals

    (result,) = play_series(game, bots, games=1, seed="1", record=True, observers=observe)
    (journal,) = journals
    return journal, store.tables.list_asks(KEY), result.transcript_text.splitlines()


@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("gops", ("random", "random")),
        ("gops", ("random", Quitter)),
        ("hearts", ("random",) * 4),
        ("coup", ("random",) * 3),
    ],
)
def test_the_asks_have_all_answers_and_verdicts(game: str, bots: tuple[AnyBot, ...]) -> None:
    """They are the lines of the transcript, and each ask ends before the next line to a seat."""
    journal, asks, lines = play(game, *bots)
    over: list[list[str]] = []
    running: list[str] = []
    for line in lines[1:]:
        keys = json.loads(line).keys()
        if keys & {"from", "verdict"}:
            running.append(line)
        elif "to" in keys and running:
            over.append(running)
            running = []
    assert over
    assert asks == over
    assert journal.is_complete


def test_nothing_is_kept_behind_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A match is played on from the first ask that is too long, not from a later one."""
    monkeypatch.setattr(answer_journal, "MAX_ANSWER_BYTES", 1000)
    journal, asks, _ = play("gops", "random", "random")
    assert 0 < sum(len(line) + 1 for ask in asks for line in ask) <= 1000
    assert not journal.is_complete
