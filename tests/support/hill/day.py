"""A day of an open hill: three authors send bots that come and go, and one of them is hostile.

`python -m tests.support.hill.day 40 3600` has forty submissions come in an hour, and prints what was seen.
Meanwhile the hill's disk fills up, and others lock its databases.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic
from typing import Any

from attrs import define, field

from arena.rules import UserError
from arena.tournament import State
from arena.tournament.store import Store
from arena_hill.db.submissions import Submission
from arena_hill.submission_states import OPEN_STATES, SubmissionState
from arena_hill.units import MB
from arena_hill.web.identity import get_cookie_name
from tests.support.hill.bots import BUILDS, LOGGED, generate_honest_bots, generate_hostile_bots
from tests.support.hill.day_host import FAULTS, OK, UNAVAILABLE, examine_disk, inject_faults
from tests.support.hill.running_hill import POLL_SECONDS, RunningHill
from tests.support.sandboxes.memory_disks import Disk, mount_disk
from tests.support.web.crawler import Crawler

KEPT = "canary-of-the-host"
PAGES = ("/t/hill/", "/t/hill/matches", "/hill/hill/", "/t/hill/matrix")
AUTHORS = ("ann", "bob", "eve")  # the last one is hostile
TAKEN, REFUSED_AT_ONCE = 202, 422
FLOOD, VISITOR = "127.0.0.66", "127.0.0.77"  # addresses of who floods, and of who only looks


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
    health: dict[str, float] = field(factory=dict)  # seconds until each fault was told
    problems: list[str] = field(factory=list)  # what else was wrong, a line each
    peak_mb: float = 0.0  # the most that the disk held
    author_mb: float = 0.0  # the most that was kept of one author


@define
class Sent:
    """A bot that was sent, and whether it means well."""

    name: str
    honest: bool
    submission: int
    at: float


def day(disk: Disk, submissions: int, seconds: float) -> Day:
    """Run a hill on which so many bots are sent, evenly over this time, and look at it.

    Its files are on a disk of its own. Meanwhile each of `FAULTS` is injected.
    """
    seen, hill = Day(), RunningHill.create(disk.folder / "hill")
    (hill.home / "secret.txt").write_text(KEPT)
    with hill.run():
        tokens = {author: hill.create_author_key(author) for author in AUTHORS}
        _look_at_pages(hill, seen.quiet, 5)
        over = Event()
        helpers = [Thread(target=act, args=(hill, seen, over)) for act in (_flood, _visit)]
        helpers.append(Thread(target=_measure_disk, args=(disk, seen, over)))
        faults = partial(_inject_faults, hill, disk, seen, seconds / (len(FAULTS) + 1), over)
        helpers.append(Thread(target=faults))
        for helper in helpers:
            helper.start()
        try:
            sent = [*_send_all(hill, tokens, submissions, seconds / submissions, seen)]
            _until(hill, lambda: not hill.store.submissions.select(states=OPEN_STATES))
            _until(hill, lambda: _caught_up(hill))
            hill.wait_until(lambda: len(seen.health) == len(FAULTS) or seen.problems)
        finally:
            over.set()
            for helper in helpers:
                helper.join()
        _judge(hill, sent, seen)
        _crawl(hill, seen)
        seen.author_mb, problems = examine_disk(hill, disk)
        seen.problems += problems
    return seen


def _send_all(
    hill: RunningHill, tokens: Mapping[str, str], submissions: int, pause: float, seen: Day
) -> Iterator[Sent]:
    """Send bots one after the other; the third of each three is hostile, some are withdrawn."""
    written = hill.home.parent.with_name("sent")  # not on the hill's disk, which is full at times
    kinds = {
        False: generate_honest_bots(written),
        True: generate_hostile_bots(written, hill.home / "secret.txt", hill.port),
    }
    for number in range(submissions):
        began = monotonic()
        author = AUTHORS[number % 3]
        bad = author == "eve"
        kind, archive = next(kinds[bad])
        name = f"{author}_{number // 3 % 3}"
        _wait_for(hill, name)
        status, answer = _send(hill, tokens[author], name, archive, f"127.0.0.{2 + number}")
        if status == REFUSED_AT_ONCE and bad:
            seen.submissions, seen.refused = seen.submissions + 1, seen.refused + 1
            seen.unexplained += [] if answer["title"] else [kind]
        else:
            assert status == TAKEN, (kind, answer)
            yield Sent(f"{name} ({kind})", not bad, answer["submission"], monotonic())
        if not bad:
            _until(hill, partial(_through, hill, answer["submission"]))
            seen.waits.append(monotonic() - began)
        Event().wait(max(0.0, pause - (monotonic() - began)))


def _send(
    hill: RunningHill, key: str, name: str, archive: bytes, source: str
) -> tuple[int, dict[str, Any]]:
    """Send a bot, again and again while the hill has a problem of its own."""
    while True:
        status, answer = hill.submit(key, name, archive, source)
        if status != UNAVAILABLE:
            return status, answer
        assert answer["retry_after"]
        Event().wait(POLL_SECONDS)


def _wait_for(hill: RunningHill, name: str) -> None:
    """Wait until nothing of a bot is on its way: one at a time is taken."""
    _until(hill, lambda: not hill.store.submissions.select(bot=name, states=OPEN_STATES))


def _until(hill: RunningHill, holds: Callable[[], object]) -> None:
    """Look again and again until something holds; a database that cannot be read says nothing."""

    def look() -> bool:
        try:
            return bool(holds())
        except UserError:
            return False

    hill.wait_until(look)


def _through(hill: RunningHill, number: int) -> bool:
    """Is a submission in, or refused?"""
    submission = hill.store.submissions.find(number)
    assert submission
    if submission.state is SubmissionState.ACCEPTED:
        return any(entry.id == submission.entrant for entry in hill.list_entries())
    return submission.state not in OPEN_STATES


def _judge(hill: RunningHill, sent: list[Sent], seen: Day) -> None:
    """See that who meant well is in, and who did not was refused with a reason or contained."""
    with Store.open(hill.home / "hill.db", write=False) as store:
        entries = {entry.id: entry for entry in store.entries.list_all()}
        tallies = store.seats.count_totals()
        seen.matches = store.progress.count_matches().stored
    for upload in sent:
        found = hill.store.submissions.find(upload.submission)
        assert found
        seen.submissions += 1
        if found.state is SubmissionState.REJECTED:
            seen.refused += 1
            if not found.why:
                seen.unexplained.append(upload.name)
        entry = entries.get(found.entrant)
        if upload.honest and (entry is None or entry.state in (State.ASIDE, State.UNFIT)):
            seen.left_out.append(f"{upload.name}: {found.state} {found.why}")
        if (
            not upload.honest
            and entry
            and not _contained(upload, found, tallies[entry.id].verdicts)
        ):
            seen.let_in.append(upload.name)


def _contained(upload: Sent, found: Submission, verdicts: Mapping[str, int]) -> bool:
    """Has a hostile bot that came in done nothing, as its build could not, or paid for it?"""
    harmless = any(f"({kind})" in upload.name for kind in (*BUILDS, "sometimes", "lies", "kills"))
    return harmless or bool(verdicts) or not found.version


def _crawl(hill: RunningHill, seen: Day) -> None:
    """Take every page as nobody and as authors; look for what is none of their business.

    The pages below /t/ are the same for everybody.
    """
    sessions = {name: hill.store.accounts.sign_in(name) for name in ("ann", "eve")}
    with Store.open(hill.home / "hill.db", write=False) as store:
        secret = store.facts.secret
    canaries = {"a file of the host": KEPT, "the secret": secret, "path": str(hill.home)}
    own = [f"/api/v1/submissions/{submission.id}" for submission in hill.store.submissions.select()]
    for who in ("nobody", "ann", "eve"):
        headers = (
            {"Cookie": f"{get_cookie_name('hill')}={sessions[who]}"} if who in sessions else {}
        )
        site = f"http://127.0.0.1:{hill.port}/"
        leaves = ("/study", "/play", *(["/t/"] if headers else []))
        crawler = Crawler(site, headers, leaves=leaves, many=True)
        crawler.crawl(*own, "/hill/hill/", "/api/v1/me", "/api/v1/hills/hill/matches")
        others = {} if who == "eve" else {"log": LOGGED}
        seen.found += [(who, canary, path) for canary, path in crawler.find(canaries | others)]


def _inject_faults(hill: RunningHill, disk: Disk, seen: Day, pause: float, over: Event) -> None:
    """Inject faults, and note when each was told."""
    try:
        for name, seconds in inject_faults(hill, disk, pause, over):
            seen.health[name] = seconds
    except Exception as problem:  # noqa: BLE001  # it is in a thread
        seen.problems.append(f"faults: {problem!r}")


def _measure_disk(disk: Disk, seen: Day, over: Event) -> None:
    """Note the most that the disk holds."""
    while not over.wait(POLL_SECONDS):
        seen.peak_mb = max(seen.peak_mb, disk.used_bytes / MB)


def _caught_up(hill: RunningHill) -> bool:
    with Store.open(hill.home / "hill.db", write=False) as store:
        return bool(store.facts.last_command >= len(hill.store.commands.fetch(0)))


def _flood(hill: RunningHill, seen: Day, over: Event) -> None:
    """Ask for far more pages than one address may have."""
    while not over.is_set():
        with suppress(OSError, HTTPException):
            status, _ = hill.request("GET", "/t/hill/", source=FLOOD)
            seen.limited += status == 429
            seen.answered += status == OK
        over.wait(0.1)


def _visit(hill: RunningHill, seen: Day, over: Event) -> None:
    """Look at a page now and then, as a visitor."""
    while not over.wait(2.0):
        _look_at_pages(hill, seen.busy, 1)


def _look_at_pages(hill: RunningHill, times: list[float], rounds: int) -> None:
    for path in PAGES * rounds:
        began = monotonic()
        status, _ = hill.request("GET", path, source=VISITOR)
        assert status == OK, (path, status)
        times.append(monotonic() - began)


def describe_day(seen: Day) -> str:
    """Say what was seen, in lines."""
    return "\n".join(
        [
            f"{seen.submissions} submissions, {seen.refused} refused; {seen.matches} matches",
            f"honest ones were in after {median(seen.waits):.1f} s, at most {max(seen.waits):.1f}",
            f"left out {seen.left_out}, let in {seen.let_in}, unexplained {seen.unexplained}",
            f"the flood: {seen.answered} answered, {seen.limited} refused",
            f"pages: {1000 * median(seen.quiet):.0f} ms when quiet, {1000 * median(seen.busy):.0f} busy",
            f"canaries: {seen.found}",
            f"the disk held {seen.peak_mb:.0f} MB at most, {seen.author_mb:.1f} MB of one author",
            f"faults told after seconds: {seen.health}; problems: {seen.problems}",
        ]
    )


if __name__ == "__main__":
    with TemporaryDirectory() as folder, mount_disk(Path(folder) / "disk") as disk:
        print(describe_day(day(disk, int(sys.argv[1]), float(sys.argv[2]))))  # noqa: T201
