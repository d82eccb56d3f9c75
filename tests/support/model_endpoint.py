"""An OpenAI-compatible endpoint whose models are functions: a real server, for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from attrs import define, field, frozen


@frozen
class Answer:
    """What the endpoint answers to a request."""

    content: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes | None = None  #: in place of a chat completion
    hang: bool = False  #: whether nothing comes as long as the server runs
    trickle: bool = False  #: whether blanks come all the time, and nothing else
    counts: bool = True  #: whether it says how many tokens it took


Request = dict[str, Any]
Model = Callable[["Endpoint", Request], Answer]


@define
class Endpoint:
    """A running endpoint, and all requests that have come."""

    url: str
    model: Model
    requests: list[Request] = field(factory=list)
    keys: list[str] = field(factory=list)
    ended: Event = field(factory=Event)
    lock: Any = field(factory=Lock)

    @property
    def count(self) -> int:
        """The number of requests that have come."""
        return len(self.requests)

    def list_prompts(self) -> list[str]:
        """Return all that the models have read."""
        return [
            "\n\n".join(part["content"] for part in request["messages"])
            for request in self.requests
        ]


class Handler(BaseHTTPRequestHandler):
    """Answers requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer is written in two parts
    endpoint: Endpoint

    def do_POST(self) -> None:
        """Have the model answer."""
        text = self.rfile.read(int(self.headers["content-length"]))
        request = json.loads(text)
        endpoint = self.endpoint
        with endpoint.lock:
            endpoint.requests.append(request)
            endpoint.keys.append(self.headers["authorization"])
            answer = endpoint.model(endpoint, request)
        if answer.hang:
            endpoint.ended.wait()
            self.close_connection = True
            return
        if answer.trickle:
            self.send_blanks()
            return
        body = answer.body if answer.body is not None else self.complete(request, answer)
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_blanks(self) -> None:
        """Send a blank every moment, until nobody reads it any more."""
        self.send_response(200)
        self.send_header("content-length", "1000000")
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):
            while not self.endpoint.ended.wait(0.01):
                self.wfile.write(b" ")

    def complete(self, request: Request, answer: Answer) -> bytes:
        """Return a chat completion, or an error."""
        if answer.status != 200:
            return json.dumps({"error": {"message": answer.content or "no"}}).encode()
        message = {"role": "assistant", "content": answer.content, "refusal": answer.refusal}
        completion: dict[str, Any] = {
            "id": "1", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [{"index": 0, "finish_reason": answer.finish, "message": message}],
        }  # fmt: skip
        if answer.counts:
            sent = sum(len(part["content"]) for part in request["messages"]) // 4
            completion["usage"] = {
                "prompt_tokens": sent,
                "completion_tokens": 10,
                "total_tokens": sent + 10,
            }
        return json.dumps(completion).encode()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve_models(model: Model) -> Iterator[Endpoint]:
    """Serve a model, and end with all requests that hang."""
    endpoint = Endpoint("", model)
    handler = type("Handler", (Handler,), {"endpoint": endpoint})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


LISTED = re.compile(
    r"^You may answer (one|a list of ([0-9]+).*?) of these[^:]*: (\[.*\])$", re.MULTILINE
)
NUMBERS = re.compile(r"^You may answer a whole number from (-?[0-9]+)", re.MULTILINE)


def read_choices(request: Request) -> tuple[int | None, list[Any]]:
    """Return how many answers a prompt asks for (None: one), and which it lists."""
    asked = request["messages"][1]["content"]
    if numbers := NUMBERS.search(asked):
        return None, [int(numbers[1])]
    listed = LISTED.search(asked)
    assert listed, asked
    return int(listed[2]) if listed[2] else None, json.loads(listed[3])


def build_reply(value: Any, key: str = "answer") -> str:
    """Return a reply as a model writes it, with remarks."""
    return f"Let me think {{briefly}}.\n{json.dumps({'reasoning': 'I like it.', key: value})}"


def answer_first(_: Endpoint, request: Request) -> Answer:
    """Give the first answer that the prompt lists, or mix the first two."""
    number, choices = read_choices(request)
    if '"mix"' in request["messages"][1]["content"]:
        return Answer(build_reply(dict.fromkeys(choices[:2], 0.5), "mix"))
    return Answer(build_reply(choices[0] if number is None else choices[:number]))


def answer_by_schema(_: Endpoint, request: Request) -> Answer:
    """Give the first answer that the schema of the reply allows."""
    described = request["response_format"]["json_schema"]
    assert described["strict"]
    reply = described["schema"]["properties"]
    return Answer(json.dumps({key: sample_schema(schema) for key, schema in reply.items()}))


def sample_schema(schema: Mapping[str, Any]) -> Any:
    """Return a value that a schema allows."""
    match schema:
        case {"enum": [first, *_]}:
            return first
        case {"type": "array", "items": {"enum": choices}, "minItems": least}:
            return choices[:least]
        case {"type": "integer", "minimum": low}:
            return low
        case {"type": "object", "properties": properties}:
            return {name: 1 / len(properties) for name in properties}
        case {"type": "string"}:
            return "by the schema"
    raise AssertionError(schema)


def fail_in_turn(model: Model, faults: Sequence[Answer]) -> Model:
    """Return a model of which every other call fails, by one fault after the other."""

    def answer(endpoint: Endpoint, request: Request) -> Answer:
        number, is_good = divmod(endpoint.count, 2)
        return model(endpoint, request) if is_good else faults[number % len(faults)]

    return answer


MODEL_FAULTS = {
    "malformed": Answer("I bid the king."),
    "illegal": Answer(build_reply("joker")),
    "truncated": Answer('{"reasoning": "First', finish="length"),
    "empty": Answer(" "),
    "refused": Answer(refusal="I do not gamble."),
}
"""Replies that give no legal answer in any game."""
OUTAGES = {
    "429": Answer("slow down", status=429, headers={"retry-after": "0"}),
    "500": Answer("oops", status=500),
    "no JSON": Answer(body=b"<html>"),
    "no completion": Answer(body=b'{"choices": 5}'),
}
"""Calls that give no reply, and may be repeated."""


def every_third(model: Model, fault: Answer) -> Model:
    """Return a model whose every third call fails."""

    def answer(endpoint: Endpoint, request: Request) -> Answer:
        return fault if endpoint.count % 3 == 0 else model(endpoint, request)

    return answer
