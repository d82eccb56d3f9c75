"""Calls of a model: what is sent, what comes back, how long it is tried, and who is at fault.

A fault of the endpoint is not the model's: it is waited out as long as the clock of the match
allows, and then the program ends with the status by which the host makes the match void. What the
model says, however bad, is returned. An endpoint may send blanks to keep a connection alive, so
each call has a thread, and a deadline that does not depend on what comes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from arena import UserError
from arena.distribution import format_install_command
from arena_llm.ledger import OWN_LEDGERS, Ledger
from arena_llm.settings import ModelSettings, Usage

if TYPE_CHECKING:
    from openai import OpenAI

CALL_SHARE = 0.45  # of the time for an answer, that one call may take: a second one fits
MIN_CALL_SECONDS = 0.2  # in which no reply is expected to come
FIRST_PAUSE_SECONDS = 0.1  # between two tries, doubled each time
MAX_PAUSE_SECONDS = 8.0
TRANSIENT_STATUSES = (408, 409, 429)  # and all from 500
SERVER_ERROR = 500
CHARACTERS_PER_TOKEN = 4  # where an endpoint does not count

Messages = Sequence[Mapping[str, str]]


class EndpointError(Exception):
    """An endpoint that gives no reply, or a budget that is spent: no fault of the model."""


@frozen
class Reply:
    """A model's reply, and what it took."""

    content: str
    refusal: str = ""
    finish: str = ""  #: why it ends, such as `stop` or `length`
    reasoning: str = ""  #: apart from the reply, where the endpoint shows it
    model: str = ""  #: that answered
    fingerprint: str = ""  #: of the endpoint's configuration
    usage: Usage = field(factory=Usage)
    pauses: tuple[str, ...] = ()  #: why it was tried again


class Endpoint:
    """The endpoint of a model.

    Raises:
        UserError: where the SDK is not installed.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._ledger = (
            Ledger(settings.ledger) if settings.ledger else OWN_LEDGERS[settings.base_url]
        )
        if find_spec("openai") is None:
            advice = format_install_command("llm")
            raise UserError(f"the package openai is not installed; install it with: {advice}")

    def open(self) -> OpenAI:
        """Return the client, which takes long for the first one of a process."""
        return open_client(self._settings.base_url, self._settings.key)

    def ask(
        self, messages: Messages, schema: Mapping[str, Any] | None, deadline: float, total: float
    ) -> Reply:
        """Return the model's reply.

        Args:
            messages: the prompt.
            schema: of the reply, if the endpoint is to enforce it.
            deadline: when trying ends, by `monotonic()`.
            total: seconds for the answer to which this call belongs.

        Raises:
            EndpointError: if none comes in time, or a budget is spent.
        """
        request: dict[str, Any] = {"model": self._settings.model, "messages": [*messages]}
        if schema is not None:
            described = {"name": "reply", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        client = self.open()
        pauses: list[str] = []
        pause = FIRST_PAUSE_SECONDS
        while True:
            self._check_run_budget()
            self._wait(self._ledger.reserve_call(self._settings.calls_per_minute), deadline, pauses)
            left = max(0.0, deadline - monotonic())
            try:
                reply = self._call(
                    client, request, min(self._settings.call_seconds, CALL_SHARE * total, left)
                )
            except TransientError as problem:
                pauses.append(str(problem))
                if problem.retry_after is not None:
                    self._ledger.hold_back(problem.retry_after)
                self._wait(pause, deadline, pauses)
                pause = min(2 * pause, MAX_PAUSE_SECONDS)
            else:
                self._ledger.add(reply.usage)
                return evolve(reply, pauses=tuple(pauses))

    def _check_run_budget(self) -> None:
        if excess := self._settings.run_budget.describe_excess(self._ledger.usage):
            raise EndpointError(f"the budget of the run is spent: {excess}")

    def _wait(self, seconds: float, deadline: float, pauses: Sequence[str]) -> None:
        """Wait, if a call still fits behind that; raise EndpointError."""
        left = deadline - monotonic()
        if seconds + MIN_CALL_SECONDS > left:
            tries = f" after {len(pauses)} tries, the last one: {pauses[-1]}" if pauses else ""
            limit = f"; the next call may begin in {seconds:.0f} s" if seconds > 1 else ""
            raise EndpointError(f"no reply in time{tries}{limit}")
        if seconds > 0:
            sleep(seconds)

    def _call(self, client: OpenAI, request: Mapping[str, Any], seconds: float) -> Reply:
        """Return the reply to one call; raise TransientError or EndpointError."""
        begin, result = monotonic(), SimpleQueue[Any]()

        def call() -> None:
            try:
                result.put(
                    client.chat.completions.create(
                        **request, timeout=seconds, extra_body=dict(self._settings.request)
                    )
                )
            except Exception as problem:  # noqa: BLE001  # raised again below
                result.put(problem)

        Thread(target=call, daemon=True).start()
        try:
            completion = result.get(timeout=seconds)
        except Empty:
            raise TransientError(f"nothing within {seconds:.1f} s") from None
        if isinstance(completion, Exception):
            raise explain_failure(completion, seconds) from None
        usage = Usage(calls=1, seconds=monotonic() - begin)
        return self._read(completion, request["messages"], usage)

    def _read(self, completion: Any, messages: Messages, usage: Usage) -> Reply:
        """Return the reply of a completion, of which an endpoint may leave out nearly all."""
        try:
            choice = completion.choices[0] if completion.choices else None
            message = choice and choice.message
            content = clean(message and message.content)
            refusal = clean(message and message.refusal)
            counted = completion.usage
            sent = sum(len(part["content"]) for part in messages)
            tokens_in = int(counted.prompt_tokens if counted else sent / CHARACTERS_PER_TOKEN)
            tokens_out = int(
                counted.completion_tokens if counted else len(content) / CHARACTERS_PER_TOKEN
            )
            reasoning = getattr(message, "reasoning_content", "") or getattr(
                message, "reasoning", ""
            )
        except (AttributeError, TypeError, ValueError):
            raise TransientError("what came is not a chat completion") from None
        prices = self._settings.prices
        cost = prices.compute_cost(tokens_in, tokens_out) if prices else 0.0
        return Reply(
            content=content,
            refusal=refusal,
            finish=clean(choice and choice.finish_reason),
            reasoning=clean(reasoning),
            model=clean(completion.model),
            fingerprint=clean(completion.system_fingerprint),
            usage=evolve(usage, input_tokens=tokens_in, output_tokens=tokens_out, cost=cost),
        )


class TransientError(Exception):
    """A call that failed, and may be repeated, perhaps after some seconds."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def explain_failure(problem: Exception, seconds: float) -> Exception:
    """Return the error of a call that failed: it may be repeated, or not, or is a bug."""
    import openai

    match problem:
        case openai.APIStatusError(status_code=status):
            reason = f"status {status}: {describe_body(problem)}"
            if status in TRANSIENT_STATUSES or status >= SERVER_ERROR:
                return TransientError(reason, read_retry_after(problem.response.headers))
            return EndpointError(f"the endpoint refuses with {reason}")
        case openai.APITimeoutError():
            return TransientError(f"nothing within {seconds:.1f} s")
        case openai.APIConnectionError():
            return TransientError(f"no connection: {clean(problem.__cause__ or problem)}")
        case openai.APIError() | json.JSONDecodeError():
            return TransientError("what came is not a chat completion")
    return problem


def describe_body(problem: Any) -> str:
    """Return what an endpoint says of an error, in one line."""
    body = problem.body
    said = body.get("message") if isinstance(body, dict) else body
    return " ".join(clean(said or problem.message).split())[:300]


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return after how many seconds a call may be repeated, if the endpoint says so in seconds."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None


def clean(text: object) -> str:
    """Return a text that can be written as UTF-8."""
    return "" if text is None else str(text).encode(errors="replace").decode()


@cache
def open_client(base_url: str | None, key: str) -> OpenAI:
    """Return the client of an endpoint, which all bots of this process share."""
    from openai import OpenAI

    return OpenAI(base_url=base_url, api_key=key, max_retries=0)
