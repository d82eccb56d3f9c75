"""What a host does with a hill on a bare machine, and what may happen to it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from release.machine import image
from release.machine.attacks import (
    UNIT,
    attack_as_root,
    attack_as_service,
    attack_with_landlock,
    play_crowd,
    play_innocents,
)
from release.machine.packages import build_packages
from release.machine.page import read_commands, read_file
from release.machine.rehearsal import Rehearsal, Step
from release.machine.service import HOME, NAME, HillAccess
from release.machine.wheels import ROOT, WHEELS
from tests.support.hill.bots import ATTACKS, attack_code
from tests.support.hill.hill_folders import bot

BOTS = ROOT / "examples" / "bots"
LANGUAGES = ("bash", "c", "node", "python", "ruby")  # what the page installs
MATCHES = 200
SHARE = 60  # of each version, so that there are as many matches
MOVE_SECONDS = 15.0  # where it is emulated, node may start in ten seconds
PARTS = ("coordinator", "judge", "web")
RUNNING = f"systemctl show --property=MainPID --value {NAME}"


def build(rehearsal: Rehearsal) -> None:
    """Build a machine from nothing, and boot it."""
    rehearsal.guest.stop()
    image.build(rehearsal.guest.folder)
    rehearsal.guest.boot(fresh=True)
    kernel = (
        "uname -r; python3 --version; systemctl --version | head -1; stat -fc %T /sys/fs/cgroup"
    )
    rehearsal.say(", ".join(rehearsal.guest.check(kernel).split("\n")))


def install(rehearsal: Rehearsal) -> None:
    """Install an older arena on the bare machine as the page says, and run a hill as a service."""
    guest = rehearsal.guest
    guest.boot(fresh=True)
    guest.send(_wheels(rehearsal, newer=False), WHEELS)
    with TemporaryDirectory() as folder:
        file = Path(folder, "hill.toml")
        terms = re.sub(r"share = \d+", f"share = {SHARE}", read_file("hill.toml"))
        file.write_text(re.sub(r"move = [\d.]+", f"move = {MOVE_SECONDS}", terms))
        guest.send([file, UNIT], "/root")
    for command in read_commands("As a service").splitlines():
        rehearsal.say(f"# {command}")
        guest.check(command)
    with HillAccess.reach(guest) as hill:
        hill.wait(hill.is_healthy, "health")
        _say_state(rehearsal)
        _take_part(rehearsal, hill)
        rehearsal.say(f"{hill.count_matches()} matches")


def _take_part(rehearsal: Rehearsal, hill: HillAccess) -> None:
    """Submit the three bots of the page; `arena submit` takes the place of the form."""
    guest, token = rehearsal.guest, hill.join("ada")
    path = "PATH=/srv/arena/bin:$PATH; export ARENA_TOKEN=" + token
    python = read_commands("A bot in Python, by the form")
    native = read_commands("A bot in C, by git")
    ruby = read_commands("A bot in Ruby, by arena submit")
    submitted = "arena submit first --to http://localhost:8642/"
    for commands in (f"{python}{submitted}", native, ruby):
        unchecked = commands.replace("arena submit", "arena submit --no-check")
        said = guest.check(f"set -e; {path}; {unchecked}", image.USER).strip().splitlines()
        rehearsal.say(said[-1] if said else "")
    for number in (1, 2, 3):
        state, why = hill.follow(token, number)
        assert state == "in", (number, state, why)
    hill.wait(lambda: {"first", "second", "third"} <= _active(hill), "all bots in the standings")
    rehearsal.say(f"in the standings: {', '.join(sorted(_active(hill)))}")


def upgrade(rehearsal: Rehearsal) -> None:
    """Make a backup, stop the hill, install the newer arena, and start it."""
    guest = rehearsal.guest
    guest.send(_wheels(rehearsal, newer=True), WHEELS)
    with HillAccess.reach(guest) as hill:
        before, names = hill.count_matches(), _active(hill)
        guest.check(f"rm -rf {HOME}/backup")
        for command in read_commands("As a service", having="pip install --upgrade").splitlines():
            rehearsal.say(f"# {command}")
            guest.check(command)
        hill.wait(hill.is_healthy, "health")
        assert hill.count_matches() >= before
        assert _active(hill) == names, (_active(hill), names)
    versions = guest.check("/srv/arena/bin/pip list 2>/dev/null | grep -E 'arena' | tr -s ' '")
    rehearsal.say(", ".join(versions.splitlines()))
    _say_state(rehearsal)
    doctor = guest.check(read_commands("As a service", having="arena doctor"))
    for line in doctor.split("trusted\n")[0].splitlines():
        rehearsal.say(line)
    assert "FAILED" not in doctor.split("trusted\n")[0]
    rehearsal.say(doctor.strip().splitlines()[-1])


def play(rehearsal: Rehearsal) -> None:
    """Take honest and hostile bots of strangers, and play 200 matches."""
    with HillAccess.reach(rehearsal.guest) as hill, TemporaryDirectory() as folder:
        sent = _send_bots(rehearsal, hill, Path(folder))
        for name, (token, submission) in sent.items():
            state, why = hill.follow(token, submission)
            rehearsal.say(f"{name}: {state} {why}")
            assert state == "in" or name in ATTACKS, name
        hill.wait(lambda: hill.count_matches() >= MATCHES, f"{MATCHES} matches")
        _say_state(rehearsal)
        _assert_fair(rehearsal, hill)


def _send_bots(rehearsal: Rehearsal, hill: HillAccess, folder: Path) -> dict[str, tuple[str, int]]:
    """Send a bot of each language and of each attack; return by its name token and submission."""
    sent = {}
    for number, language in enumerate(LANGUAGES):
        author = f"honest_{number // 2}"
        token = hill.join(author)
        sent[language] = token, hill.submit(author, token, language, BOTS / f"gops-{language}")
    for number, name in enumerate(ATTACKS):
        author = f"hostile_{number // 2}"
        token = hill.join(author)
        home = bot(folder, name, code=attack_code(name, Path(HOME, "hill.toml")))
        sent[name] = token, hill.submit(author, token, name, home)
    rehearsal.say(f"sent: {', '.join(sent)}")
    return sent


def _assert_fair(rehearsal: Rehearsal, hill: HillAccess) -> None:
    """See that no honest bot has a verdict, and no match is void."""
    matches = hill.read_lines("/api/v1/hills/hill/matches")
    seats = [seat for match in matches for seat in match["seats"]]
    verdicts = [(seat["name"], seat["verdict"]["kind"]) for seat in seats if seat["verdict"]]
    counted = {pair: verdicts.count(pair) for pair in sorted(set(verdicts))}
    void = [match for match in matches if match["outcome"] == "void"]
    rehearsal.say(f"verdicts: {counted}")
    rehearsal.say(f"{len(matches)} matches, {len(void)} void, {len(verdicts)} verdicts")
    assert not void, void
    assert {name for name, _ in verdicts} <= set(ATTACKS), counted


def kill(rehearsal: Rehearsal) -> None:
    """Kill each process of the hill, and see that all goes on."""
    guest = rehearsal.guest
    with HillAccess.reach(guest) as hill:
        for part in PARTS:
            before = guest.check(
                f"pgrep -u arena -f 'hill process.* {part}|{part}.*hill' | head -1"
            )
            guest.check(f"kill -KILL {before.strip()}")
            hill.wait(hill.is_healthy, "health")
            rehearsal.say(f"killed {part} ({before.strip()}): healthy again")
        main = guest.check(RUNNING).strip()
        guest.check(f"kill -KILL {main}")
        hill.wait(lambda: guest.check(RUNNING).strip() not in ("0", main), "a new process")
        hill.wait(hill.is_healthy, "health")
        rehearsal.say(f"killed the service's process ({main}): systemd has started it again")
        _assert_goes_on(rehearsal, hill, "after_kills")
    _say_state(rehearsal)


def cut_power(rehearsal: Rehearsal) -> None:
    """Cut the machine's power while matches are played, and start it again."""
    guest = rehearsal.guest
    with HillAccess.reach(guest) as hill:
        before = hill.count_matches()
    guest.crash()
    guest.boot()
    with HillAccess.reach(guest) as hill:
        hill.wait(hill.is_healthy, "health")
        after = hill.count_matches()
        assert after >= before
        rehearsal.say(f"{before} matches before, {after} after")
        _assert_goes_on(rehearsal, hill, "after_power")


def restore(rehearsal: Rehearsal) -> None:
    """Make a backup, send another bot, restore the backup, and see that it is as it was."""
    guest = rehearsal.guest
    with HillAccess.reach(guest) as hill:
        guest.check(f"rm -rf {HOME}/backup /srv/before")
        before, names = hill.count_matches(), _active(hill)
        guest.check(read_commands("As a service", having="hill backup").splitlines()[0])
        _assert_goes_on(rehearsal, hill, "after_backup")
        for command in read_commands("As a service", having="/srv/before").splitlines():
            rehearsal.say(f"# {command}")
            guest.check(command)
        hill.wait(hill.is_healthy, "health")
        after = _active(hill)
        assert hill.count_matches() >= before
        assert after == names, (after, names)
        rehearsal.say(f"{before} matches and {len(names)} bots are back")
        _assert_goes_on(rehearsal, hill, "after_restore")


def _assert_goes_on(rehearsal: Rehearsal, hill: HillAccess, author: str) -> None:
    """Send a bot, see it come in, and see it play."""
    with TemporaryDirectory() as folder:
        home = Path(shutil.copytree(BOTS / "gops-bash", Path(folder, "bot")))
        (home / "note.txt").write_text(author)
        token = hill.join(author)
        state, why = hill.follow(token, hill.submit(author, token, author, home))
    assert state == "in", (state, why)
    before = hill.count_matches()
    hill.wait(lambda: hill.count_matches() > before, "another match")
    rehearsal.say(f"a bot sent {author.replace('_', ' ')} is in, and plays")


def _active(hill: HillAccess) -> set[str]:
    """Return the bots that take part."""
    rows = hill.read_json("/api/v1/hills/hill/standings")["standings"]
    return {row["name"] for row in rows if row["state"] == "active"}


def _wheels(rehearsal: Rehearsal, *, newer: bool) -> list[Path]:
    revision = "HEAD" if newer else rehearsal.older
    said = subprocess.run(
        ["git", "log", "-1", "--format=%h %s", revision],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    rehearsal.say(said.stdout.strip())
    return [*build_packages(revision, rehearsal.guest.folder, newer=newer).iterdir()]


def _say_state(rehearsal: Rehearsal) -> None:
    """Say what systemd says of the service."""
    shown = "ActiveState,NRestarts,MemoryCurrent,TasksCurrent,ControlGroup"
    state = rehearsal.guest.check(f"systemctl show {NAME} --property={shown}")
    rehearsal.say(" ".join(state.split()))


STEPS: dict[str, Step] = {
    "build": build,
    "install": install,
    "upgrade": upgrade,
    "play": play,
    "kill": kill,
    "power": cut_power,
    "restore": restore,
    "attacks": attack_as_service,
    "root": attack_as_root,
    "landlock": attack_with_landlock,
    "innocents": play_innocents,
    "crowd": play_crowd,
}
"""All of them, in their order."""
