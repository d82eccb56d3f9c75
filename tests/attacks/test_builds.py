"""Builds and folders of strangers: a build runs in the sandbox of its bot, and links lead nowhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.host import BadBot, HostConfig, Result, Series, entrant, host
from arena.plugins import plugins, variant
from arena.sandbox import Sandbox
from tests.attacks import reaching, resources
from tests.attacks.attack import PATIENT, PREAMBLE, RESOURCES, Attack
from tests.attacks.scene import CARDS, Scene
from tests.programs import ECHO

OWN = {
    "writes where it may not",
    "hides in its folder",
    "changes, moves and links the host's files",
}
QUIETLY = {"daemonises twice and lingers"}
FIRST = "traces others and takes their descriptors"  # it finds what others leave open
REACHING = sorted(
    (
        one
        for one in (*reaching.FILES, *reaching.SOCKETS, *reaching.PROCESSES, *reaching.ENDINGS)
        if one.name not in OWN
        and (not one.verdict or one.name in QUIETLY)
        and "SIGTERM" not in one.name
    ),
    key=lambda one: one.name != FIRST,
)
USING = [one for one in resources.ATTACKS if "fork" in one.name or "memory over" in one.name
         or one.name == "fills its folder"]  # fmt: skip
NO_MATCH = """
LOOT = []
def bid():
    return False
def say(text):
    LOOT.extend([f"{name}: {text}"] if text.startswith("GOT") else [])
"""
RUN = """
for name, program in PROGRAMS.items():
    exec(program, {**globals()})
raise SystemExit('; '.join(LOOT) or 0)
"""


def build(place: Scene, attacks: Sequence[Attack], tier: str) -> None:
    """Have a bot built whose build attacks, in one way after the other."""
    home = place.folder / "attacker"
    constants = "\n".join(f"{name} = {value!r}" for name, value in place.known.items())
    programs = {attack.name: attack.program for attack in attacks}
    text = f"{constants}\n{PREAMBLE}\n{NO_MATCH}\nPROGRAMS = {programs!r}\n{RUN}"
    (home / "build.py").write_text(text)
    (home / "bot.py").write_text(ECHO)
    (home / "bot.toml").write_text(
        f'name = "evil"\ncommand = "{sys.executable} -I -S bot.py"\n'
        f'build = "{sys.executable} -I -S build.py {place.word}"\n'
    )
    place.look("host", "opponent")
    entrant(plugins().game("gops"), str(home), Sandbox(tier, RESOURCES))


def test_a_build_reaches_nothing_either(place: Scene, tier: str) -> None:
    """It fails at all of that, and is a build like any other."""
    build(place, REACHING, tier)
    place.assert_untouched()


@pytest.mark.parametrize("attack", USING, ids=lambda attack: attack.name)
def test_a_build_has_the_bounds_of_its_bot(place: Scene, attack: Attack, tier: str) -> None:
    """What it has passed is said, and the bot is not built."""
    with pytest.raises(BadBot, match=attack.detail):
        build(place, [attack], tier)
    place.assert_untouched()


def test_a_build_that_is_fine_is_done(place: Scene, tier: str) -> None:
    """It writes to its folder, and its bot plays."""
    build(place, [Attack("writes", "open('made', 'w').write('x')")], tier)
    assert (place.folder / "attacker" / "made").read_text() == "x"
    place.assert_untouched()


@pytest.mark.parametrize("directory", ["empty", "bot"])
def test_a_link_in_a_bots_folder_leads_nowhere(place: Scene, tier: str, directory: str) -> None:
    """To a file of the host's or to its folder, in the folder itself or in a copy of it."""
    home = place.folder / "attacker"
    (home / "file").symlink_to(place.folder / "host" / "results.db")
    (home / "folder").symlink_to(place.folder / "host")
    reads = Attack(
        "reads through links",
        """
here = os.path.dirname(os.path.abspath(sys.argv[0]))
tries("file", read, f"{here}/file")
tries("folder", os.listdir, f"{here}/folder")
tries("in a folder", read, f"{here}/folder/results.db")
tries("writing", lambda: yes(open(f"{here}/file", "ab").write(b"x")))
play()
""",
    )
    (home / "bot.py").write_text(reads.source(place.known))
    (home / "bot.toml").write_text(
        f'name = "evil"\ncommand = "{sys.executable} -I bot.py {place.word}"\n'
        f'directory = "{directory}"\n'
    )
    place.look("host", "opponent", "attacker")
    result = played(str(home), tier)
    assert "TRIED writing" in result.errors[0]
    assert result.verdicts == (None, None)
    place.assert_untouched(result)


def played(bot: str, tier: str, cards: int = CARDS) -> Result:
    """Return how a bot did against one of the house."""
    game, sandbox = plugins().game("gops"), Sandbox(tier, RESOURCES)
    seated = (entrant(game, bot, sandbox), entrant(game, "match"))
    ((spec, _),) = Series(game, variant(game, {"cards": cards}), seated, "seed").matches(1)
    return host(spec, seated, HostConfig(PATIENT))


def test_a_compiled_bot_is_built_and_plays(place: Scene, tier: str, root: Path) -> None:
    """What a linker has made may be run, whoever has made it."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    home = place.folder / "attacker" / "compiled"
    shutil.copytree(root / "examples" / "bots" / "gops-c", home)
    assert played(str(home), tier, cards=13).verdicts == (None, None)
