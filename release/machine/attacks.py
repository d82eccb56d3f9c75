"""Attacks, innocents and crowds of both inside the machine: by the service's user as its unit says, and by root."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from release.machine.guest import CHECKOUT
from release.machine.rehearsal import Rehearsal
from release.machine.service import NAME
from release.machine.wheels import EXTRAS, ROOT
from tests.sandbox.attacks.programs.accounts import ACCOUNT

UNIT = ROOT / "examples" / "hill" / f"{NAME}.service"
ATTACKS = "arena-attacks"
FOLDER = "/srv/attacks"
PYTHON = f"{FOLDER}/.venv/bin/python"
MEMBERS = f"-e '.[{','.join(EXTRAS)}]' -e games/gops -e games/bs -e plugins/web -e 'plugins/hill[server,oauth]'"
CHANGES = {
    "User": "{user}",
    "WorkingDirectory": f"{FOLDER}/{CHECKOUT}",
    "ExecStart": f"{PYTHON} -m {{command}}",
    "ReadWritePaths": FOLDER,
    "TasksMax": "infinity",  # a crowd is more than a hill plays at once
    "UMask": "0022",  # programs run as other users, and read what the tests write
    "Restart": f"no\nType=oneshot\nStandardOutput=truncate:{FOLDER}/report",
}
"""What is otherwise in the unit that runs them."""

SUITE = "pytest -q -p no:cacheprovider -rfEs tests/sandbox"
INNOCENTS = "tests.support.sandboxes.innocents 1000 --account root"  # whoever runs it
CROWD = "tests.support.sandboxes.crowd_load 600 200 --account root"
PACKAGES = "openjdk-17-jdk-headless"
"""What innocents need beside what the page installs."""

SHOWN = re.compile(r"FAILED|ERROR|SKIPPED|.*\d+ passed|.*\d+ matches|  ")
"""The lines of a report that are worth reading."""


def attack_as_service(rehearsal: Rehearsal) -> None:
    """Play all attacks by the service's user, in a unit like the one that is shipped."""
    _run(rehearsal, "arena", SUITE)


def attack_as_root(rehearsal: Rehearsal) -> None:
    """Play all attacks by root, and by the ordinary users that the suite makes of it."""
    _run(rehearsal, "root", SUITE)


def attack_with_landlock(rehearsal: Rehearsal) -> None:
    """Play all attacks with the newer kernel, which has Landlock 6, by the service's user."""
    rehearsal.guest.stop()
    rehearsal.guest.boot(backports=True)
    _run(rehearsal, "arena", SUITE)
    rehearsal.guest.stop()
    rehearsal.guest.boot()


def play_innocents(rehearsal: Rehearsal) -> None:
    """Play 1,000 matches of innocents in each tier, by the service's user: no verdict."""
    _run(rehearsal, "arena", INNOCENTS)


def play_crowd(rehearsal: Rehearsal) -> None:
    """Play 200 matches at once for ten minutes in each tier, by the service's user: innocents among attackers."""
    _run(rehearsal, "arena", CROWD)


def _run(rehearsal: Rehearsal, user: str, command: str) -> None:
    """Run a module of Python in a unit of its own, while the hill is stopped."""
    guest = rehearsal.guest
    _install(rehearsal)
    with TemporaryDirectory() as folder:
        unit = Path(folder, f"{ATTACKS}.service")
        unit.write_text(derive_unit(UNIT.read_text(), user, command))
        guest.send([unit], "/etc/systemd/system")
    guest.check(f"systemctl daemon-reload; systemctl stop {NAME}")
    rehearsal.say(f"{guest.check('uname -r').strip()}, as {user}")
    done = guest.run(f"systemctl start {ATTACKS}", quiet=True)
    guest.check(f"systemctl start {NAME}")
    for line in guest.check(f"tail -n 200 {FOLDER}/report").splitlines():
        if SHOWN.match(line):
            rehearsal.say(line)
    assert done.returncode == 0, done.stderr


def _install(rehearsal: Rehearsal) -> None:
    """Copy this checkout for the service's user, and install it and what its tests need."""
    guest = rehearsal.guest
    guest.check(f"install -d -o arena -g arena {FOLDER}")
    guest.copy(ROOT, "root", f"{FOLDER}/{CHECKOUT}")
    guest.check(f"chown -R arena:arena {FOLDER}")
    script = (
        f"cd {FOLDER}/{CHECKOUT} && [ -e {PYTHON} ] || python3 -m venv {FOLDER}/.venv &&"
        f" {PYTHON} -m pip install -q 'pip>=25.1' &&"
        f" {PYTHON} -m pip install -q {MEMBERS} coverage httpx2 pytest-xdist"
    )
    guest.check(f'sudo -u arena sh -c "{script}"')
    guest.check(f"apt-get install -qq {PACKAGES}")
    guest.check(f"id {ACCOUNT} || useradd --create-home {ACCOUNT}")


def derive_unit(text: str, user: str, command: str) -> str:
    """Return the shipped unit with another command, and all else as it is."""
    for key, value in CHANGES.items():
        line = f"{key}={value.format(user=user, command=command)}".replace("\\", r"\\")
        text, count = re.subn(rf"^{key}=.*$", line, text, count=1, flags=re.MULTILINE)
        assert count, key
    return text.partition("[Install]")[0]
