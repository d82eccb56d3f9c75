"""A bot whose author lets nobody else read its files: whoever hosts it can play it in a sandbox."""

from __future__ import annotations

import os
import tempfile
from itertools import product
from pathlib import Path

from arena.host import HostConfig, Series, host, parse_entrant
from arena.sandbox import Sandbox
from arena_gops import GAME, Gops
from tests.support.programs import ECHO, LIMITS

BOT_FILE = """
name = "private"
command = "python3 {{folder}}/bot.py"
directory = "{directory}"
{build}
"""
BUILD = "build = \"python3 -c 'open(chr(97), chr(119))'\""


def play_private_bot(tier: str) -> list[str]:
    """Play matches of such a bot, built or not, in its folder or not; return what was wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "private")
        before = os.umask(0o077)
        home.mkdir()
        (home / "data.py").write_text("x = 1\n")
        (home / "bot.py").write_text(f"import data\n{ECHO}")
        os.umask(before)
        for directory, build in product(("empty", "bot"), ("", BUILD)):
            (home / "bot.toml").write_text(BOT_FILE.format(directory=directory, build=build))
            two = (parse_entrant(GAME, str(home), Sandbox(tier)), parse_entrant(GAME, "match"))
            ((spec, seated),) = Series.create(GAME, Gops(3), two, None).iter_matches(1)
            result = host(spec, seated, HostConfig(LIMITS))
            if result.problem or any(result.verdicts):
                wrong.append(f"{directory}, {build}: {result.problem} {result.verdicts}")
    return wrong
