"""The moments that decided a match: what changed, and what would have been better."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from arena.host import play_match
from arena.plugins import get_plugins
from arena.records import Transcript
from arena.rules import UserError
from arena_web.pages.analysis import annotate
from arena_web.pages.moments import (
    MAX_MOMENTS,
    OwnAnswer,
    Review,
    describe_better_answer,
    find_moments,
    find_own_answers,
)
from tests.support.requirements import require_solver

MATCHES = [
    ("gops", "easy", "hard", "medium"),
    ("bs", "liar", "honest", "counter"),
    ("hearts", "careful", "counter", "low"),
    ("briscola", "thrifty", "counter", "random", "counter"),
    ("coup", "bold", "counter", "honest"),
    ("kuhn", "random", "optimal"),
]


def review(transcript: Transcript, seat: int) -> Review:
    """Return the moments of a seat, with what plugins know of the match."""
    game = get_plugins().find_game(transcript.header.game)
    return find_moments(game, transcript, seat, annotate(transcript.text))


def check_better_answers(game: str, own: OwnAnswer) -> None:
    """See that each source of hints names the answer that was given, if it knows anything."""
    for source in get_plugins().list_hint_sources(game):
        try:
            said = describe_better_answer(source, own)
        except UserError:
            continue  # it knows nothing so early in the match
        assert said.startswith(f"You answered {own.say(own.answer)}")


@pytest.mark.parametrize("seated", MATCHES, ids=lambda seated: seated[0])
def test_every_game_has_moments(seated: tuple[str, ...]) -> None:
    """They lead to a question of the seat or to the end of a round, and go with the result."""
    game, *bots = seated
    played = play_match(game, bots, seed="3", options={"deals": 1} if game == "hearts" else {})
    assert played.outcome.scores
    lines = {line.number: line.value for line in played.transcript.lines}
    for seat, score in enumerate(played.outcome.scores):
        found = review(played.transcript, seat)
        assert len(found.moments) <= MAX_MOMENTS
        changes = [abs(moment.after - moment.before) for moment in found.moments]
        assert changes == sorted(changes, reverse=True)
        ahead = score - max(other for at, other in enumerate(played.outcome.scores) if at != seat)
        for moment in found.moments:
            assert moment.span[0] < moment.line <= moment.span[1] + 2
            assert all(lines[own.line]["to"] == seat for own in moment.own)
            assert moment.words
            assert moment.after != moment.before
            assert not ahead or (moment.after - moment.before > 0) == (ahead > 0)
            for own in moment.own:
                check_better_answers(game, own)
    assert any(review(played.transcript, seat).moments for seat in range(len(bots)))


def test_answers_are_called_what_the_buttons_said() -> None:
    """What bets and passes are called at Kuhn poker depends on what was told before, not after."""
    said = set()
    for seed in map(str, range(8)):
        played = play_match("kuhn", ["random", "random"], seed=seed)
        game = get_plugins().find_game("kuhn")
        first, *others = find_own_answers(game, played.transcript, 0)
        said.add((first.say(first.answer), *(own.say(own.answer) for own in others)))
    assert said == {("pass",), ("bet",), ("pass", "call"), ("pass", "fold")}


def test_a_solved_game_has_moments_of_its_expected_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest changes count, with what the seat's answer cost; the other seat's are opposite."""
    require_solver()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    played = play_match("gops", ["ordered", "match"], seed="1", options={"cards": 5})
    notes = annotate(played.transcript.text)
    figures = [0.0, *(note["figure"] for note in notes if "figure" in note)]
    changes = [after - before for before, after in pairwise(figures)]
    first, second = (review(played.transcript, seat) for seat in (0, 1))
    assert first.expected
    assert second.expected
    losing = first if figures[-1] < 0 else second
    assert losing.moments
    found = [moment.before - moment.after for moment in losing.moments]
    worst = sorted((abs(change) for change in changes if change * figures[-1] > 0), reverse=True)
    assert found == pytest.approx(worst[:MAX_MOMENTS])
    assert all(moment.better.startswith("Your ") for moment in losing.moments)
