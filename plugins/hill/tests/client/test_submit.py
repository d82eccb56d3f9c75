"""`arena submit`: a bot is checked here, sent, and followed until it is in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.check import BotFacts, CheckReport, CheckStage, Finding
from arena.host import Limits
from arena.rules import UserError
from arena_hill import client
from arena_hill.api_format import HillDocument
from arena_hill.cli.bot_reports import check_bot
from arena_hill.cli.submit import submit
from arena_hill.client import HillAddress, HillClient, SentArchive, read_token
from arena_hill.db.accounts import TokenScope
from arena_hill.db.submissions import Findings, Submission
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.web import api
from tests.support.hill.hill_access import (
    build_api_application,
    create_key,
    find_author,
    let_in,
    open_hill_access,
    run_with_judge,
    serve_hill,
)
from tests.support.tournaments.folders import write_bot as folder_of

BIDDER = """
import sys
for line in sys.stdin:
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""
WRONG = Finding(
    kind="invalid", fault=True, situation="a game", detail="no \x1b[31mcard", advice="Look."
)
REPORT = CheckReport(
    "gops", "mine", (CheckStage("tables of 2", (WRONG,)),), BotFacts("text", "1", 2, 9, 0.1)
)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return folder_of(tmp_path, "bidder", BIDDER)


def run_submit(*words: object, key: str | None = None) -> Result:
    runner = CliRunner(env={"ARENA_TOKEN": key})
    return runner.invoke(submit, [*map(str, words)], standalone_mode=False)


def turn_away(hill: HillAccess, one: Submission) -> None:
    """Do what the judge does with one that is not."""
    log = "cc: bot.c: \x07oh"
    hill.store.queue.set_state(
        one.id, SubmissionState.REJECTED, "it fails", Findings(report=REPORT.pack(), log=log)
    )


@contextmanager
def host(hill: HillAccess, does: Callable[[HillAccess, Submission], None]) -> Iterator[str]:
    """Serve a hill whose host does this with what is sent; give its address."""
    with run_with_judge(build_api_application(hill), hill, does) as address:
        yield address.removesuffix("/")


def test_a_good_bot_is_submitted_and_gets_in(tmp_path: Path, bot: Path) -> None:
    """A good bot is checked here, uploaded under its name and followed, and its report is shown."""
    hill = open_hill_access(tmp_path)
    with host(hill, let_in) as address:
        result = run_submit(bot, "--to", f"{address}/hill/gops", key=create_key(hill))
    assert result.return_value == 0, result.output
    lines = result.output.splitlines()
    assert lines.count("Passed.") == 2
    assert "bidder: received, submission 1 of the hill gops" in lines
    said = [line for line in lines if line.startswith("  ") and not line.startswith("  ok")]
    assert said[-1] == "  in"
    assert hill.store.submissions.select()[0].bot.name == "bidder"


def test_a_rejected_bot_is_explained(tmp_path: Path, bot: Path) -> None:
    """The end of the build log and the report of the hill are shown, without control characters."""
    hill = open_hill_access(tmp_path)
    token = tmp_path / "token"
    token.write_text(create_key(hill) + "\n")
    with host(hill, turn_away) as address:
        result = run_submit(
            bot, "--to", address, "--name", "mine", "--no-check", "--token-file", token
        )
    assert result.return_value == 1
    assert "  rejected: it fails" in result.output
    assert "  wrong  tables of 2" in result.output
    assert "Failed: one mistake." in result.output
    assert "cc: bot.c: " in result.output
    assert not {"\x07", "\x1b"} & {*result.output}


def test_json_is_a_line_for_each_state(tmp_path: Path, bot: Path) -> None:
    """With --json there is a line for each state of the submission, and at last one with all of it."""
    hill = open_hill_access(tmp_path)
    with host(hill, turn_away) as address:
        result = run_submit(bot, "--to", address, "--no-check", "--json", key=create_key(hill))
    *moved, last = map(json.loads, result.output.splitlines())
    assert (result.return_value, moved[-1]["state"], moved[-1]["over"]) == (1, "rejected", True)
    assert (last["bot"], last["report"]["passed"]) == ("bidder", False)


def test_a_bot_that_fails_the_check_here_is_not_uploaded(tmp_path: Path, bot: Path) -> None:
    """A bot that fails here uses up no submission of the day."""
    (bot / "bot.py").write_text("print('nonsense', flush=True)\n")
    hill = open_hill_access(tmp_path)
    with serve_hill(hill) as address:
        result = run_submit(bot, "--to", address, key=create_key(hill))
    assert result.return_value == 1
    assert "Failed: one mistake" in result.output
    assert hill.store.submissions.select() == []


def test_a_refusal_of_the_hill_is_shown_in_its_words(tmp_path: Path, bot: Path) -> None:
    """The exit status is 1 for a bot that is not taken, and 2 for an author who may not submit."""
    hill = open_hill_access(tmp_path)
    create_key(hill)
    hill.intake.submit(find_author(hill.store), "mine", b"PK\5\6" + bytes(18))
    with serve_hill(hill) as address:
        to = (bot, "--no-check", "--to", address)
        theirs = run_submit(*to, "--name", "mine", key=create_key(hill, "bob"))
        assert theirs.return_value == 1
        assert "arena: mine belongs to another author: choose another name" in theirs.output
        for key, said in {
            "arena_x": "this token is unknown: create one on the hill's page",
            create_key(
                hill, scope=TokenScope.READ
            ): "this token can only read: create one that may submit",
        }.items():
            result = run_submit(*to, key=key)
            assert result.return_value == 2
            assert said in result.output
        other = run_submit(bot, "--to", f"{address}/hill/bs", key=create_key(hill))
    assert str(other.exception) == "there is no hill called bs (available: gops)"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("hill.example", "not the address of a hill"),
        ("ftp://hill.example", "not the address of a hill"),
        ("https://[", "not the address of a hill"),
        ("https://a..b", "not the address of a hill"),
        ("https://two words", "not the address of a hill"),
        (
            "http://hill.example/hill/gops",
            "use https; a token is sent without it only to this machine",
        ),
        ("https://hill.example/t/gops", "not a hill's page"),
    ],
)
def test_an_address_that_is_not_a_hills_is_refused(url: str, said: str) -> None:
    """An address that is no hill's, or would send the token in the clear, is refused."""
    with pytest.raises(UserError, match=said):
        HillAddress.parse(url)


def test_addresses_and_tokens_are_read(tmp_path: Path) -> None:
    """An address is that of a site or a hill, and a token comes from a file or the environment."""
    assert HillAddress.parse("https://hill.example/hill/gops/") == HillAddress(
        "https", "hill.example", None, "gops"
    )
    assert HillAddress.parse("http://[::1]:80") == HillAddress("http", "::1", 80, None)
    with pytest.raises(UserError, match="cannot be read"):
        read_token(tmp_path / "none")
    (tmp_path / "key").write_text("two words")
    with pytest.raises(UserError, match="not a token"):
        read_token(tmp_path / "key")


@pytest.mark.parametrize(
    ("unusual", "said"),
    [
        ({"options": {"cards": 0}}, "the hill's options cannot be read by this version of gops: "),
        ({"table": 0}, "gops"),
        ({"table": 10**9}, "gops"),
    ],
)
def test_a_hill_whose_game_is_another_here_is_one_line(
    bot: Path, unusual: dict[str, Any], said: str
) -> None:
    """A bot is not checked by rules that the game does not have here, and the error is one line."""
    document: dict[str, Any] = {
        "name": "gops", "title": "", "description": "", "link": "", "contact": "", "size": 9,
        "game": "gops", "options": {}, "table": 2, "started": None, "last_match": None,
    }  # fmt: skip
    hill = HillDocument(**{**document, **unusual}, time=Limits())
    with pytest.raises(UserError, match=said) as problem:
        check_bot(bot, hill, quiet=True)
    assert "\n" not in str(problem.value)


FINAL = '{"state": "in", "why": "", "position": null, "over": true}'


@contextmanager
def serve_answers(*answers: bytes) -> Iterator[tuple[str, list[str]]]:
    """Serve what is no arena: these heads and bodies in turn; give its address, and who asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)  # before whoever asks can go on
            self.wfile.write(answers[min(len(asked), len(answers)) - 1])

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def build_answer(status: str, body: str = "", *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", body]).encode()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (build_answer("200 OK", "<html>"), "the server is not an arena"),
        (build_answer("200 OK", "[]"), "the server is not an arena"),
        (build_answer("200 OK", '{"hills": [{"name": 1}]}'), "the server is not an arena"),
        (build_answer("200 OK", '{"hills": 3}'), "the server is not an arena"),
        (build_answer("200 OK", "[" * 100_000), "the server is not an arena"),
        (
            build_answer("302 Found", "", "Location: http://127.0.0.2:1/"),
            "has moved to http://127.0.0.2",
        ),
        (build_answer("500 Oh", "{}"), "500 Oh"),
        (b"nonsense\r\n\r\n", "127.0.0.1: "),
        (b"", "127.0.0.1: "),
    ],
)
def test_a_server_that_is_no_arena_is_one_line(bot: Path, text: bytes, said: str) -> None:
    """Whatever the server answers, the error is one line, and no redirection gets the token."""
    with serve_answers(text) as (address, asked):
        result = run_submit(bot, "--to", address, "--no-check", key="arena_x")
    words = f"{result.output}{result.exception or ''}"
    assert isinstance(result.exception, (UserError, type(None)))
    assert said in words
    assert "\n" not in words.strip()
    assert len(asked) <= 2


def test_a_site_that_no_longer_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some tries the client ends, and says that the submission is still being processed there."""
    monkeypatch.setattr(client, "RETRY_SECONDS", 0.0)
    event = build_answer(
        "200 OK", 'data: {"state": "queued", "why": "", "position": 1, "over": false}\n\n'
    )
    with serve_answers(event, build_answer("503 Oh")) as (address, asked):
        stream = HillClient(HillAddress.parse(address), "arena_x").follow_submission(7)
        assert next(stream).state is SubmissionState.QUEUED
        with pytest.raises(UserError, match="submission 7 is still being processed"):
            next(stream)
    assert len(asked) == 2 * (1 + client.MAX_SILENT_TRIES)
    assert {*asked[::2]} == {"/api/v1/submissions/7/events"}
    assert {*asked[1::2]} == {"/api/v1/submissions/7"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (build_answer("302 Found", "", "Location: https://moved.example/"), "this site has moved"),
        (build_answer("200 OK", "<html>"), "the server is not an arena"),
        (build_answer("200 OK", '{"state": 1}'), "the server is not an arena"),
    ],
)
def test_an_answer_that_no_retry_changes_ends_the_following(answer: bytes, said: str) -> None:
    """A site that has moved, or answers what means nothing here, is not asked again and again."""
    with serve_answers(answer) as (address, asked):
        stream = HillClient(HillAddress.parse(address), "arena_x").follow_submission(7)
        with pytest.raises(UserError, match=said):
            next(stream)
    assert len(asked) <= 2


def test_an_answer_that_breaks_off_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A status that is cut short is as if the site had not answered."""
    monkeypatch.setattr(client, "RETRY_SECONDS", 0.0)
    whole = build_answer("200 OK", f"data: {FINAL}\n\n")
    cut = build_answer("200 OK", '{"state"', "Content-Length: 300")
    with serve_answers(build_answer("503 Oh"), cut, whole) as (address, asked):
        stream = HillClient(HillAddress.parse(address), "arena_x").follow_submission(7)
        assert [status.state for status in stream] == [SubmissionState.IN]
    assert len(asked) == 3


def test_a_submission_is_followed_without_streams(
    tmp_path: Path, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission is followed to its end although each of its streams is refused."""
    monkeypatch.setattr(client, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(client, "MAX_SILENT_TRIES", 1)  # each answer is heard
    monkeypatch.setattr(api, "MAX_AUTHOR_STREAMS", 0)
    hill = open_hill_access(tmp_path)
    with host(hill, let_in) as address:
        result = run_submit(bot, "--to", address, "--no-check", key=create_key(hill))
    assert result.return_value == 0, result.output
    assert "  in" in result.output.splitlines()


UNREADABLE = '{"submission": 7, "report": {"findings": 3}}'
BROKEN_LOOKS = [
    build_answer("503 Oh"),
    build_answer("401 Oh"),
    build_answer("200 OK", UNREADABLE),
    b"",
]


@pytest.mark.parametrize("look", BROKEN_LOOKS)
@pytest.mark.parametrize(("state", "status"), [("in", 0), ("rejected", 1)])
def test_a_result_that_cannot_be_shown_does_not_change_the_status(
    bot: Path, monkeypatch: pytest.MonkeyPatch, look: bytes, state: str, status: int
) -> None:
    """The exit status is that of the final state, though the results cannot be shown after it."""
    final = FINAL.replace('"in"', f'"{state}"')
    hill = HillDocument("gops", "", "", "", "gops", {}, 2, Limits(), 50, "", None, None)
    monkeypatch.setattr(HillClient, "check_token", lambda _: None)
    monkeypatch.setattr(HillClient, "find_hill", lambda _: hill)
    monkeypatch.setattr(HillClient, "send_archive", lambda *_: SentArchive(7, is_new=True))
    with serve_answers(build_answer("200 OK", f"data: {final}\n\n"), look) as (address, asked):
        result = run_submit(bot, "--to", address, "--no-check", key="arena_x")
    assert result.return_value == status
    assert f"  {state}" in result.output.splitlines()
    assert "arena: the result of submission 7 cannot be shown: " in result.output
    assert len(asked) == 2


def test_the_representation_of_a_client_hides_its_token() -> None:
    """A client's representation does not show its token."""
    assert "secret" not in repr(HillClient(HillAddress.parse("http://localhost"), "arena_secret"))
