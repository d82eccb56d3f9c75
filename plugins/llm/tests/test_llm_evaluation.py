"""`arena eval`: suites, runs that continue, and what the report says of models and other bots."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena import UserError
from arena.plugins import get_plugins
from arena.records import parse_text
from arena_llm.evaluation.dry_run import estimate_suite
from arena_llm.evaluation.run import AnswerStore, Run
from arena_llm.evaluation.suite import Suite, list_suites
from arena_web.matches.replay_steps import list_steps
from tests.support.command import Cli
from tests.support.model_endpoint import (
    MODEL_FAULTS,
    Answer,
    Endpoint,
    answer_first,
    fail_in_turn,
    serve_models,
)
from tests.support.programs import TIMEOUT

SUITE = f"""
name = "small"
version = 3
seed = "s"

[time]
move = {TIMEOUT}
start = {TIMEOUT}

[[game]]
game = "kuhn"
opponents = ["optimal"]
matches = 4
best_reply = {{ answers = 2 }}

[[game]]
game = "gops"
opponents = ["match"]
matches = 2
options = {{ cards = 3 }}
best_reply = {{ options = {{ cards = 3 }} }}
"""
BOT = """
name = "model"
command = [{python}, "-m", "arena_llm", "--model", "m", "--base-url", "{url}",
           "--form", "{{form}}", "--record", "{folder}/record/{{form}}",
           "--prices", "input=1,output=2"]
protocol = "json"
games = "many"

[parameters.form]
type = "str"
default = "one"
choices = ["one", "mix"]
"""


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Endpoint]:
    """Serve a model, and write a suite and the bot that asks it."""
    (tmp_path / "small.toml").write_text(SUITE)
    (tmp_path / "player").mkdir()
    with serve_models(fail_in_turn(answer_first, [*MODEL_FAULTS.values()])) as served:
        bot = BOT.format(python=json.dumps(sys.executable), url=served.url, folder=tmp_path)
        (tmp_path / "player" / "bot.toml").write_text(bot)
        yield served


def write_part(folder: Path, number: int) -> None:
    """Write a suite of one of the games, in which nobody is asked without a match."""
    head, *parts = SUITE.replace("cards = 3", "cards = 5").split("[[game]]")
    (folder / "small.toml").write_text(f"{head}[[game]]{parts[number].partition('best_reply')[0]}")


def read_rows(text: str) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str, str], Any]]:
    """Return the rows of bots by name, and the figures by bot, game and name."""
    rows = [json.loads(line) for line in text.splitlines()]
    bots = {row["bot"]: row for row in rows if "game" not in row}
    keys = [
        tuple(row[key] for key in ("bot", "game", "opponents", "figure"))
        for row in rows
        if "game" in row
    ]
    assert len({*keys}) == len(keys)  # no two figures have one name
    figures = {
        (row["bot"], row["game"], row["figure"]): row
        for row in rows
        if "game" in row and row["opponents"] != "against all"
    }
    return bots, figures


def test_a_model_is_evaluated_by_its_matches_and_its_record(cli: Cli, endpoint: Endpoint) -> None:
    """Each second reply is none, so each question is corrected once; nothing is asked twice."""
    words = ("eval", "run", "small.toml", "one=player", "mix=player:form=mix", "random")
    done = cli(*words, "--out", "results", "--json")
    assert done.returncode == 0, done.stderr
    bots, figures = read_rows(done.stdout)
    assert {name: bot["asked"] for name, bot in bots.items()} == {
        "one": "one, list", "mix": "mix, list", "random": "",
    }  # fmt: skip
    for name in ("one", "mix"):
        assert bots[name]["reliability"]["value"] == 1
        assert figures[name, "gops", "wrong_replies"]["value"] == 0.5
        assert figures[name, "gops", "corrected"]["value"] == 1
        assert figures[name, "gops", "unanswered"]["value"] == 0
        assert figures[name, "gops", "calls"]["value"] == 4  # of three cards the last is forced
        assert bots[name]["cost"] > 0
    assert (
        figures["random", "gops", "gain"]["value"] > figures["one", "gops", "gain_floor"]["value"]
    )
    assert figures["one", "kuhn", "gain"]["value"] == 1  # from who never bets or calls
    # with probabilities there is one call a state, and a correction; else as often as is said
    asked = endpoint.count - bots["one"]["calls"] - bots["mix"]["calls"]
    states = {"one": 12 * 2 + 21, "mix": 12 + 39}
    assert asked == 2 * sum(states.values())
    again = cli(*words, "--out", "results", "--json")
    assert endpoint.count == asked + bots["one"]["calls"] + bots["mix"]["calls"]
    assert again.stdout == cli("eval", "report", "results", "--json").stdout == done.stdout
    page = cli("eval", "report", "results", "--format", "html").stdout
    assert page.count("<svg") == 2


def test_an_endpoint_s_faults_are_void_and_counted(
    cli: Cli, endpoint: Endpoint, tmp_path: Path
) -> None:
    """They are played again, cost no reliability, and too many of them cost the place."""
    write_part(tmp_path, 0)
    good, endpoint.model = endpoint.model, lambda *_: Answer("no", status=401)
    done = cli("eval", "run", "small.toml", "player", "--out", "results")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "model: 4 of 4 matches of kuhn are missing (seat" in said
    assert "the endpoint refuses with status 401: no); run it again." in said
    endpoint.model = good
    done = cli("eval", "run", "small.toml", "player", "--out", "results", "--json")
    assert done.returncode == 0, done.stderr
    bots, figures = read_rows(done.stdout)
    assert bots["model"]["void"] == 0.5
    assert bots["model"]["place"] is None
    assert bots["model"]["reliability"]["value"] == 1
    assert figures["model", "kuhn", "forfeits"]["value"] == 0


def test_replays_show_the_reasons_of_models(
    cli: Cli, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the answer, if the folder of the records is named; also the page of the report."""
    write_part(tmp_path, 1)
    cli("eval", "run", "small.toml", "player", "--out", "results")
    run = Run.open(tmp_path / "results")
    (part,) = run.suite.game
    store = run.open_store("model", part)
    assert store
    with store:
        text = store.transcripts.load(0, 0)
    assert text
    transcript, gops = parse_text(text.decode()), get_plugins().find_game("gops")

    def list_reasons() -> list[str]:
        notes = get_plugins().list_annotations(gops, transcript)
        return [note.text for note in notes if "I like it" in note.text]

    assert list_reasons() == []
    monkeypatch.setenv("ARENA_LLM_RECORD", str(tmp_path / "record" / "one"))
    assert list_reasons() == ["model: I like it."] * 4  # the fifth answer is forced
    assert endpoint.count
    assert cli("eval", "site", "results", "pages").stdout == "pages/index.html is the start page\n"
    page = (tmp_path / "pages" / "index.html").read_text()
    match, step = re.findall(r'href="model/gops/match.html#m=([0-9.]+)&amp;step=([0-9]+)"', page)[0]
    assert ". I like it.</li>" in page
    assert match in {"0.0", "1.0"}
    assert 1 < int(step) <= len(list_steps(transcript, ["all"])["all"])
    assert (tmp_path / "pages" / "model" / "gops" / "match.html").is_file()


def test_a_held_out_suite_needs_its_secret(cli: Cli, endpoint: Endpoint, tmp_path: Path) -> None:
    """Its file has the digest alone, and the results are of no other secret."""
    digest = cli("eval", "secret", "secret.txt").stdout.strip()
    assert cli("eval", "secret", "secret.txt").returncode == 2
    suite = (tmp_path / "small.toml").read_text()
    (tmp_path / "held.toml").write_text(suite.replace('seed = "s"', digest))
    (tmp_path / "wrong.txt").write_text("guess\n")
    run = ("eval", "run", "held.toml", "random", "--json")
    for words, problem in [
        ((), "small is held out; name the file of its secret by --secret"),
        (
            ("--secret", "wrong.txt"),
            "wrong.txt: not the secret of small: its digest is another one",
        ),
    ]:
        assert cli(*run, *words).stderr == f"arena: {problem}\n"
    done = cli(*run, "--secret", "secret.txt")
    assert done.returncode == 0, done.stderr
    secret = (tmp_path / "secret.txt").read_text().strip()
    assert secret not in (tmp_path / "eval-small" / "evaluation.json").read_text()
    assert secret not in done.stdout
    other = cli("eval", "run", "small.toml", "random", "--out", "eval-small")
    assert "holds results of small version 3" in other.stderr
    assert endpoint.count == 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('seed = "s"', ""), "set exactly one of `seed` and `secret_sha256`"),
        (("version = 3", "version = 0"), "version: 0 is not"),
        (('game = "gops"', 'game = "kuhn"'), "there are two parts 'kuhn'; give each a `name`"),
        (("version = 3", "version = 3\nlevel = 1"), "unknown key 'level'"),
    ],
)
def test_a_mistake_in_a_suite_is_one_line(
    change: tuple[str, str], problem: str, tmp_path: Path
) -> None:
    """With the file, the place and what is allowed."""
    file = tmp_path / "suite.toml"
    file.write_text(SUITE.replace(*change))
    with pytest.raises(UserError) as found:
        Suite.load(str(file))
    assert str(found.value).startswith(f"{file}: ")
    assert problem in str(found.value)
    assert "\n" not in str(found.value)


def test_two_models_may_not_share_a_folder_of_records(cli: Cli, endpoint: Endpoint) -> None:
    """Their matches have the same seeds, so one would be taken for the other."""
    done = cli("eval", "run", "small.toml", "a=player", "b=player")
    assert done.returncode == 2
    assert "a and b keep their records in one folder" in done.stderr
    assert endpoint.count == 0


@pytest.mark.parametrize("name", list_suites())
def test_suites_that_come_along_can_be_played(name: str) -> None:
    """Their games, options, opponents and tables exist, and what they ask is counted before."""
    suite = Suite.load(name)
    assert suite.name == name
    *rows, total = estimate_suite(suite, bots=2).rows
    assert [row[0] for row in rows if row[1]] == [part.label for part in suite.game]
    assert int(total[2].replace(",", "")) > 100


def test_answers_survive_a_kill(tmp_path: Path) -> None:
    """A line that was cut off is dropped, and asked again; those before it are kept."""
    path = tmp_path / "answers.jsonl"
    for state in ("a", "b"):
        AnswerStore(path).add(state, {True: 0.25, (1, 2): 0.75})
    path.write_text(path.read_text()[:-5])
    answers = AnswerStore(path)
    assert answers.find("a") == {True: 0.25, (1, 2): 0.75}
    assert answers.find("b") is None
    answers.add("b", {False: 1.0})
    assert AnswerStore(path).find("b") == {False: 1.0}
