"""Bots whose process plays match after match: which matches, and when it is another process."""

from __future__ import annotations

import json
import os
import select
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from attrs import evolve, frozen

from arena.check import check
from arena.host import (
    BotError,
    Entrant,
    HostConfig,
    ProgramPool,
    Result,
    Series,
    host,
    parse_entrant,
    parse_entrants,
    play_series,
)
from arena.plugins import MatchSpec, load_game
from arena.records import InMemoryFile, Recorder
from arena.sandbox import LANDLOCK, Sandbox
from tests.support.command import Cli
from tests.support.programs import LIMITS, TIMEOUT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
GOPS = load_game("gops")
SMALL = GOPS.read_variant({"cards": 3})
MAX_IDLE = 2
MANY = 'protocol = "json"\ngames = "many"\n'

PLAYS = """
import json, os, sys
played = 0
for line in sys.stdin:
    message = json.loads(line)
    if message.get("tell") == "Greeting":
        print(os.getpid(), os.getcwd(), file=sys.stderr, flush=True)
        played += 1
    elif message.get("ask") == "MatchOver":
        over()
    elif "ask" in message:
        print(answer(message), flush=True)
"""
"""Says its number in each match, and plays what `answer` returns."""

FIRST = """
def answer(message):
    return json.dumps(message["options"]["one_of"][0])
def over():
    print('"ready"', flush=True)
"""


@frozen
class Played:
    """A match, and the number of the bot's process in it."""

    spec: MatchSpec
    result: Result
    process: int
    folder: Path
    earlier: int | None


Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a way to write a bot, which gives its folder."""

    def write(text: str = FIRST, more: str = MANY, name: str = "mine") -> str:
        home = tmp_path / name
        home.mkdir()
        (home / "bot.py").write_text(text + PLAYS)
        command = json.dumps([sys.executable, "-I", "-S", "bot.py"])
        (home / "bot.toml").write_text(f'name = "{name}"\ncommand = {command}\n{more}')
        return str(home)

    return write


def build_series(*bots: str) -> Series:
    """Return a series of small matches between these bots."""
    return Series(GOPS, SMALL, parse_entrants(GOPS, bots), "1")


def play(
    matches: Sequence[tuple[MatchSpec, tuple[Entrant, ...]]], config: HostConfig
) -> list[Played]:
    """Play matches; return them with the process of the bot called mine."""
    found = []
    for spec, seated in matches:
        result = host(spec, seated, config)
        seat = spec.names.index("mine")
        process, folder = result.errors[seat].split()[-2:]
        earlier = result.earlier_matches[seat] if result.earlier_matches else None
        found.append(Played(spec, result, int(process), Path(folder), earlier))
    return found


def play_series_of(*bots: str, games: int) -> list[Played]:
    """Play a series with a pool, which ends behind it."""
    with ProgramPool() as pool:
        config = HostConfig(LIMITS, programs=pool)
        return play([*build_series(*bots).iter_matches(games)], config)


def is_alive(process: int) -> bool:
    """Return whether there is a process of this number."""
    return Path(f"/proc/{process}").exists()


def test_a_process_plays_match_after_match(make: Make) -> None:
    """Each match says how many its process played before, and all end with the pool."""
    played = play_series_of(make(), "match", games=6)
    assert [match.earlier for match in played] == [0, 0, 1, 1, 2, 2]
    assert len({match.process for match in played}) == 2
    assert [seat["earlier_matches"] for seat in played[-1].result.pack()["seats"]].count(2) == 1
    assert not any(match.result.outcome.verdicts for match in played)
    assert not any(is_alive(match.process) for match in played)


@pytest.mark.parametrize("seats", [2, 3])
def test_no_process_plays_a_deal_in_two_rotations(make: Make, seats: int) -> None:
    """It would remember what the others held."""
    played = play_series_of(make(), *["match", "ordered"][: seats - 1], games=4 * seats)
    by_deal = defaultdict(list)
    for match in played:
        by_deal[match.spec.seed].append(match.process)
    assert [len(set(processes)) for processes in by_deal.values()] == [seats] * 4


def test_a_match_that_is_played_again_is_played_by_another_process(make: Make) -> None:
    """It is the same deal, so a process that has played it knows all hands."""
    first, _, third = build_series(make(), "match").iter_matches(3)
    with ProgramPool() as pool:
        played = play([first, first, third, first], HostConfig(LIMITS, programs=pool))
    assert [match.earlier for match in played] == [0, 0, 1, 0]
    for match, other in combinations([played[0], played[1], played[3]], 2):
        assert match.process != other.process


def test_a_bot_against_itself_has_two_processes(make: Make) -> None:
    """No process sits on two seats, and none goes to another name."""
    series = build_series(f"mine={make()}", f"other={make(name='twin')}")
    entrants = series.entrants[0], evolve(series.entrants[0], name="other")
    matches = [*evolve(series, entrants=entrants).iter_matches(4)]
    with ProgramPool() as pool:
        results = [host(*match, HostConfig(LIMITS, programs=pool)) for match in matches]
    processes = defaultdict(set)
    for result in results:
        for name, errors in zip(result.names, result.errors, strict=True):
            processes[name].add(errors.split()[-2])
    assert len(processes["mine"]) == len(processes["other"]) == 2
    assert processes["mine"].isdisjoint(processes["other"])


WRONG = {
    "illegal": "def answer(message):\n    return 99 if played == 2 else 1\n",
    "crashed": "def answer(message):\n    return 1 if played < 2 else sys.exit(3)\n",
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_ends_the_process(make: Make, fault: str) -> None:
    """The next match starts another one."""
    bot = make(FIRST + WRONG[fault].replace("1\n", "json.dumps(message['options']['one_of'][0])\n")
               .replace(" 1 ", " json.dumps(message['options']['one_of'][0]) "))  # fmt: skip
    played = play_series_of(bot, "match", games=6)
    kinds = [[str(v.kind) for v in match.result.outcome.verdicts.values()] for match in played]
    assert kinds == [[], [], [fault], [fault], [], []]
    assert [match.earlier for match in played] == [0, 0, 1, 1, 0, 0]
    assert len({match.process for match in played}) == 4


NOT_READY = {
    "another answer": "print('1', flush=True)",
    "one answer too many": "print('\"ready\"\\n1', flush=True)",
    "its end": "sys.exit()",
    "a flood": "print('1' * 5000, flush=True)",
    "its output closed": "os.close(1)",
}


@pytest.mark.parametrize("how", NOT_READY.values(), ids=NOT_READY)
def test_who_is_not_ready_is_ended(make: Make, how: str) -> None:
    """Nothing that it says goes into the next match, and it is no fault."""
    bot = make(f"{FIRST}def over():\n    {how}\n")
    played = play_series_of(bot, "match", games=2)
    assert [match.earlier for match in played] == [0] * 2
    assert len({match.process for match in played}) == 2
    assert not any(match.result.outcome.verdicts for match in played)


def test_who_ends_while_it_waits_is_started_anew(make: Make) -> None:
    """What happens between two matches is no fault."""
    first, _, third = build_series(make(), "match").iter_matches(3)
    with ProgramPool() as pool:
        config = HostConfig(LIMITS, programs=pool)
        (before,) = play([first], config)
        descriptor = os.pidfd_open(before.process)
        os.kill(before.process, 9)
        wait_for(descriptor)
        (other,) = play([third], config)
    assert (other.earlier, other.result.outcome.verdicts) == (0, {})


def wait_for(descriptor: int) -> None:
    """Wait until a process has ended."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    assert poll.poll(TIMEOUT * 1000)
    os.close(descriptor)


@pytest.mark.parametrize(("room", "ended"), [(0, 2), (MAX_IDLE + 1, 1)])
def test_only_so_many_wait(
    make: Make, room: int, ended: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has waited longest is ended: each keeps its memory; a plan may need room for more."""
    monkeypatch.setattr("arena.host.program_pool.MAX_IDLE_PROGRAMS", MAX_IDLE)
    bot = make()
    series = build_series(bot, "match")
    count = MAX_IDLE + 2
    names = ["mine", *(f"mine{number}" for number in range(1, count))]
    with ProgramPool() as pool:
        pool.make_room(room)
        config = HostConfig(LIMITS, programs=pool)
        processes = []
        for name in names:
            entrants = evolve(series.entrants[0], name=name), series.entrants[1]
            (match,) = evolve(series, entrants=entrants).iter_matches(1)
            processes.append(int(host(*match, config).errors[0].split()[-2]))
        assert [is_alive(process) for process in processes] == [False] * ended + [True] * (
            count - ended
        )
    assert not any(map(is_alive, processes))


def test_a_folder_that_stays_has_one_process_for_each_match(make: Make, tmp_path: Path) -> None:
    """Two processes would write to it at the same time."""
    with ProgramPool() as pool:
        config = HostConfig(LIMITS, {"mine": tmp_path / "kept"}, programs=pool)
        played = play([*build_series(make(), "match").iter_matches(4)], config)
    assert [match.earlier for match in played] == [None] * 4
    assert len({match.process for match in played}) == 4


def test_each_match_has_a_log_of_its_own(make: Make, tmp_path: Path) -> None:
    """What the process wrote in other matches stands in theirs."""
    with ProgramPool() as pool:
        config = HostConfig(LIMITS, logs=tmp_path, programs=pool)
        played = play([*build_series(make(), "match").iter_matches(4)], config)
    for match in played:
        (log,) = tmp_path.glob(f"{match.spec.key}-*-mine.log")
        assert log.read_text() == f"{match.process} {match.folder}\n"


def test_a_match_is_the_same_in_a_process_of_its_own(make: Make) -> None:
    """With the same seeds and answers the transcripts differ in nothing but times."""
    bot = make()
    texts = []
    with ProgramPool() as pool:
        for programs in (pool, None):
            lines: list[object] = []
            for spec, seated in build_series(bot, "match").iter_matches(6):
                file = InMemoryFile()
                host(spec, seated, HostConfig(LIMITS, programs=programs), [Recorder(spec, file)])
                lines += [strip_times(json.loads(line)) for line in file.text.splitlines()]
            texts.append(lines)
    assert len(texts[0]) > 6 * 3
    assert texts[0] == texts[1]


def strip_times(value: object) -> object:
    """Return a line of a transcript without its times."""
    if isinstance(value, dict):
        return {
            key: strip_times(part)
            for key, part in value.items()
            if key not in ("seconds", "latency", "time", "date", "created")
        }
    return [strip_times(part) for part in value] if isinstance(value, list) else value


def test_a_series_in_workers_keeps_its_processes(make: Make) -> None:
    """Each worker has processes of its own, which end with it."""
    results = play_series("gops", [make(), "match"], games=8, seed="1", options={"cards": 3},
                          limits=LIMITS, workers=2)  # fmt: skip
    assert sorted(filter(None, sum((result.earlier_matches for result in results), ())))
    assert all({*result.sandboxes} == {"trusted", None} for result in results)
    (row,) = (row for row in results.standings() if row.name == "mine")
    assert row.many_games
    processes = {int(e.split()[-2]) for result in results for e in result.errors if e}
    assert not any(map(is_alive, processes))


NOTES = """
import atexit, os, sys
def note(text):
    open(sys.argv[1], "a").write(f"{text} {os.getpid()}\\n")
note("start")
atexit.register(note, "end")
"""
"""Notes its start, and its end if that is its own."""

TOURNAMENT = """
game = "gops"
matches = 8
workers = 1
duplicate = true
check = false
seed = "1"
options = {{ cards = 3 }}
time = {{ grace = 300 }}
[[entrant]]
bot = "{}"
[[entrant]]
bot = "match"
"""


def test_a_tournament_keeps_processes_and_marks_the_bot(
    quick: Cli, make: Make, tmp_path: Path
) -> None:
    """Each match is stored with the matches that its process had played; standings say it."""
    home = Path(make(NOTES + FIRST))
    file = home / "bot.toml"
    file.write_text(file.read_text().replace('"bot.py"]', f'"bot.py", "{tmp_path}/notes"]'))
    (tmp_path / "t.toml").write_text(TOURNAMENT.format(home))
    done = quick("tournament", "run", "t.toml")
    assert done.returncode == 0, done.stderr
    assert "mine (many games)" in done.stdout
    done = quick("matches", "t.toml", "--json")
    seats = [seat for line in done.stdout.splitlines() for seat in json.loads(line)["seats"]]
    earlier = [seat["earlier_matches"] for seat in seats if seat["name"] == "mine"]
    assert sorted(earlier) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert {seat["earlier_matches"] for seat in seats if seat["name"] == "match"} == {None}
    lines = quick("standings", "t.toml", "--json").stdout.splitlines()
    marks = {row["name"]: row["many_games"] for row in map(json.loads, lines)}
    assert marks == {"mine": True, "match": False}
    notes = (tmp_path / "notes").read_text().split()
    assert (notes.count("start"), notes.count("end")) == (2, 2)


REMEMBERS = """
bids = []
def answer(message):
    bids.append(message["options"]["one_of"][0])
    return json.dumps(bids[-1] if played == 1 else 99)
"""
"""Plays a second match wrongly, since it has not forgotten the first."""


@pytest.mark.parametrize(
    ("text", "kinds", "many"),
    [
        (FIRST, [], True),
        (f"{FIRST}def over():\n    {NOT_READY['another answer']}\n", ["ready"], False),
        (FIRST + REMEMBERS, ["illegal"], False),
    ],
)
def test_a_check_plays_two_matches_in_one_process(
    make: Make, text: str, kinds: list[str], many: bool
) -> None:
    """It says whether that is possible, and what a bot has not forgotten."""
    (entrant,) = parse_entrants(GOPS, [make(text)])
    report = check(GOPS, entrant, SMALL, sizes=[2], limits=LIMITS, quick=True)
    assert [finding.kind for finding in report.findings] == kinds
    assert report.facts.many_games is many


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('games = "many"\n', 'games = "many" needs protocol = "json"'),
        (MANY + 'directory = "bot"\n', 'games: cannot be "many" where directory is "bot"'),
        ('games = "few"\n', "games: "),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_one_line(make: Make, more: str, problem: str) -> None:
    """A text protocol has no line for the end of a match."""
    with pytest.raises(BotError, match=problem) as caught:
        parse_entrants(GOPS, [make(more=more), "match"])
    assert "\n" not in str(caught.value)


def test_in_a_sandbox_each_match_has_a_process(make: Make) -> None:
    """Its limits are those of a match; the bot plays all the same."""
    trusted, contained = (
        parse_entrant(GOPS, make(name=name), sandbox)
        for name, sandbox in (("mine", None), ("other", Sandbox(LANDLOCK)))
    )
    with ProgramPool() as pool:
        config = HostConfig(LIMITS, programs=pool)
        assert [config.may_last(entrant) for entrant in (trusted, contained)] == [True, False]
