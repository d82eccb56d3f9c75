"""Scripts that forks run behind Landlock: they cannot tell, and end as they would otherwise."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from arena.sandbox import LANDLOCK, Resources, Sandbox
from benchmarks.fast_starts import record_matches
from tests.players.test_warm_starts import DIFFERENT, ENDS, LOOKS
from tests.support.sandboxes.plain_starts import list_launchers
from tests.support.sandboxes.warm_bots import PYTHON, Bot, bot, find_fork_server

__all__ = ["bot"]
EXAMPLES = Path(__file__).parents[2] / "examples" / "bots"
MATCHES = 5
LOOKS_ON_STDOUT = (
    LOOKS.partition("with open")[0].replace("socket.socket().family", "socket.AF_UNIX")
    + """
import site, subprocess
seen |= {
    "site": [path.replace(os.getcwd(), "") for path in (site.USER_SITE, site.USER_BASE)],
    "of a child": sorted(subprocess.check_output("env", text=True).replace(os.getcwd(), "").splitlines()),
    "dumpable": os.stat("/proc/self/comm").st_uid == os.getuid(),
}
print(json.dumps(seen))
"""
)
IMPORTS_ALL = r"""
import os, sys, warnings
warnings.simplefilter("ignore")
done = {}
for name in sorted(sys.stdlib_module_names):
    if name in ("antigravity", "this") or "tkinter" in name or name.startswith("_"):
        continue
    try:
        module = __import__(name)
    except BaseException as problem:
        module = repr(problem)[:60]
    done[name] = getattr(module, "__name__", module)
print(done, file=sys.stdout)
print(sorted(sys.modules))
"""


def test_a_script_cannot_tell(bot: Bot) -> None:
    """All that it can look at is the same, but for what is documented."""
    plain, warm = (
        json.loads(said[0]) for said in bot.run_both_ways(LOOKS_ON_STDOUT, "an", "argument")
    )
    for seen in plain, warm:  # each has a folder and a user of its own
        for name in ("HOME", "TMPDIR"):
            assert seen["environment"].pop(name) == seen["folder"]
        del seen["folder"]
    different = {name: (plain[name], warm[name]) for name in plain if plain[name] != warm[name]}
    assert different == DIFFERENT


def test_the_library_can_be_imported(bot: Bot) -> None:
    """As after a plain start: the same modules, and nothing was imported before."""
    plain, warm = bot.run_both_ways(IMPORTS_ALL)
    assert len(plain[0]) > 1000
    assert warm == plain


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_script_ends_as_it_would_otherwise(bot: Bot, text: str) -> None:
    """What it writes, its status and its files are the same, whatever is left to do at its end."""
    plain, warm = bot.run_both_ways(
        f"import os, sys\nname = os.path.join(os.getcwd(), 'file')\n{text}"
    )
    assert warm == plain


UNUSUAL = {
    "an error of syntax": "print(",
    "a warning": "print(1 is 1)",
    "a zero": "print(1)\0",
    "an unknown encoding": "# coding: klingon\nprint(1)",
}


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_an_unusual_script_is_started_plainly(bot: Bot, text: str) -> None:
    """What Python says of it is the same."""
    plain, warm = bot.run_both_ways(text)
    assert warm == plain
    assert plain[0] + plain[1]


def test_an_archive_is_started_plainly(bot: Bot) -> None:
    """Python runs its `__main__`."""
    with zipfile.ZipFile(bot.script, "w") as archive:
        archive.writestr("__main__.py", "print('from an archive')")
    plain, warm = bot.run_both_ways()
    assert plain == warm == (b"from an archive\n", b"", 0, {})


def test_from_the_third_start_on_a_script_is_warm(bot: Bot) -> None:
    """The first two starts are plain, and so are all where nobody asked for warm ones."""
    frames = (
        "import sys\ntry: sys._getframe(1)\nexcept ValueError: print('plain')\nelse: print('warm')"
    )
    assert [bot.run(frames)[0] for _ in range(4)] == [b"plain\n"] * 2 + [b"warm\n"] * 2
    told = [bot.start(frames, resources=Resources()).end()[0] for _ in range(4)]
    assert told == [b"plain\n"] * 4


@pytest.mark.usefixtures("bot")
def test_transcripts_are_the_same_both_ways() -> None:
    """Whole matches of two bots, of which forks have played all but the first two."""
    pair = [str(EXAMPLES / "gops-python")] * 2
    plain = record_matches(pair, MATCHES, Sandbox(LANDLOCK))
    assert not any(map(find_fork_server, list_launchers()))
    assert record_matches(pair, MATCHES, Sandbox(LANDLOCK, Resources(warm_starts=True))) == plain
    assert sum(map(bool, map(find_fork_server, list_launchers()))) == 2


def write(path: Path, text: str = "") -> Path:
    """Write a file of a bot's, and its folder; return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_only_the_hosts_own_interpreters_are_forked(tmp_path: Path) -> None:
    """They are started outside the sandbox: none may be a bot's, nor have its settings from one."""
    script, work = write(tmp_path / "bot" / "bot.py"), tmp_path / "work"
    work.mkdir()
    own = write(tmp_path / "bot" / "python3", "#!/bin/sh")
    link = tmp_path / "bot" / "bin" / "python3"
    link.parent.mkdir()
    link.symlink_to(PYTHON)
    folder = tmp_path / "bot" / "usr"
    folder.symlink_to("/usr/bin")
    through = f"/usr/..{own}"

    def is_warm(*words: str, home: Path | None = None, sandbox: Sandbox | None = None) -> bool:
        given = sandbox or Sandbox(LANDLOCK, Resources(warm_starts=True))
        return given.request(words, work, home)["warm_after"] is not None

    assert is_warm(PYTHON, str(script))
    assert is_warm(PYTHON, str(script), "-x", home=script.parent)
    assert is_warm(sys.executable, str(script))
    for words in (
        (str(own), str(script)), (str(link), str(script)), (through, str(script)),
        (PYTHON,), (PYTHON, "-u", str(script)), (PYTHON, "bot.py"), (PYTHON, "-m", "bot"),
        ("/usr/bin/env", str(script)), ("python3", str(script)),
    ):  # fmt: skip
        assert not is_warm(*words), words
        assert not is_warm(*words, home=script.parent), words
    assert not is_warm(PYTHON, str(script), home=work)  # a build
    assert not is_warm(PYTHON, str(script), sandbox=Sandbox(LANDLOCK))
    namespaces = Sandbox("namespaces", Resources(warm_starts=True))
    assert not is_warm(PYTHON, str(script), sandbox=namespaces)
