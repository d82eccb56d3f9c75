"""Killing the processes of a hill again and again while bots are sent, and looking at what is left.

`python -m tests.support.hill.kills 100` does so a hundred times, and prints what was found.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from attrs import define, field

from arena.tournament import State, Tournament
from arena.tournament.bots.copies import get_copy_name
from arena.tournament.store import Store
from arena_hill.bot_archive import pack_bot
from arena_hill.db.author_actions import SUPERSEDED_MESSAGE
from arena_hill.db.submissions import Submission
from arena_hill.hill import Hill
from arena_hill.submission_states import OPEN_STATES, SubmissionState
from tests.support.hill.hill_folders import MATCH, bot
from tests.support.hill.running_hill import HILL, PARTS, RunningHill

AUTHORS = tuple(f"author_{number}" for number in range(12))
BOTS = 2  # of each
SENT = 0.4  # before a kill, how often a bot is sent
BUSY = HILL.replace("share = 4", "share = 4\nsubmissions = 1000\nuploads_mb = 1000")


@define
class Toll:
    """What was seen of a hill whose processes were killed."""

    kills: int
    sent: set[int] = field(factory=set)  # the submissions that were said to be taken
    found: list[Submission] = field(factory=list)  # those that the database knows in the end
    states: Mapping[str, State] = field(factory=dict)  # of all versions, in the end
    commands: int = 0
    matches: int = 0
    compared: int = 0  # matches of bots that can all still be played
    differing: list[str] = field(factory=list)  # matches that a calm run plays otherwise

    @property
    def lost(self) -> list[int]:
        """Return what was said to be taken, and is not in."""
        fit = {
            submission.id
            for submission in self.found
            if submission.state is SubmissionState.ACCEPTED
        }
        return sorted(self.sent - fit - {*self.superseded})

    @property
    def superseded(self) -> list[int]:
        """Return those whose author sent another version before they could be checked."""
        return [submission.id for submission in self.found if submission.why == SUPERSEDED_MESSAGE]

    @property
    def duplicates(self) -> list[int]:
        """Return what is there without having been sent, or has come in more than once."""
        ghosts = sorted(
            submission.id for submission in self.found if submission.id not in self.sent
        )
        came = len(self.found) - len(self.superseded)
        return [*range(self.commands - came), *ghosts]

    @property
    def wrong_versions(self) -> list[str]:
        """Return the bots of which not the last version takes part, and it alone."""
        fit = [
            submission for submission in self.found if submission.state is SubmissionState.ACCEPTED
        ]
        last = {
            submission.bot.name: submission.entrant for submission in reversed(fit)
        }  # the newest was first
        active = Counter(entrant for entrant, state in self.states.items() if state is State.ACTIVE)
        names = Counter(entrant.partition("@")[0] for entrant in active)
        return [bot for bot, entrant in last.items() if names[bot] != 1 or entrant not in active]


def run_with_kills(home: Path, kills: int, draw: Random) -> Toll:
    """Run a hill, kill its processes this many times while bots are sent, and let it end."""
    hill, toll = RunningHill.create(home / "held", BUSY), Toll(kills)
    with hill.run():
        kill_processes(hill, toll, home, draw)
    examine_hill(hill, toll, home / "calm")
    return toll


def kill_processes(hill: RunningHill, toll: Toll, home: Path, draw: Random) -> None:
    """Kill processes of a running hill while bots are sent, and wait until all have played.

    Args:
        hill: the hill, whose file is `BUSY`.
        toll: has the number of kills, and is given what is sent.
        home: the folder in which the bots are written, in `sent-0`, `sent-1` and so on.
        draw: draws what is sent and killed.
    """
    keys = {author: hill.create_author_key(author) for author in AUTHORS}
    for number in range(toll.kills):
        if not number or draw.random() < SENT:
            _send(hill, toll, keys, home / f"sent-{number}", draw)
        hill.kill(draw.choice(PARTS))
    hill.wait_until(lambda: _quiet(hill))


def examine_hill(hill: RunningHill, toll: Toll, calm: Path) -> None:
    """Note what is left of a hill that has ended, and play its matches again in a new folder."""
    toll.found = hill.store.submissions.select()
    toll.states = {entry.id: entry.state for entry in hill.list_entries()}
    toll.commands = len(hill.store.commands.fetch(0))
    played = results(hill.home)
    undisturbed = run_undisturbed(hill.home, calm)
    toll.matches = len(played)
    gone = find_gone(hill, toll.found)
    again = {
        key: result
        for key, result in played.items()
        if not any(version in gone for _, version, *_ in result)
    }
    toll.compared = len(again)
    toll.differing = [key for key, result in again.items() if undisturbed.get(key) != result]


def _send(
    hill: RunningHill, toll: Toll, keys: Mapping[str, str], folder: Path, draw: Random
) -> None:
    """Send a new version of somebody's bot, unless the one before is not through yet."""
    author = draw.choice(AUTHORS)
    name = f"{author}_{draw.randrange(BOTS)}"
    archive = pack_bot(bot(folder, name, f"{MATCH}# {folder.name}\n"))
    address = f"127.0.0.{2 + AUTHORS.index(author)}"  # one may send so many in an hour
    status, answer = hill.submit(keys[author], name, archive, address)
    if status in (200, 202):
        toll.sent.add(answer["submission"])
    else:
        assert status in (409, 429), answer


def _quiet(hill: RunningHill) -> bool:
    """Is all that was sent through, and all played?"""
    if hill.store.submissions.select(states=OPEN_STATES):
        return False
    with Store.open(hill.home / "hill.db", write=False) as store:
        if (
            store.facts.last_command < len(hill.store.commands.fetch(0))
            or store.progress.count_matches().remaining
        ):
            return False
        share = Hill.load(hill.home / "hill.toml").config.share
        plays = store.deals.load_past().plays
        return all(plays[entrant.id] >= share for entrant in store.entries.list_active())


def find_gone(hill: RunningHill, found: list[Submission]) -> set[str]:
    """Return the versions that nobody can play any more: the hill has deleted their copies."""
    kept = Hill.load(hill.home / "hill.toml").copies.measure()
    return {
        submission.version
        for submission in found
        if submission.version and get_copy_name(submission.version) not in kept
    }


def results(home: Path) -> dict[str, Any]:
    """Return the result of each match that was played, by its key."""
    with Store.open(home / "hill.db", write=False) as store:
        return {
            match.match: [(seat.name, seat.version, seat.place, seat.score) for seat in match.seats]
            for match in store.matches.find_matches()
        }


def run_undisturbed(home: Path, calm: Path) -> dict[str, Any]:
    """Return how the same matches come out in a run in which nothing is killed."""
    shutil.copytree(home, calm, symlinks=True)
    with closing(sqlite3.connect(calm / "hill.db")) as database, database:
        database.execute("DELETE FROM transcripts")
        database.execute("DELETE FROM seats")
        database.execute("DELETE FROM matches WHERE \"end\" <> 'cancelled'")
        database.execute("UPDATE entrants SET state = 'active'")
    Tournament.load(calm / "hill.toml").run()
    return results(calm)


if __name__ == "__main__":
    with TemporaryDirectory() as home:
        toll = run_with_kills(Path(home), int(sys.argv[1]), Random())
        print(  # noqa: T201
            f"{toll.kills} kills: {len(toll.found)} submissions, lost {toll.lost}, doubled"
            f" {toll.duplicates}, wrong version {toll.wrong_versions},"
            f" superseded {toll.superseded}; {toll.matches} matches,"
            f" {len(toll.differing)} of {toll.compared} differ from a calm run"
        )
