"""Bots that spoil the folders that they keep, so that their next match could not be played."""

from __future__ import annotations

import sys

from arena.host import HostConfig, Result, Series, host, parse_entrant
from arena.plugins import build_variant, get_plugins
from arena.rules import End, Fault
from arena.sandbox import Sandbox
from tests.sandbox.attacks.programs.attack import PATIENT, RESOURCES
from tests.sandbox.attacks.programs.scene import scene
from tests.support.programs import ECHO

SPOILS = """
import os, sys
here = os.getcwd()
def deep(levels, name):
    for _ in range(levels):
        os.mkdir(name)
        os.chdir(name)
def spoil():
    {}
for line in sys.stdin:
    if line.startswith("Competition"):
        try:
            spoil()
        except OSError as problem:
            print("TRIED", problem, file=sys.stderr)
        print(line.split()[-1], flush=True)
"""
"""Spoils its folder before each bid."""

REMEMBERS = """
with open("matches", "a") as file:
    file.write("x")
"""
"""Writes a letter for each match into the folder that it keeps."""

SPOILERS = {
    "deep": "deep(200, 'd')",
    "long": "deep(40, 'd' * 255)",
    "many": "[os.mkdir(os.urandom(8).hex()) for _ in range(600)]",
    "large": "[os.truncate(os.open(str(n), os.O_CREAT | os.O_WRONLY), 10 << 20) for n in range(9)]",
    "named": "open('f', 'w'); [os.link('f', os.urandom(8).hex()) for _ in range(600)]",
    "locked": "os.mkdir('in'); os.chmod('in', 0); os.chmod(here, 0)",
    "odd": "os.mkdir(b'\\xff\\n'); os.mkfifo('p'); os.symlink('/etc', 'l'); os.link('p', 'q')",
}
GAMES = 2  # in the second they find what they left


def play_spoilers(tier: str) -> list[str]:
    """Play matches of bots that keep their folders; return what was wrong with the results."""
    with scene() as place:
        bots = place.folder / "attacker"
        (bots / "innocent.py").write_text(REMEMBERS + ECHO)
        for name, text in SPOILERS.items():
            (bots / f"{name}.py").write_text(SPOILS.format(text))
        game, sandbox = get_plugins().find_game("gops"), Sandbox(tier, RESOURCES)
        names = ("innocent", *SPOILERS)
        seated = tuple(
            parse_entrant(game, f"{name}={sys.executable} -I -S {bots / name}.py", sandbox)
            for name in names
        )
        folders = {name: place.folder / "tmp" / "kept" / name for name in names}
        series = Series(game, build_variant(game, {"cards": 2}), seated, "seed")
        faults = [
            fault
            for spec, those in series.iter_matches(GAMES)
            for fault in _find_faults(host(spec, those, HostConfig(PATIENT, folders)))
        ]
        remembered = (folders["innocent"] / "matches").read_text()
        return faults if remembered == "x" * GAMES else [*faults, f"remembered: {remembered}"]


def _find_faults(result: Result) -> list[str]:
    """Say what is wrong with a result: nobody but a spoiler pays for what it has done."""
    found = [f"void: {result.problem}"] if result.outcome.end is End.VOID else []
    for name, verdict in zip(result.spec.names, result.verdicts, strict=True):
        if verdict and (name == "innocent" or verdict.kind is not Fault.CRASHED):
            found.append(f"{name}: {verdict.kind} {verdict.detail}")
        elif verdict and not _says_why(verdict.detail):
            found.append(f"{name}: it is not said why: {verdict.detail}")
    return found


def _says_why(detail: str) -> bool:
    """Return whether a verdict names the folder, or a limit of it."""
    return any(word in detail for word in ("files", "folder"))
