"""A day of an open hill: three authors send bots that come and go, and one of them is hostile.

`python -m tests.hill_day 40 3600` has forty submissions come in an hour, and prints what was seen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic

from attrs import define, field

from arena.tournament import State, Store
from arena_web.hill.archive import pack
from arena_web.hill.submissions import OPEN, Step, Submission
from arena_web.hill.visiting import cookie_of
from tests.crawler import Crawler
from tests.held_hill import HeldHill
from tests.hill import MATCH, C, bot
from tests.zips import HOSTILE

KEPT = "canary-of-the-host"
LOGGED = "canary-of-a-log"
PAGES = ("/t/hill/", "/t/hill/matches", "/hill/hill/", "/t/hill/matrix")
TAKEN, REFUSED_AT_ONCE = 202, 422
FLOOD, VISITOR = "127.0.0.66", "127.0.0.77"  # addresses of who floods, and of who only looks
SHELL = """
while read -r first second card; do
    case "$first" in Competition) echo "$card" ;; esac
done
"""
ANSWERS = """
import os, random, sys, time
for line in sys.stdin:
    if line.startswith("Competition"):
        {}
        print(line.split()[-1], flush=True)
"""
ATTACKS = {
    "forks": "while True: os.fork()",
    "grows": "a = bytearray(10 ** 10)",
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
    "calls": "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'",
    "fills": "head -c 900000000 /dev/zero > big",
    "shouts": f"echo {LOGGED}; exit 1",
}
"""What hostile bots are built by."""


@define
class Day:
    """What was seen of it."""

    waits: list[float] = field(factory=list)  # seconds until an honest bot was in
    left_out: list[str] = field(factory=list)  # honest bots that did not come in
    let_in: list[str] = field(factory=list)  # hostile ones that played and earned no verdict
    unexplained: list[str] = field(factory=list)  # refusals without a reason
    found: list[tuple[str, str, str]] = field(factory=list)  # who found which canary where
    submissions: int = 0
    refused: int = 0
    limited: int = 0  # requests of the flood that were refused
    answered: int = 0
    quiet: list[float] = field(factory=list)  # seconds of pages, before anything is sent
    busy: list[float] = field(factory=list)
    matches: int = 0


@define
class Sent:
    """A bot that was sent, and whether it means well."""

    name: str
    honest: bool
    submission: int
    at: float


def day(home: Path, submissions: int, seconds: float) -> Day:
    """Hold a hill on which so many bots are sent, evenly over this time, and look at it."""
    seen, hill = Day(), HeldHill.made(home / "held")
    (hill.home / "secret.txt").write_text(KEPT)
    with hill.held():
        _look_at_pages(hill, seen.quiet, 5)
        over = Event()
        helpers = [Thread(target=one, args=(hill, seen, over)) for one in (_flood, _visit)]
        for helper in helpers:
            helper.start()
        try:
            sent = [*_send_all(hill, home, submissions, seconds / submissions, seen)]
            hill.until(lambda: not hill.register.submissions(states=OPEN))
            hill.until(lambda: _caught_up(hill))
        finally:
            over.set()
            for helper in helpers:
                helper.join()
        _judge(hill, sent, seen)
        _crawl(hill, seen)
    return seen


def _send_all(
    hill: HeldHill, home: Path, submissions: int, pause: float, seen: Day
) -> Iterator[Sent]:
    """Send bots one after the other; the third of each three is hostile, some are withdrawn."""
    keys = {author: hill.author(author) for author in ("ann", "bob", "eve")}
    hostile = _hostile(hill, home)
    honest = _honest(home)
    for number in range(submissions):
        began = monotonic()
        author = ("ann", "bob", "eve")[number % 3]
        bad = author == "eve"
        kind, archive = next(hostile if bad else honest)
        name = f"{author}_{number // 3 % 3}"
        _wait_for(hill, name)
        status, answer = hill.send(keys[author], name, archive, f"127.0.0.{2 + number}")
        if status == REFUSED_AT_ONCE and bad:
            seen.submissions, seen.refused = seen.submissions + 1, seen.refused + 1
            seen.unexplained += [] if answer["title"] else [kind]
        else:
            assert status == TAKEN, (kind, answer)
            yield Sent(f"{name} ({kind})", not bad, answer["submission"], monotonic())
        if not bad:
            hill.until(partial(_through, hill, answer["submission"]))
            seen.waits.append(monotonic() - began)
        Event().wait(max(0.0, pause - (monotonic() - began)))


def _wait_for(hill: HeldHill, name: str) -> None:
    """Wait until nothing of a bot is on its way: one at a time is taken."""
    hill.until(lambda: not hill.register.submissions(bot=name, states=OPEN))


def _through(hill: HeldHill, number: int) -> bool:
    """Is a submission in, or refused?"""
    one = hill.register.submission(number)
    assert one
    if one.state is Step.FIT:
        return any(entry.id == one.entrant for entry in hill.entries())
    return one.state not in OPEN


def _honest(home: Path) -> Iterator[tuple[str, bytes]]:
    """Return honest bots, each in a version of its own, in several languages."""
    number = 0
    while True:
        number += 1
        folder = home / f"honest-{number}"
        yield "python", pack(bot(folder / "python", code=f"{MATCH}# {number}\n"))
        native = bot(folder / "c", command="./bot", build="cc -O2 -o bot bot.c")
        (native / "bot.c").write_text(f"{C}// {number}\n")
        yield "c", pack(native)
        shell = bot(folder / "shell", command="bash bot.sh")
        (shell / "bot.sh").write_text(f"{SHELL}# {number}\n")
        yield "shell", pack(shell)


def _hostile(hill: HeldHill, home: Path) -> Iterator[tuple[str, bytes]]:
    """Return hostile bots, builds and archives in turn."""
    secret, number = str(hill.home / "secret.txt"), 0
    archives = [*HOSTILE.items()]
    while True:
        folder = home / f"hostile-{number}"
        name, does = [*ATTACKS.items()][number % len(ATTACKS)]
        code = ANSWERS.format(does.format(secret=secret)) + f"# {number}\n"
        yield name, pack(bot(folder / "bot", code=code))
        name, line = [*BUILDS.items()][number % len(BUILDS)]
        build = line.format(secret=secret, port=hill.port)
        yield name, pack(bot(folder / "build", code=f"{MATCH}# {number}\n", build=build))
        name, (archive, _) = archives[number * 5 % len(archives)]
        yield name, archive
        number += 1


def _judge(hill: HeldHill, sent: list[Sent], seen: Day) -> None:
    """See that who meant well is in, and who did not was refused with a reason or contained."""
    with Store.open(hill.home / "hill.db", write=False) as store:
        entries = {entry.id: entry for entry in store.entries()}
        tallies = store.tallies()
        seen.matches = store.counts().stored
    for one in sent:
        found = hill.register.submission(one.submission)
        assert found
        seen.submissions += 1
        if found.state is Step.REFUSED:
            seen.refused += 1
            if not found.why:
                seen.unexplained.append(one.name)
        entry = entries.get(found.entrant)
        if one.honest and (entry is None or entry.state in (State.ASIDE, State.UNFIT)):
            seen.left_out.append(f"{one.name}: {found.state} {found.why}")
        if not one.honest and entry and not _contained(one, found, tallies[entry.id].verdicts):
            seen.let_in.append(one.name)


def _contained(one: Sent, found: Submission, verdicts: Mapping[str, int]) -> bool:
    """Has a hostile bot that came in done nothing, as its build could not, or paid for it?"""
    harmless = any(f"({kind})" in one.name for kind in (*BUILDS, "sometimes", "lies"))
    return harmless or bool(verdicts) or not found.version


def _crawl(hill: HeldHill, seen: Day) -> None:
    """Take every page as nobody and as authors; look for what is none of their business.

    The pages below /t/ are the same for everybody.
    """
    sessions = {one: hill.register.sign_in(one) for one in ("ann", "eve")}
    with Store.open(hill.home / "hill.db", write=False) as store:
        secret = store.fact("secret")
    canaries = {"a file of the host": KEPT, "the secret": secret, "path": str(hill.home)}
    own = [f"/api/v1/submissions/{one.id}" for one in hill.register.submissions()]
    for who in ("nobody", "ann", "eve"):
        headers = {"Cookie": f"{cookie_of('hill')}={sessions[who]}"} if who in sessions else {}
        site = f"http://127.0.0.1:{hill.port}/"
        leaves = ("/study", "/play", *(["/t/"] if headers else []))
        crawler = Crawler(site, headers, leaves=leaves, many=True)
        crawler.crawl(*own, "/hill/hill/", "/api/v1/me", "/api/v1/hills/hill/matches")
        others = {} if who == "eve" else {"log": LOGGED}
        seen.found += [(who, what, path) for what, path in crawler.find(canaries | others)]


def _caught_up(hill: HeldHill) -> bool:
    with Store.open(hill.home / "hill.db", write=False) as store:
        return bool(store.carried_out() >= len(hill.register.orders(0)))


def _flood(hill: HeldHill, seen: Day, over: Event) -> None:
    """Ask for far more pages than one address may have."""
    while not over.is_set():
        with suppress(OSError, HTTPException):
            status, _ = hill.ask("GET", "/t/hill/", source=FLOOD)
            seen.limited += status == 429
            seen.answered += status == 200
        over.wait(0.1)


def _visit(hill: HeldHill, seen: Day, over: Event) -> None:
    """Look at a page now and then, as a visitor."""
    while not over.wait(2.0):
        _look_at_pages(hill, seen.busy, 1)


def _look_at_pages(hill: HeldHill, times: list[float], rounds: int) -> None:
    for path in PAGES * rounds:
        began = monotonic()
        status, _ = hill.ask("GET", path, source=VISITOR)
        assert status == 200, (path, status)
        times.append(monotonic() - began)


def said(seen: Day) -> str:
    """Say what was seen, in lines."""
    return "\n".join(
        [
            f"{seen.submissions} submissions, {seen.refused} refused; {seen.matches} matches",
            f"honest ones were in after {median(seen.waits):.1f} s, at most {max(seen.waits):.1f}",
            f"left out {seen.left_out}, let in {seen.let_in}, unexplained {seen.unexplained}",
            f"the flood: {seen.answered} answered, {seen.limited} refused",
            f"pages: {1000 * median(seen.quiet):.0f} ms when quiet, {1000 * median(seen.busy):.0f} busy",
            f"canaries: {seen.found}",
        ]
    )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        print(said(day(Path(folder), int(sys.argv[1]), float(sys.argv[2]))))  # noqa: T201
