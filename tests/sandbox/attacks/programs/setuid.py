"""Bots that leave setuid programs behind, by which another user would become the one who hosts."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from arena.host import HostConfig, Series, host, parse_entrant
from arena.host.player_factories import ProgramFactory
from arena.plugins import AcceptedAnswer, Observer, build_variant, get_plugins
from arena.sandbox import Sandbox
from tests.sandbox.attacks.programs.attack import PATIENT, RESOURCES
from tests.sandbox.attacks.programs.scene import scene
from tests.support.programs import ECHO

MAKE_SETUID = """
import os, shutil, sys
for name, mode in (("program", 0o6755), ("group", 0o2755), ("late", 0o4711)):
    shutil.copyfile("/bin/true", name)
    try:
        os.chmod(name, mode)
    except OSError as problem:
        print(problem, file=sys.stderr)
for mode, path in ((0o2777, "."), (0o755, "..")):
    try:
        os.chmod(path, mode)
    except OSError as problem:
        print(problem, file=sys.stderr)
"""
BOT_FILE = """
name = "setuid"
command = "{python} -I -S bot.py"
build = "{python} -I -S build.py"
"""


def left_by_a_build(tier: str) -> list[str]:
    """Return the setuid programs that a build has left where every user gets to them."""
    with scene() as place:
        home = place.folder / "attacker"
        (home / "bot.toml").write_text(BOT_FILE.format(python=sys.executable))
        (home / "bot.py").write_text(ECHO)
        (home / "build.py").write_text(MAKE_SETUID)
        made = parse_entrant(get_plugins().find_game("gops"), str(home), Sandbox(tier, RESOURCES))
        assert isinstance(made.factory, ProgramFactory)
        assert made.factory.home
        assert (made.factory.home / "program").exists()
        return [*_reachable(place.folder)]


def left_in_a_match(tier: str) -> list[str]:
    """Return those that a bot has while it plays, in its working folder, or in one that it keeps."""
    with scene() as place:
        bot = place.folder / "attacker" / "bot.py"
        bot.write_text(MAKE_SETUID + ECHO)
        game, sandbox = get_plugins().find_game("gops"), Sandbox(tier, RESOURCES)
        seated = (
            parse_entrant(game, f"{sys.executable} -I -S {bot}", sandbox),
            parse_entrant(game, "match"),
        )
        series = Series(game, build_variant(game, {"cards": 3}), seated, "seed")
        ((spec, _),) = series.iter_matches(1)
        witness = Witness(place.folder)
        for folders in ({}, {spec.names[0]: place.folder / "tmp" / "kept" / "bot"}):
            result = host(spec, seated, HostConfig(PATIENT, folders), [witness])
            assert result.verdicts == (None, None), result
        return sorted({*witness.found, *_reachable(place.folder)})


@define
class Witness(Observer):
    """Looks for setuid programs at each answer."""

    folder: Path
    found: set[str] = field(factory=set)

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Look round."""
        self.found |= {*_reachable(self.folder)}


def _reachable(folder: Path) -> Iterator[str]:
    """Yield what every user may start below a public folder as the user or group that hosts."""
    for path in folder.rglob("*"):
        found = path.lstat()
        rights = (found.st_mode & stat.S_ISUID and found.st_uid == os.getuid()) or (
            found.st_mode & stat.S_ISGID and found.st_gid == os.getgid()
        )
        ways = [path, *(above for above in path.parents if above.is_relative_to(folder))]
        if rights and path.is_file() and all(way.stat().st_mode & stat.S_IXOTH for way in ways):
            yield path.name
