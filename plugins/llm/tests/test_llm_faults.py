"""What comes of each fault of a model and of its endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from arena import Greeting, TimeLeft, load_game
from arena.players import BotPlayer
from arena.rules import End
from arena.wires import Limits
from arena_gops.bots import Matching
from arena_llm import Budget, Decision, EndpointError, ModelBot, ModelSettings, OnFailure, Prices
from arena_llm.answers import Fault
from arena_llm.ledger import Ledger
from tests.support.checkout import ROOT
from tests.support.model_endpoint import (
    MODEL_FAULTS,
    OUTAGES,
    Answer,
    Endpoint,
    Model,
    Request,
    answer_first,
    every_third,
    serve_models,
)
from tests.support.programs import HostedMatch, host

pytestmark = pytest.mark.slow  # a server
GOPS = load_game("gops")
ASKED = 12  # questions of a match of 13 cards: the last card is bid without a question
FAULTS = {Fault(name): answer for name, answer in MODEL_FAULTS.items()}


@pytest.fixture
def serve() -> Iterator[Callable[[Model], Endpoint]]:
    """Return a function that serves a model to the end of the test."""
    running: list[AbstractContextManager[Endpoint]] = []

    def start(model: Model) -> Endpoint:
        running.append(serve_models(model))
        return running[-1].__enter__()

    yield start
    for each in running:
        each.__exit__(None, None, None)


def play(endpoint: Endpoint, folder: Path, **settings: Any) -> tuple[HostedMatch, list[Any]]:
    """Play a match of GOPS against a bot; return it, and the lines of the record."""
    chosen = ModelSettings(model="m", base_url=endpoint.url, record=folder, **settings)
    hosted = host([BotPlayer(ModelBot(chosen)), BotPlayer(Matching())])
    (record,) = folder.iterdir()
    return hosted, [json.loads(line) for line in record.read_text().splitlines()[1:]]


def build_bot(endpoint: Endpoint | str, **settings: Any) -> ModelBot:
    """Return a bot that is to bid for its first prize, without a match."""
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    bot = ModelBot(ModelSettings(model="m", base_url=url, **settings))
    bot.greet(Greeting("gops", 0, 2, GOPS.read_variant({"cards": 3}), "seed"))
    bot.hear(GOPS.vocabulary.classes["Prize"](3))
    return bot


def decide(bot: ModelBot) -> Decision:
    """Return the bot's bid."""
    return bot.decide(
        GOPS.vocabulary.unpack({"ask": "Bid", "options": {"one_of": [1, 2, 3]}, "default": None})
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_each_third_reply_may_be_bad(
    fault: Fault, serve: Callable[[Model], Endpoint], tmp_path: Path
) -> None:
    """The model is told what was wrong, answers again, and plays its own match."""
    endpoint = serve(every_third(answer_first, FAULTS[fault]))
    hosted, lines = play(endpoint, tmp_path)
    assert hosted.outcome.verdicts == {}
    assert [line["fault"] for line in lines] == [None] * ASKED
    faults = [attempt["fault"] for line in lines for attempt in line["tries"]]
    assert faults.count(fault) == len(faults) - ASKED == endpoint.count - ASKED == 5


@pytest.mark.parametrize("fault", [Fault.MALFORMED, Fault.ILLEGAL])
def test_a_model_that_never_answers_is_played_for(
    fault: Fault, serve: Callable[[Model], Endpoint], tmp_path: Path
) -> None:
    """Each answer that is not its own is counted."""
    endpoint = serve(lambda *_: FAULTS[fault])
    hosted, lines = play(endpoint, tmp_path)
    assert hosted.outcome.verdicts == {}
    assert [line["fault"] for line in lines] == [fault] * ASKED
    assert endpoint.count == 3 * ASKED


def test_a_model_can_forfeit(serve: Callable[[Model], Endpoint], tmp_path: Path) -> None:
    """It loses by an illegal answer, and the verdict says why."""
    hosted, _ = play(
        serve(lambda *_: FAULTS[Fault.ILLEGAL]), tmp_path, on_failure=OnFailure.FORFEIT
    )
    assert hosted.verdict.kind == "illegal"
    assert "no legal answer in 3 tries: illegal" in hosted.verdict.detail


@pytest.mark.parametrize("outage", OUTAGES)
def test_outages_change_no_bid(
    outage: str, serve: Callable[[Model], Endpoint], tmp_path: Path
) -> None:
    """A call that the endpoint did not answer is repeated, and is no fault of the model."""
    hosted, lines = play(serve(every_third(answer_first, OUTAGES[outage])), tmp_path / "a")
    plain, expected = play(serve(answer_first), tmp_path / "b")
    assert hosted.outcome.scores == plain.outcome.scores
    assert [line["answer"] for line in lines] == [line["answer"] for line in expected]
    assert [len(line["tries"]) for line in lines] == [1] * ASKED
    pauses = [pause for line in lines for pause in line["tries"][0]["reply"]["pauses"]]
    assert len(pauses) == 5


def test_a_call_that_hangs_is_repeated(serve: Callable[[Model], Endpoint]) -> None:
    """The first one hangs until the second one comes."""

    def answer(endpoint: Endpoint, request: Request) -> Answer:
        return Answer(hang=True) if endpoint.count == 1 else answer_first(endpoint, request)

    decision = decide(build_bot(serve(answer), call_seconds=0.5))
    assert decision.answer == 1
    assert "nothing within 0.5 s" in decision.attempts[0].reply.pauses


def test_an_endpoint_that_sends_blanks_all_the_time_hangs(
    serve: Callable[[Model], Endpoint],
) -> None:
    """Some keep connections alive so: a call has a deadline that they do not move."""
    bot = build_bot(serve(lambda *_: Answer(trickle=True)), call_seconds=0.1)
    with pytest.raises(EndpointError, match=r"no reply in time after .* nothing within 0\.1 s"):
        decide(bot)


@pytest.mark.parametrize(
    ("model", "settings", "reason"),
    [
        (lambda *_: Answer(hang=True), {"call_seconds": 0.1}, "no reply in time after .* nothing within"),
        (lambda *_: Answer("bad key", status=401), {}, "the endpoint refuses with status 401: bad key"),
        (lambda *_: Answer("no such model", status=404), {}, "status 404: no such model"),
        (
            lambda *_: Answer("later", status=429, headers={"retry-after": "3600"}), {},
            "the last one: status 429: later; the next call may begin in 3600 s",
        ),
    ],
)  # fmt: skip
def test_an_endpoint_without_a_reply_is_named(
    model: Model, settings: Any, reason: str, serve: Callable[[Model], Endpoint]
) -> None:
    """It is not the model that failed, so nothing is answered."""
    with pytest.raises(EndpointError, match=reason):
        decide(build_bot(serve(model), **settings))


def test_an_endpoint_that_is_not_there_is_named() -> None:
    """Nobody listens at its address."""
    with pytest.raises(EndpointError, match=r"no reply in time after .* no connection: "):
        decide(build_bot("http://127.0.0.1:9/v1", call_seconds=0.1))


@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        ({"match_budget": Budget(tokens=700)}, r"match is spent: \d+ of 700 tokens are used"),
        ({"run_budget": Budget(tokens=700)}, r"run is spent: \d+ of 700 tokens are used"),
        ({"match_budget": Budget(cost=700)}, r"match is spent: \d+\.?\d* of 700 cost are used"),
        ({"match_budget": Budget(seconds=1e-9)}, r"match is spent: .* of 1e-09 seconds are used"),
    ],
)
def test_a_budget_that_is_spent_ends_the_match(
    budget: Any, spent: str, serve: Callable[[Model], Endpoint], tmp_path: Path
) -> None:
    """Before the next call, and with what was used."""
    prices = Prices(input=1e6, output=1e6)
    bot = build_bot(serve(answer_first), prices=prices, ledger=tmp_path / "ledger", **budget)
    problems: list[str] = []
    while not problems:
        try:
            decide(bot)
        except EndpointError as problem:
            problems.append(str(problem))
    assert re.search(spent, problems[0])
    assert bot.usage.calls >= 1
    assert Ledger(tmp_path / "ledger").usage == bot.usage


def test_an_endpoint_that_does_not_count_has_its_tokens_estimated(
    serve: Callable[[Model], Endpoint],
) -> None:
    """A budget of tokens is spent there, too."""
    count = decide(build_bot(serve(answer_first))).usage
    estimate = decide(
        build_bot(serve(lambda *given: evolve(answer_first(*given), counts=False)))
    ).usage
    assert estimate.input_tokens == pytest.approx(count.input_tokens, rel=0.01)
    assert estimate.output_tokens > 0


@pytest.mark.parametrize(
    ("answer", "correction"),
    [
        (FAULTS[Fault.MALFORMED], 'cannot be read: it contains no JSON object with the key "answer".'),
        (FAULTS[Fault.ILLEGAL], "not legal: 'joker' is not one of ('A', '2', '3'). Answer the same question again."),
        (FAULTS[Fault.TRUNCATED], "was cut off before its end: it was too long. Think less,"),
        (FAULTS[Fault.EMPTY], "Your last reply was empty."),
        (FAULTS[Fault.REFUSED], "in which a bluff is a legal move. Answer the question."),
    ],
    ids=FAULTS,
)  # fmt: skip
def test_a_correction_says_what_was_wrong(
    answer: Answer, correction: str, serve: Callable[[Model], Endpoint]
) -> None:
    """Behind the whole prompt and the reply; of several only the last one stands there."""
    endpoint = serve(lambda *_: answer)
    assert decide(build_bot(endpoint)).fault
    first, *others = [request["messages"] for request in endpoint.requests]
    assert [part["role"] for part in first] == ["system", "user"]
    for messages in others:
        assert messages[:2] == first
        said = answer.refusal or (answer.content or "").strip() or "(nothing)"
        assert messages[2]["content"] == said
        assert correction in messages[3]["content"]
        assert len(messages) == 4


def test_time_is_kept_back() -> None:
    """And the allowance for the start, which the first limit contains, is over."""
    bot = build_bot("http://127.0.0.1:9/v1")
    bot.greet(Greeting("gops", 0, 2, bot.variant, "seed", limits=Limits(move=2.0, start=8.0)))
    bot.time, bot._number = TimeLeft(10.0), 1
    assert bot._compute_seconds() == 1.75
    bot.time, bot._number = TimeLeft(100.0), 2
    assert bot._compute_seconds() == 97.0


def test_a_model_without_time_is_played_for() -> None:
    """It has used up its bank: that is no fault of the endpoint, which is not even asked."""
    bot = build_bot("http://127.0.0.1:9/v1")
    bot.time = TimeLeft(0.1, 0.1)
    assert decide(bot).fault is Fault.LATE
    assert bot.usage.calls == 0


def test_a_limiter_spaces_calls_of_all_processes(tmp_path: Path) -> None:
    """Each one is given a moment of its own, and waits where the endpoint has asked for that."""
    ledgers = [Ledger(tmp_path / "ledger") for _ in range(3)]
    waits = [ledger.reserve_call(60) for ledger in ledgers]
    assert [round(wait) for wait in waits] == [0, 1, 2]
    ledgers[0].hold_back(100)
    assert round(ledgers[1].reserve_call(None)) == 100


def test_nobody_reads_a_record_but_its_owner(
    serve: Callable[[Model], Endpoint], tmp_path: Path
) -> None:
    """Hidden cards stand in it; the reference explains each of its keys."""
    _, (line, *_) = play(serve(answer_first), tmp_path)
    page = (ROOT / "docs/reference/language-models.md").read_text("utf-8")
    assert all(f"`{key}`" in page for key in [*line, *line["tries"][0], *line["tries"][0]["reply"]])
    (record,) = tmp_path.iterdir()
    assert re.fullmatch(r"[0-9a-f]+-0\.jsonl", record.name)
    assert record.stat().st_mode & 0o777 == 0o600


def test_what_is_recorded_is_not_asked_again(
    serve: Callable[[Model], Endpoint], tmp_path: Path
) -> None:
    """Not even where the record was cut off by a kill, and the last answers are missing."""
    endpoint = serve(answer_first)
    hosted, lines = play(endpoint, tmp_path)
    (record,) = tmp_path.iterdir()
    text = record.read_bytes()
    record.write_bytes(b"".join(text.splitlines(keepends=True)[:6]) + b'{"ask": 6, "na')
    before = endpoint.count
    again, _ = play(endpoint, tmp_path)
    assert again.outcome.scores == hosted.outcome.scores
    assert endpoint.count - before == ASKED - 5
    strip = re.compile(rb'"seconds": ?[-0-9.e]+|"seconds":[-0-9.e]+')
    assert strip.sub(b"", record.read_bytes()) == strip.sub(b"", text)
    assert len(lines) == ASKED


def test_another_prompt_is_asked_again(serve: Callable[[Model], Endpoint], tmp_path: Path) -> None:
    """The answer to another question, model or form of answer is not this one's."""
    endpoint = serve(answer_first)
    for form in ("one", "mix", "one", "mix"):
        decide(build_bot(endpoint, record=tmp_path, form=form))
    assert endpoint.count == 2


def test_the_same_seed_draws_the_same_answer_of_a_mix(serve: Callable[[Model], Endpoint]) -> None:
    """The bot's chance is that of its seed and the number of the question alone."""
    endpoint = serve(answer_first)
    bots = [build_bot(endpoint, form="mix") for _ in range(2)]
    drawn = [[decide(bot).answer for _ in range(12)] for bot in bots]
    assert drawn[0] == drawn[1]
    assert {*drawn[0]} == {1, 2}


def test_the_reasoning_of_an_answer_is_kept(serve: Callable[[Model], Endpoint]) -> None:
    """For who wants to know why."""
    assert decide(build_bot(serve(answer_first))).reasoning == "I like it."


def test_a_fault_of_an_endpoint_in_process_is_the_bots(serve: Callable[[Model], Endpoint]) -> None:
    """Only a program can say that it could not play."""
    settings = ModelSettings(model="m", base_url=serve(lambda *_: Answer(status=401)).url)
    hosted = host([BotPlayer(ModelBot(settings)), BotPlayer(Matching())])
    assert hosted.outcome.end is End.FORFEITED
    assert hosted.verdict.kind == "crashed"
