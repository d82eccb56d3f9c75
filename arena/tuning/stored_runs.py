"""Finding the databases of tuning runs, and reading them for whoever looks at a run."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import evolve

from arena.rules import UserError
from arena.tuning.plan import RunDescription
from arena.tuning.run import read_stored_run
from arena.tuning.summary import TuningSummary, summarize
from arena.tuning.trial_store import TrialStore
from arena.tuning.tune_file import SUFFIX, find_database
from arena.wires import read_toml, to_printable

DATABASE_SUFFIX, DATA_SUFFIX = ".db", ".arena"
FOLDERS = re.compile(r"""[^=,:"]*/""")


def find_tuning_databases(path: Path) -> list[Path]:
    """Return the databases that a tune file, a database, or a folder with some stands for.

    There are none where it is something else, such as a tournament.
    """
    if path.suffix == DATA_SUFFIX:
        found = [path.with_suffix(DATABASE_SUFFIX)]
    elif path.is_dir():
        found = sorted(path.glob(f"*{DATABASE_SUFFIX}"))
    elif path.suffix == SUFFIX:
        return [find_database(path)] if _is_tune_file(path) else []
    else:
        found = [path]
    return [database for database in found if _has_run(database)]


def read_tuning_summary(database: Path, *, public: bool = False) -> TuningSummary:
    """Read what a run has come to, in `public` without the folders of its bots.

    It is computed again from all matches, which takes seconds. Raises UserError.
    """
    run, state = read_stored_run(database)
    return summarize(_hide_folders(run) if public else run, state)


def hide_folders(bot: str) -> str:
    """Return the name of a bot without folders of this machine.

    >>> hide_folders("../my bots/riser.py:Riser:book=/srv/book.txt,more=1")
    'riser.py:Riser:book=book.txt,more=1'
    """
    return to_printable(FOLDERS.sub("", bot))


def _hide_folders(run: RunDescription) -> RunDescription:
    return evolve(run, bot=hide_folders(run.bot), opponents=tuple(map(hide_folders, run.opponents)))


def _is_tune_file(path: Path) -> bool:
    try:
        return "bot" in read_toml(path)
    except (OSError, ValueError):  # whoever else reads it says what is wrong with it
        return False


def _has_run(database: Path) -> bool:
    try:
        TrialStore.open(str(database), write=False).close()
    except UserError:
        return False
    return True
