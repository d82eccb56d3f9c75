"""Whatever stands on a command line or in a file: a few lines, a known status, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import ARENA, Cli
from tests.support.programs import TIMEOUT, environment

LONG = "x" * 5000
HEAD = (
    '{"format":1,"match":"k","game":"gops","variant":%s,"seed":%s,'
    '"seats":[{"name":"a"},{"name":"b"}]}\n'
)
TOURNAMENT = 'game = "gops"\n%s\n[[entrant]]\nbot = "random"\n[[entrant]]\nbot = "match"\n'
FILES = [
    "pipe", "folder", "nothing", "empty", "broken", "deep.toml", "deep.json", "lists.jsonl",
    "digits.jsonl", "infinite.jsonl", "huge.jsonl", "halves.jsonl", "/dev/full", "/dev/zero",
    "/proc/self/mem", LONG, "x/" * 3000, "\udc80", "", "-", "postgresql://", "http://x",
    f"postgresql://{LONG}/x", "postgresql://[::/x", "postgresql://h:99999999/x",
]  # fmt: skip
OF_FILES = [
    "tournament run {}", "tournament add {} random", "tournament withdraw {} random",
    "tournament replace {} random", "tournament new gops {}", "standings {}", "matches {}",
    "transcript {} 0.0", "export {}", "export good.toml --out {}", "replay {}", "verify {}",
    "golden kuhn --into {}", "new-game pips --into {}", "new-bot gops mine --into {}",
    "match kuhn random careful --transcript {}", "match kuhn random careful --bot-logs {}",
    "match kuhn random careful --keep-folders {}", "match gops random {}", "check gops {} --quick",
]  # fmt: skip
WORDS = [
    "", "\udc80", "9" * 5000, str(2**70), "-1", "1e400", "nan", LONG, "a=b", "=", ":", "json:",
    "program:", "a=", "random:x", "ordered:start=" + "9" * 5000, "ordered:start=" + "[" * 100_000,
    "ordered:start=\udc80", "json:pipe", "'", "\n",
]  # fmt: skip
OF_WORDS = [
    "nonsense {}", "{} gops", "tournament run good.toml {}", "tournament new {} other.toml",
    "tournament add good.toml {}", "tournament replace good.toml random {}",
    "tournament withdraw good.toml {}", "transcript good.toml {}", "matches good.toml --bot {}",
    "matches good.toml --limit {}", "matches good.toml --stage {}", "standings good.toml {}",
    "match {} random random", "match gops random {}", "match gops random match -o {}",
    "match gops random match -o cards={}", "match gops random match -o {}=3",
    "match kuhn random careful --move-time {}", "match kuhn random careful --bank {}",
    "match kuhn random careful --seed {}", "replay lists.jsonl --as {}", "golden {} --into g",
    "golden kuhn --into g -o {}", "fuzz {} --for 0", "fuzz kuhn --for 0 --seed {}",
    "fuzz kuhn --for 0 -o {}", "new-game {}", "new-bot {} mine", "new-bot gops {}",
    "new-bot gops mine --lang {}", "duel {} random match", "duel gops random {} --workers 0",
    "duel gops random match --workers {} --pairs 0", "duel gops random match --alpha {} --pairs 0",
    "check {} random", "check kuhn {} --quick", "check gops random --quick --players {}", "bots {}",
    "check kuhn random --quick -o {}",
]  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Write files that are not what they should be, and one that is."""
    texts = {
        "empty": "", "deep.toml": "a = " + "[" * 100_000, "deep.json": "[" * 200_000,
        "lists.jsonl": HEAD % ("{}", '"s"') + f'{{"to":null,"event":{"[" * 900}{"]" * 900}}}\n',
        "digits.jsonl": HEAD % ("{}", '"s"') + f'{{"to":{"9" * 5000}}}\n',
        "infinite.jsonl": HEAD % ('{"cards":1e999}', '"s"'),
        "huge.jsonl": HEAD % (f'{{"cards":{2**70}}}', '"s"'),
        "halves.jsonl": HEAD % ("{}", r'"\ud800"'),
        "good.toml": TOURNAMENT % "",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken").write_bytes(b"\xff\xfe\x80")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def said_well(done: subprocess.CompletedProcess[str]) -> bool:
    """Say whether it ended in order, in a few lines of a sensible length."""
    lines = done.stderr.splitlines()
    assert done.returncode in (0, 1, 2, 3), done.args  # 3: too little time for `arena fuzz`
    assert len(lines) <= 6, done.args  # one of each transcript in a folder
    assert max(map(len, lines), default=0) < 2500, done.args
    return True


@pytest.mark.slow
@pytest.mark.parametrize("call", OF_FILES)
@pytest.mark.usefixtures("hostile")
def test_files_of_any_kind(quick: Cli, call: str) -> None:
    """A folder, a pipe that nobody writes, a device, a name too long: no command waits or falls."""
    for file in FILES:
        assert said_well(quick(*[word.replace("{}", file) for word in call.split()]))


@pytest.mark.parametrize("call", OF_WORDS)
@pytest.mark.usefixtures("hostile")
def test_words_of_any_kind(quick: Cli, call: str) -> None:
    """Numbers beyond all bounds, nothing, half characters, brackets without end."""
    for word in WORDS:
        assert said_well(quick(*[part.replace("{}", word) for part in call.split()]))


VALUES = [
    "''", "'\u0000'", f"'{LONG}'", str(2**70), str(-(2**70)), "0", "-1", "1_000_000", "inf", "nan",
    "1e400", "true", "[]", "{}", "1979-05-27", "[" * 400 + "]" * 400, "'postgresql://a\u0000b/c'",
]  # fmt: skip
KEYS = [
    "format", "table", "matches", "stop", "level", "duplicate", "rating", "seed", "database",
    "executor", "workers", "transcripts", "unfit", "options", "time", "entrant", "options.cards",
    "time.move", "time.bank", "entrant.bot", "entrant.folder", "entrant.name",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.usefixtures("hostile")
def test_a_tournament_s_file_with_anything_in_it(quick: Cli, tmp_path: Path, key: str) -> None:
    """Each key, each value: what is wrong is said, and what can be read is no traceback."""
    for number, given in enumerate(VALUES):
        value = json.dumps(given[1:-1]) if given.startswith("'") else given
        where, _, name = key.rpartition(".")
        line = f"{name} = {value}"
        table = {"": "", "entrant": "[[entrant]]\n"}.get(where, f"[{where}]\n")
        text = f"{line}\n{TOURNAMENT}" if not where else f"{TOURNAMENT}\n{table}{line}\n"
        (tmp_path / f"t{number}.toml").write_text(text % "")
        done = quick("standings", f"t{number}.toml")  # reads the file, and plays nothing
        assert said_well(done), value


@pytest.mark.parametrize("value", [2**70, 10**6, 1001, 0, -1])
def test_workers_are_bounded(quick: Cli, tmp_path: Path, value: int) -> None:
    """Each is a process: a thousand may be asked for."""
    (tmp_path / "t.toml").write_text(TOURNAMENT % f"workers = {value}")
    done = quick("tournament", "run", "t.toml")
    assert done.returncode == 2
    allowed = "a whole number from 1 to 1000"
    assert done.stderr == f"arena: t.toml: workers: {value} is not {allowed}\n"
    done = quick("duel", "gops", "random", "match", "--workers", str(value))
    assert f"--workers: {value} is not {allowed}" in done.stderr


@pytest.mark.parametrize("name", ["a\0b", LONG, "postgresql://a\0b/c", f"postgresql://{LONG}/x"])
def test_a_database_whose_name_cannot_be(quick: Cli, tmp_path: Path, name: str) -> None:
    """In the file and on the command line: one line, and nothing is played."""
    (tmp_path / "t.toml").write_text(TOURNAMENT % f"database = {json.dumps(name)}")
    for call in ("tournament run t.toml", "tournament add t.toml random", "standings t.toml"):
        done = quick(*call.split())
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = quick("standings", name)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_bot_toml_of_any_kind(quick: Cli, tmp_path: Path) -> None:
    """Nested without end, a pipe, a device, a folder: the bot is refused in a line."""
    for name in ("deep", "pipe", "device", "folder", "long"):
        (tmp_path / name).mkdir()
    (tmp_path / "deep/bot.toml").write_text("a = " + "[" * 100_000)
    os.mkfifo(tmp_path / "pipe/bot.toml")
    (tmp_path / "device/bot.toml").symlink_to("/dev/zero")
    (tmp_path / "folder/bot.toml").mkdir()
    (tmp_path / "long/bot.toml").touch()
    os.truncate(tmp_path / "long/bot.toml", 1 << 40)
    for name in ("deep", "pipe", "device", "folder", "long"):
        done = quick("match", "gops", "random", name)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), name
        assert name in done.stderr


def test_a_path_of_bytes_is_shown(cli: Cli, tmp_path: Path) -> None:
    """What is no UTF-8 is printed all the same."""
    done = cli("new-bot", "gops", "mine", "--into", os.fsdecode(b"\x80"))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list(tmp_path.glob("*/mine/bot.toml"))) == 1


def test_a_pipe_that_is_written_is_read(mark: str, tmp_path: Path, quick: Cli) -> None:
    """As a shell's `<(...)` hands one over; and a transcript may go into one that is read."""
    assert quick("match", "kuhn", "random", "careful", "--transcript", "t.jsonl").returncode == 0
    call = f"{ARENA} verify <(cat t.jsonl) && {ARENA} match kuhn random careful --json"
    done = subprocess.run(
        ["bash", "-c", f"{call} --transcript >(wc -l > counted) && wait $!"], cwd=tmp_path,
        env=environment(mark), capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 of 1 transcripts verified\n")
    assert int((tmp_path / "counted").read_text()) > 1


def test_an_option_with_one_value_is_given_once(quick: Cli) -> None:
    """The first value is not dropped in silence; a list takes all, and a flag may be repeated."""
    done = quick("match", "kuhn", "random", "careful", "--seed", "1", "--json", "--seed=2")
    words = "arena: --seed was given 2 times: give it once (see arena match --help)\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", words)
    assert quick("match", "gops", "random", "match", *("-o", "cards=3") * 2, "--json", "--json")
