"""Bots that authors send to a hill: honest ones in several languages, and hostile ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

from arena_hill.bot_archive import pack_bot
from tests.support.hill.hill_folders import MATCH, C, bot
from tests.support.web.raw_zips import HOSTILE, Member, build_raw_zip

LOGGED = "canary-of-a-log"
SHELL = """
while read -r first second card; do
    case "$first" in Competition) echo "$card" ;; esac
done
"""
CHILDREN = """
while read -r first second card; do
    case "$first" in Competition) echo "$(echo "$(expr "$card" + 0)")" ;; esac
    sleep 0.01 &
done
"""
"""Starts three children for each bid, and leaves one that nobody waits for."""
SUBPROCESSES = """
import subprocess, sys
for line in sys.stdin:
    subprocess.Popen(["true"])
    if line.startswith("Competition"):
        said = subprocess.run(["echo", line.split()[-1]], capture_output=True, text=True)
        print(said.stdout, end="", flush=True)
"""
SLOW = """
import sys, time
for line in sys.stdin:
    if line.startswith("Competition"):
        time.sleep(0.5)
        print(line.split()[-1], flush=True)
"""
ANSWERS = """
import ctypes, fcntl, mmap, os, random, select, sys, time
for line in sys.stdin:
    if line.startswith("Competition"):
{}
        print(line.split()[-1], flush=True)
"""
ATTACKS = {
    "forks": "while True: os.fork()",
    "leases": "fcntl.fcntl(os.open(__file__, os.O_RDONLY), 1024, 1)",  # F_SETLEASE, F_WRLCK
    "grows": "a = bytearray(10 ** 10)",
    "sessions": """
for _ in range(100):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
""",
    "pages": """
held = [mmap.mmap(-1, 2 << 30, mmap.MAP_SHARED) for _ in range(50)]
for at in range(0, 2 << 30, 4096):
    for one in held:
        one[at]
""",
    "watches": """
events = [os.eventfd(0) for _ in range(200)]
held = [select.epoll() for _ in range(200)]
for number in range(100):
    os.fork()
    for one in held:
        for event in events:
            one.register(event, 0)
    held = [select.epoll() for _ in range(200)]
""",
    "deepens": """
while True:
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
""",
    "holes": """
for number in range(1000):
    os.truncate(os.open(str(number), os.O_CREAT | os.O_WRONLY), 200 << 20)
    os.write(os.open(str(number), os.O_WRONLY), bytes(1 << 20))
""",
    "kills": "os.kill(-1, 9)",
    "floods": "while True: os.write(1, b'x' * 65536)",
    "never": "time.sleep(10 ** 6)",
    "lies": "print('ten', flush=True)",
    "reads": "print(open({secret!r}).read(), flush=True)",
    "says": "print(dict(os.environ), file=sys.stderr, flush=True); sys.exit(1)",
    "sometimes": "random.random() < 0.2 and os.abort()",
}
"""What hostile bots do at each bid."""

BUILDS = {
    "copies": "cat {secret} > stolen; cat stolen",
    "marks": "chmod 6755 bot.py; cp /bin/sh sh; chmod 6755 sh; true",
    "links": "head -c 9000000 /dev/zero > a; for i in $(seq 400); do ln a a$i; done",
    "holes": "for i in $(seq 400); do truncate -s 150M hole$i; done",
    "calls": "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'",
    "fills": "head -c 900000000 /dev/zero > big",
    "shouts": f"echo {LOGGED}; exit 1",
    "kills": "kill -9 -1; kill -9 $PPID",
    "rewrites": "echo 'command = \"sh\"' > bot.toml",
}
"""What the shell does that builds hostile bots."""

ARCHIVES = {
    **{name: archive for name, (archive, _) in HOSTILE.items()},
    "NUL in its command": build_raw_zip(
        [Member(b"bot.toml", b'name = "x"\ncommand = "a\\u0000b"\n')]
    ),
    "15,000 arguments": build_raw_zip(
        [Member(b"bot.toml", f'name = "x"\ncommand = {json.dumps("a " * 15_000)}\n'.encode())]
    ),
}


def generate_honest_bots(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield honest bots without end, each in a version of its own: what it is, and its archive."""
    number = 0
    while True:
        number += 1
        folder = home / f"honest-{number}"
        yield "python", pack_bot(bot(folder / "python", code=f"{MATCH}# {number}\n"))
        native = bot(folder / "c", command="./bot", build="cc -O2 -o bot bot.c")
        (native / "bot.c").write_text(f"{C}// {number}\n")
        yield "c", pack_bot(native)
        for kind, text in {"shell": SHELL, "children": CHILDREN}.items():
            shell = bot(folder / kind, command="bash bot.sh")
            (shell / "bot.sh").write_text(f"{text}# {number}\n")
            yield kind, pack_bot(shell)
        yield (
            "subprocesses",
            pack_bot(bot(folder / "subprocesses", code=f"{SUBPROCESSES}# {number}\n")),
        )
        yield "slow", pack_bot(bot(folder / "slow", code=f"{SLOW}# {number}\n"))


def attack_code(name: str, secret: Path) -> str:
    """Return the source of a bot that attacks before each bid.

    Args:
        name: of one of `ATTACKS`.
        secret: a file of the host that it may try to read.
    """
    attack = ATTACKS[name].replace("{secret!r}", repr(str(secret)))
    return ANSWERS.format(indent(attack, " " * 8))


def generate_hostile_bots(home: Path, secret: Path, port: int) -> Iterator[tuple[str, bytes]]:
    """Yield hostile bots, builds and archives in turn: what it is, and its archive.

    Args:
        home: the folder in which they are written.
        secret: a file of the host that they try to read.
        port: of the hill, to which they try to connect.
    """
    number = 0
    archives = [*reversed(ARCHIVES.items())]
    while True:
        folder = home / f"hostile-{number}"
        name = [*ATTACKS][number % len(ATTACKS)]
        yield name, pack_bot(bot(folder / "bot", code=f"{attack_code(name, secret)}# {number}\n"))
        name, line = [*BUILDS.items()][number % len(BUILDS)]
        built = bot(folder / "build", code=f"{MATCH}# {number}\n", build="sh build.sh")
        (built / "build.sh").write_text(line.format(secret=secret, port=port))
        yield name, pack_bot(built)
        yield archives[number % len(archives)]
        number += 1
