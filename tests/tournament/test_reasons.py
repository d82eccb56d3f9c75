"""Reasons keep what they say, and lose the names that are hidden."""

from __future__ import annotations

import re

import pytest

from arena.tournament.reasons import SENTENCES, SLOTS, WITHHELD, Sentence, hide_reason

VALUES = {
    "entrant": "ada@a0-b1", "entrants": "and and ada and worker", "count": "51", "size": "50",
    "keys": "17.0, 17.1", "verdict": "timeout", "version": "3fa2b1-c09d7e", "text": "oops",
}  # fmt: skip


@pytest.mark.parametrize("sentence", SENTENCES, ids=str)
def test_a_name_is_replaced_where_it_was_put_and_nowhere_else(sentence: Sentence) -> None:
    """A bot that has the name of a word in a sentence gets no alias there."""
    assert {*VALUES} == {*SLOTS}
    reason = sentence.fill(**VALUES)
    words = {*re.findall(r"\w+", sentence.template), "timeout"} - {"and"}
    assert hide_reason(reason, dict.fromkeys(words - {"worker"}, "bot_7")) == reason
    expected = sentence.fill(**{
        **VALUES, "entrant": "bot_1@a0-b1", "entrants": "bot_2 and bot_1 and bot_3"
    })  # fmt: skip
    assert hide_reason(reason, {"ada": "bot_1", "and": "bot_2", "worker": "bot_3"}) == expected
    assert [other for other in SENTENCES if other.pattern.fullmatch(reason)] == [sentence]


@pytest.mark.parametrize(
    ("reason", "hidden"),
    [
        ("its worker died twice, with worker and mine at the table",
         "its worker died twice, with bot_7 and mine at the table"),
        ("last of 51, on a hill for 50", "last of 51, on a hill for 50"),
        ("it was lost twice, with hill and mine at the table: lost", "it was lost twice, with bot_8 and mine at the table: lost"),
        ("it was lost twice, with mine at the table: no Worker", f"it was lost twice, with mine at the table: {WITHHELD}"),
        ("worker: its worker did not start", WITHHELD),
        ("bots/hill/main.py: no such file", WITHHELD),
        ("WORKER@3fa2b1", WITHHELD),
        ("its workers did not start", "its workers did not start"),
        ("rude worker no longer takes part", WITHHELD),
        ("", ""),
    ],
)  # fmt: skip
def test_a_text_of_anybody_is_withheld_where_it_contains_a_hidden_name(
    reason: str, hidden: str
) -> None:
    """An alias among its words would tell the name, and so would the name."""
    assert hide_reason(reason, {"worker": "bot_7", "hill": "bot_8"}) == hidden
    assert hide_reason(reason, {}) == reason
