"""Builds and folders of strangers: a build runs in the sandbox of its bot, and links lead nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from arena.host import BotError, Entrant, HostConfig, Result, Series, host, parse_entrant
from arena.host.player_factories import ProgramFactory
from arena.plugins import build_variant, get_plugins
from arena.rules import UserError
from arena.sandbox import Sandbox
from tests.sandbox.attacks.programs import calls, reaching, resources
from tests.sandbox.attacks.programs.attack import PATIENT, PREAMBLE, RESOURCES, Attack
from tests.sandbox.attacks.programs.scene import CARDS, Scene
from tests.sandbox.attacks.programs.setuid import left_by_a_build, left_in_a_match
from tests.support.programs import ECHO
from tests.support.requirements import explain_missing

AUTHOR = 20_322  # nobody in particular
MOVES = f"""
import ctypes, os, sys
os.setgroups([])
os.setgid({AUTHOR})
os.setuid({AUTHOR})
os.chdir(sys.argv[1])
libc = ctypes.CDLL(None)
notices = libc.inotify_init()
libc.inotify_add_watch(notices, b"tree/bot.toml", 0x10)  # when a reader has closed it
print("watches", flush=True)
os.read(notices, 4096)
os.rename("tree", "moved")
os.symlink(sys.argv[2], "tree")
print("moved", flush=True)
"""
"""Puts a link in place of a folder as soon as the host has read its bot.toml."""

OWN = {
    "writes where it may not",
    "hides in its folder",
    "changes, moves and links the host's files",
    "stops those that are to stop it",  # also the processes of the attacks that come after it
}
QUIETLY = {"daemonises twice and lingers"}
FIRST = "traces others and takes their descriptors"  # it finds what others leave open
REACHING = sorted(
    (
        attack
        for attack in (
            *reaching.FILES,
            *reaching.SOCKETS,
            *reaching.PROCESSES,
            *reaching.ENDINGS,
            *calls.ATTACKS,
        )
        if attack.name not in OWN
        and (not attack.verdict or attack.name in QUIETLY)
        and "SIGTERM" not in attack.name
    ),
    key=lambda attack: attack.name != FIRST,
)
USING = [attack for attack in resources.ATTACKS if "fork" in attack.name or "memory over" in attack.name
         or attack.name == "fills its folder"]  # fmt: skip
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


def build(place: Scene, attacks: Sequence[Attack], tier: str) -> Entrant:
    """Return a bot whose build attacks, in one way after the other."""
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
    return parse_entrant(get_plugins().find_game("gops"), str(home), Sandbox(tier, RESOURCES))


def test_a_build_reaches_nothing_either(place: Scene, tier: str) -> None:
    """It fails at all of that, and is a build like any other."""
    build(place, REACHING, tier)
    place.assert_untouched()


@pytest.mark.each("attack", "tier")
@pytest.mark.parametrize("attack", USING, ids=lambda attack: attack.name)
def test_a_build_has_the_bounds_of_its_bot(place: Scene, attack: Attack, tier: str) -> None:
    """What it has passed is said, and the bot is not built."""
    with pytest.raises(BotError, match=attack.detail):
        build(place, [attack], tier)
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
    game, sandbox = get_plugins().find_game("gops"), Sandbox(tier, RESOURCES)
    seated = (parse_entrant(game, bot, sandbox), parse_entrant(game, "match"))
    ((spec, _),) = Series(game, build_variant(game, {"cards": cards}), seated, "seed").iter_matches(
        1
    )
    return host(spec, seated, HostConfig(PATIENT))


def test_a_compiled_bot_is_built_and_plays(place: Scene, tier: str, root: Path) -> None:
    """What a linker has made may be run, whoever has made it."""
    if not shutil.which("cc"):
        pytest.skip(explain_missing("cc"))
    home = place.folder / "attacker" / "compiled"
    shutil.copytree(root / "examples" / "bots" / "gops-c", home)
    assert played(str(home), tier, cards=13).verdicts == (None, None)


def test_no_bot_leaves_setuid_programs(tier: str) -> None:
    """Neither its build nor its match has one that another user could start."""
    assert (left_by_a_build(tier), left_in_a_match(tier)) == ([], [])


def test_an_author_who_moves_the_folder_meanwhile_gains_nothing(place: Scene, tier: str) -> None:
    """A link in its place gives away neither what root's files hold nor whose they are."""
    if os.getuid() != 0:
        pytest.skip("only root has what its authors have not")
    own, precious = place.folder / "attacker", place.folder / "precious"
    for folder, text in ((own / "tree", ""), (precious, place.secret)):
        folder.mkdir()
        (folder / "bot.py").write_text(f"{ECHO}# {text}")
    (own / "tree" / "bot.toml").write_text(
        'name = "moves"\ncommand = "python3 bot.py"\nbuild = "true"\n'
    )
    os.chown(own, AUTHOR, AUTHOR)
    place.look("precious")
    words = [sys.executable, "-I", "-S", "-c", MOVES, str(own), str(precious)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as author:
        assert author.stdout
        author.stdout.readline()
        with suppress(UserError):
            assert place.secret not in _text_of_copy(own / "tree", tier)
        assert author.stdout.readline() == b"moved\n"
    place.assert_untouched()


def _text_of_copy(folder: Path, tier: str) -> str:
    """Return all that is in the copy from which a bot is played."""
    made = parse_entrant(get_plugins().find_game("gops"), str(folder), Sandbox(tier)).factory
    assert isinstance(made, ProgramFactory)
    assert made.home
    return "".join(path.read_text() for path in made.home.iterdir())
