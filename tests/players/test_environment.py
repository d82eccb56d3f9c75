"""A bot gets the same environment, whatever starts it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.players.environment_variables import OWN_VARIABLES
from arena.tournament.executors import MARK_VARIABLE
from tests.support.command import Cli
from tests.support.programs import ECHO, PYTHON
from tests.support.tournaments.folders import entrants

WRITES = (
    "import json, os, sys\njson.dump(dict(os.environ), open(f'{sys.argv[1]}/{os.getpid()}', 'w'))\n"
)
TOURNAMENT = 'game = "gops"\nmatches = 2\nworkers = 1\noptions = { cards = 3 }\ncheck = false\n'
SMALL = ("-o", "cards=3")


def seen(cli: Cli, folder: Path, how: str, **more: str) -> list[Mapping[str, str]]:
    """Have a bot write down its environment; return what it wrote, without the run's own mark."""
    notes = folder / how
    notes.mkdir()
    (folder / "writes.py").write_text(WRITES + ECHO)
    bot = f"{PYTHON[0]} {folder}/writes.py {notes}"
    (folder / f"{how}.toml").write_text(TOURNAMENT + entrants(bot, "match"))
    words = {
        "match": ("match", "gops", bot, "match", *SMALL),
        "check": ("check", "gops", bot, *SMALL, "--quick"),
        "duel": ("duel", "gops", bot, "match", *SMALL, "--pairs", "1", "--workers", "1"),
        "play": ("play", "gops", "--against", bot, *SMALL),
        "tournament": ("tournament", "run", f"{how}.toml"),
    }
    done = cli(*words[how], stdin="1\n2\n3\n", **more)
    assert done.returncode == 0, done.stdout + done.stderr
    written = [json.loads(path.read_text()) for path in notes.iterdir()]
    return [{name: one[name] for name in one if name != MARK_VARIABLE} for one in written]


@pytest.mark.parametrize(
    ("own", "everywhere"),
    [
        ({}, ["check", "duel", "play", "tournament"]),
        ({"OPENBLAS_NUM_THREADS": "3"}, ["tournament"]),
    ],
)
def test_a_bot_has_everywhere_what_it_has_in_a_match(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: Mapping[str, str],
    everywhere: list[str],
) -> None:
    """Neither what the arena sets for itself, nor what hides that a bot does not flush."""
    for name in (
        OWN_VARIABLES,
        "OPENBLAS_NUM_THREADS",
    ):  # other tests in this process may have set them
        monkeypatch.delenv(name, raising=False)
    (match,) = seen(cli, tmp_path, "match", PYTHONUNBUFFERED="1", **own)
    for how in everywhere:
        others = seen(cli, tmp_path, how, PYTHONUNBUFFERED="1", **own)
        assert others
        assert others == [match] * len(others)
    assert "PYTHONUNBUFFERED" not in match
    assert match.get("OPENBLAS_NUM_THREADS") == own.get("OPENBLAS_NUM_THREADS")
    assert match["COLUMNS"] == "200"  # what was the user's is the bot's
