"""The program `arena-llm`: in matches, in tournaments, and what it says when it cannot play."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from arena import UserError
from arena.check import check
from arena.host import HostConfig, PastAsk, Series, host, parse_entrants
from arena.plugins import build_variant, get_plugins
from arena.records import InMemoryFile, Recorder
from arena_llm.command import llm
from arena_llm.ledger import Ledger
from tests.support.checkout import ROOT
from tests.support.command import Cli
from tests.support.model_endpoint import Answer, Endpoint, Request, answer_first, serve_models
from tests.support.programs import LIMITS, TIMEOUT

PATIENT = ("--move-time", str(TIMEOUT), "--start-time", str(TIMEOUT))
BOT = """
name = "model"
command = [{program}, "--form", "{{form}}"]
protocol = "json"
games = "many"

[parameters.form]
type = "str"
default = "one"
choices = ["one", "mix"]
"""
CUP = f"""
game = "gops"
format = "round-robin"
matches = 8
seed = "1"
workers = 2
check = false

[options]
cards = 3

[time]
move = {TIMEOUT}
start = {TIMEOUT}

[[entrant]]
bot = "model"

[[entrant]]
bot = "match"
"""
KEY = "s3cret"


def check_key(endpoint: Endpoint, request: Request) -> Answer:
    """Answer those who have the key."""
    right = endpoint.keys[-1] == f"Bearer {KEY}"
    return answer_first(endpoint, request) if right else Answer("wrong key", status=401)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve_models(check_key) as running:
        yield running


def command_words(url: str) -> list[str]:
    """Return the words of the program's command line."""
    return [sys.executable, "-m", "arena_llm", "--model", "m", "--base-url", url]


@pytest.fixture
def model(endpoint: Endpoint, tmp_path: Path) -> Path:
    """Return the folder of a bot."""
    folder = tmp_path / "model"
    folder.mkdir()
    words = command_words(endpoint.url)
    for option, name in {"--key-file": "key", "--record": "record", "--ledger": "ledger"}.items():
        words += [option, str(tmp_path / name)]  # a tournament plays a copy of the bot's folder
    (tmp_path / "key").write_text(f"{KEY}\n")
    (folder / "bot.toml").write_text(BOT.format(program=", ".join(map(json.dumps, words))))
    return folder


@pytest.mark.parametrize(
    ("url", "words", "reason"),
    [
        ("", "", "the endpoint refuses with status 401: wrong key"),
        ("http://127.0.0.1:9/v1", "--call-seconds 0.1", "no reply in time after .*"),
        ("", "--run-budget tokens=1 --key-file {key}", "the budget of the run is spent: .*"),
        ("", "--key-file {key} --ledger /no/ledger", ".* No such file or directory: '/no/ledger'"),
    ],
    ids=["wrong key", "nobody there", "budget", "ledger"],
)
def test_an_endpoint_at_fault_makes_the_match_void(
    url: str, words: str, reason: str, *, cli: Cli, endpoint: Endpoint, tmp_path: Path
) -> None:
    """The reason is the last thing that the program says; it has no key of the host's."""
    (tmp_path / "key").write_text(f"{KEY}\n")
    program = shlex.join(command_words(url or endpoint.url))
    bot = f"json:{program} {words.format(key=tmp_path / 'key')}"
    done = cli("match", "gops", bot, "match", "--seed", "1", *PATIENT, OPENAI_API_KEY=KEY)
    assert done.returncode == 1
    void = rf"void, not counted: seat 0 could not play: arena-llm: {reason}\n"
    assert re.fullmatch(void, done.stdout), done.stdout
    assert {*endpoint.keys} <= {f"Bearer {KEY if '{key}' in words else 'none'}"}


@pytest.mark.usefixtures("model")
def test_a_tournament_shares_processes_and_an_account(
    cli: Cli, endpoint: Endpoint, tmp_path: Path
) -> None:
    """Each process plays many matches, and no match of a model is lost or void."""
    (tmp_path / "cup.toml").write_text(CUP)
    done = cli("tournament", "run", "cup.toml")
    assert done.returncode == 0, done.stderr
    matches = [
        json.loads(line) for line in cli("matches", "cup.toml", "--json").stdout.splitlines()
    ]
    assert [match["outcome"] for match in matches] == ["finished"] * 8
    account = Ledger(tmp_path / "ledger").usage
    assert account.calls == endpoint.count == 16  # of three cards the last is bid unasked
    assert account.input_tokens > 0
    records = [*(tmp_path / "record").iterdir()]
    assert len(records) == 8
    assert {len(record.read_text().splitlines()) for record in records} == {3}


@pytest.mark.usefixtures("mark")
def test_a_resumed_table_asks_no_question_twice(endpoint: Endpoint, model: Path) -> None:
    """The host asks its programs again what they have answered; the record knows the answers."""
    gops = get_plugins().find_game("gops")
    entrants = parse_entrants(gops, [f"{model}:form=mix", "match"])
    ((spec, seated),) = Series(
        gops, build_variant(gops, {"cards": 5}), entrants, "seed"
    ).iter_matches(1)
    texts: list[str] = []
    for count in (0, 3):
        past, file = list[Any](), InMemoryFile()
        if count:
            lines = [line for line in texts[0].splitlines() if line.startswith('{"from":')]
            past = [PastAsk.parse(gops, lines[at : at + 2]) for at in range(0, 2 * count, 2)]
        host(spec, seated, HostConfig(limits=LIMITS), [Recorder(spec, file)], past)
        texts.append(file.text)
    assert endpoint.count == 4
    first, second = (
        [json.loads(line).get("answer") for line in text.splitlines()] for text in texts
    )
    assert first == second


def test_the_check_of_bots_has_no_remarks(model: Path) -> None:
    """It answers, ends when its input does, and leaves nothing behind."""
    game = get_plugins().find_game("kuhn")
    (entrant,) = parse_entrants(game, [str(model)])
    report = check(game, entrant, limits=LIMITS, seed="1", quick=True)
    assert report.findings == ()
    assert report.left_out == ""


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--record", "here"], "'here' is not an absolute path; a bot works in an empty folder, which is deleted"),
        (["--key-file", "/no/such/file"], "/no/such/file: No such file or directory"),
        (["--key-file", "/dev/null"], "/dev/null: this is a device, not a file"),
        (["--prices", "input=x"], "'input=x' is not of the form input=N,output=N"),
        (["--prices", "in=1"], "'in=1' is not of the form input=N,output=N: unknown key 'in'"),
        (["--match-budget", "cost=-1"], "cost: -1.0 is not a number above 0"),
        (["--run-budget", "cost=1"], "a budget of cost needs the prices of tokens; give --prices, too"),
        (["--request", "[1]"], "'[1]' is not a JSON object"),
        (["--form", "all"], "'all' is not one of 'one', 'mix'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_command_line_is_said(words: list[str], problem: str) -> None:
    """In one line, before a match begins."""
    with pytest.raises((click.UsageError, UserError)) as found:
        llm.main(["--model", "m", *words], standalone_mode=False)
    said = found.value
    text = said.format_message() if isinstance(said, click.UsageError) else str(said)
    assert problem in text
    assert "\n" not in text


def test_the_reference_has_each_option() -> None:
    """And no other one."""
    page = (ROOT / "docs/reference/language-models.md").read_text("utf-8")
    options = {option.opts[0] for option in llm.params if isinstance(option, click.Option)}
    assert {*re.findall(r"^\| `(--[a-z-]+)", page, re.MULTILINE)} == options


def test_a_ledger_that_is_none_is_named(tmp_path: Path) -> None:
    """It is not overwritten: it may be another file of yours."""
    path = tmp_path / "ledger"
    path.write_text("my diary\n")
    with pytest.raises(UserError, match=r"not a ledger of arena-llm"):
        Ledger(path).reserve_call(None)
    assert path.read_text() == "my diary\n"
