"""Matches of programs that forks run go as if each had been started plainly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.players.starters import WARM_AFTER, WARM_STARTS, ProgramStarter
from benchmarks.fast_starts import record_matches
from tests.support.requirements import require

EXAMPLES = Path(__file__).parents[2] / "examples" / "bots"
MATCHES = WARM_AFTER + 3
FAILS_LATE = """
import sys
for line in sys.stdin:
    if line.startswith("Competition"):
        number = int(line.split()[-1])
        print("thinks", file=sys.stderr, flush=True)
        print({} if number > 7 else number, flush=True)
"""
FAILURES = {
    "an exception": FAILS_LATE.format("[][number]"),
    "an exit": FAILS_LATE.format("sys.exit('enough')"),
    "nonsense": FAILS_LATE.format("'nonsense'"),
    "a card that is gone": FAILS_LATE.format("1"),
}


def check_both_ways(bots: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the same matches warm and plainly; they have to be the same but for times."""
    forks: list[int] = []
    fork = ProgramStarter.fork

    def count_forks(starter: ProgramStarter, *words: Any) -> int:
        forks.append(fork(starter, *words))
        return forks[-1]

    monkeypatch.setattr(ProgramStarter, "fork", count_forks)
    warm = record_matches(bots, MATCHES)
    assert len(forks) >= MATCHES - WARM_AFTER
    assert all(forks)
    forks.clear()
    monkeypatch.setenv(WARM_STARTS, "0")
    assert record_matches(bots, MATCHES) == warm
    assert len({*warm}) == MATCHES
    assert not forks


@pytest.mark.parametrize("languages", [("python", "python"), ("python", "bash")])
def test_transcripts_are_the_same_both_ways(
    languages: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that play as they should."""
    require(*[language for language in languages if language != "python"])
    check_both_ways([str(EXAMPLES / f"gops-{language}") for language in languages], monkeypatch)


@pytest.mark.parametrize("text", FAILURES.values(), ids=FAILURES)
def test_verdicts_are_the_same_both_ways(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that fail amid a match, with what they wrote to standard error."""
    (tmp_path / "fails.py").write_text(text)
    bots = [f"fails={sys.executable} {tmp_path / 'fails.py'}", str(EXAMPLES / "gops-python")]
    check_both_ways(bots, monkeypatch)
