"""Small variants of any game are solved exactly, for the deals of a sample."""

from __future__ import annotations

import json

import pytest

from arena import UserError
from arena.plugins import build_variant, get_plugins
from arena_openspiel import trees
from arena_openspiel.openspiel_command import run_command
from arena_openspiel.trees import GameTree, measure_exploitability, solve

KUHN = get_plugins().find_game("kuhn")


def build_tree(deals: int = 1000) -> GameTree:
    """Return the tree of Kuhn poker."""
    return GameTree.build(KUHN, build_variant(KUHN, {}), 2, deals, "1")


def test_kuhn_poker_is_solved() -> None:
    """It has six deals and twelve states of knowledge, as the book says; nobody gains by more."""
    tree = build_tree()
    assert len(tree.nodes[-1].children) == 6
    assert len(tree.questions) == 12
    assert solve(tree, 100).exploitability < 0.01


def test_a_bot_is_asked_what_its_seat_knows() -> None:
    """Kuhn's equilibrium can hardly be exploited, chance can."""
    tree = build_tree()
    optimal, random = (
        measure_exploitability(tree, tree.sample_policy(KUHN.bots[name], 200, "1"))
        for name in ("optimal", "random")
    )
    assert optimal < 0.1
    assert random > 0.4


def test_who_is_asked_at_once_knows_nothing_of_the_others() -> None:
    """In GOPS both know the prize alone when they bid, though one answers after the other."""
    gops = get_plugins().find_game("gops")
    tree = GameTree.build(gops, build_variant(gops, {"cards": 2}), 2, 50, "1")
    first = [text for text in tree.questions if "Bids" not in text]
    assert len(first) == 4
    assert {text.partition(": ")[2] for text in first if text[0] == "0"} == {
        text.partition(": ")[2] for text in first if text[0] == "1"
    }


def test_a_large_tree_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what makes it smaller."""
    monkeypatch.setattr(trees, "MAX_NODES", 20)
    with pytest.raises(UserError, match="more than 20 nodes; take fewer"):
        build_tree()


def test_the_commands_print_their_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """`solve` has a line for each state of knowledge, and both say of what sample they are."""
    assert run_command(["solve", "kuhn", "--iterations", "5"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert all(sum(json.loads(line)["answers"].values()) == pytest.approx(1) for line in lines)
    assert last.startswith("Kuhn poker, 2 seats, a sample of 6 different deals: exploitability ")
    assert run_command(["exploit", "kuhn", "careful", "--samples", "50"]) == 0
    assert "exploitability of careful" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["solve", "bs"], "bs lists no actions"),
        (["solve", "kuhn", "--seats", "3"], "kuhn has 2 seats, not 3"),
        (["exploit", "kuhn", "search"], "search: only a bot of this process"),
    ],
)
def test_what_cannot_be_solved_is_a_line(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says why."""
    assert run_command(words) == 2
    assert problem in capsys.readouterr().err
