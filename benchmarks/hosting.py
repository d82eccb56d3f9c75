"""What programs, standings from Python and a site cost, beside the least that they could."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.million import fill_database
from benchmarks.ratios import ARENA, BARE, Ratio, measure_command

BOT = Path(__file__).parent.parent / "examples" / "bots" / "gops-python" / "bot.py"
BARE_STARTS = 10
RANKED = 300
SCRIPT = """
import sys
from pathlib import Path

from arena.tournament.results.summary import Summary
from arena.tournament.store import Store

with Store.open(Path(sys.argv[1]), write=False) as store:
    assert Summary.of(store).standings
"""
ENTRANTS = 40
SITE_MATCHES = 200
HILL = f"""
game = "gops"
matches = {SITE_MATCHES}
seed = "1"
workers = 1
check = false
transcripts = "all"
"""


def measure_programs(matches: int = 100) -> list[Ratio]:
    """Return the cost of a match of two trusted Python programs, in bare starts."""
    bot = f"{sys.executable} {BOT}"
    line = (ARENA, "match", "gops", bot, bot, "--json", "--games")
    few, many = (measure_command(*line, str(games)) for games in (10, 10 + matches))
    bare = median(measure_command(*BARE) for _ in range(BARE_STARTS))
    return [
        Ratio(
            "a match of two trusted Python programs / a bare interpreter",
            (many - few) / matches / bare,
        )
    ]


def measure_script(store: Path) -> list[Ratio]:
    """Return the cost of standings from Python, beside those that are computed in one thread."""
    line = (sys.executable, "-c", SCRIPT, str(store))
    many = measure_command(*line)
    return [
        Ratio(
            f"standings of {RANKED} from Python / the same with OPENBLAS_NUM_THREADS=1",
            many / measure_command(*line, OPENBLAS_NUM_THREADS="1"),
        )
    ]


def measure_site() -> list[Ratio]:
    """Return the cost of a site beside that of the tournament that it shows."""
    entrants = (f'[[entrant]]\nname = "bot{n}"\nbot = "random"\n' for n in range(ENTRANTS))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hill.toml"
        path.write_text(HILL + "".join(entrants))
        played = measure_command(ARENA, "tournament", "run", str(path))
        site = measure_command(ARENA, "site", str(path), str(Path(folder) / "site"))
    return [
        Ratio(
            f"arena site of {ENTRANTS} entrants, {SITE_MATCHES} matches / playing them",
            site / played,
        )
    ]


def prepare(folder: Path) -> Callable[[], list[Ratio]]:
    """Fill the database that is ranked; return what measures one turn."""
    store = folder / "ranked.db"
    fill_database(store, 20 * RANKED, RANKED)
    return lambda: [*measure_programs(), *measure_script(store), *measure_site()]
