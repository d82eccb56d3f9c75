"""An OpenAI-compatible endpoint whose models are functions: a real server, for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
        body = answer.body if answer.body is not None else self.complete(request, answer)
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

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
    r"^You may answer (?:one|a list of ([0-9]+).*?) of these[^:]*: (\[.*\])$", re.MULTILINE
)
NUMBERS = re.compile(r"^You may answer a whole number from (-?[0-9]+)", re.MULTILINE)


def read_choices(request: Request) -> tuple[int | None, list[Any]]:
    """Return how many answers a prompt asks for (None: one), and which it lists."""
    asked = request["messages"][1]["content"]
    if numbers := NUMBERS.search(asked):
        return None, [int(numbers[1])]
    listed = LISTED.search(asked)
    assert listed, asked
    return int(listed[1]) if listed[1] else None, json.loads(listed[2])


def answer_first(_: Endpoint, request: Request) -> Answer:
    """Return the first of the answers that the prompt lists, with remarks."""
    number, choices = read_choices(request)
    value = choices[0] if number is None else choices[:number]
    if (
        "a probability" in request["messages"][1]["content"]
        or '"mix"' in request["messages"][1]["content"]
    ):
        return Answer(json.dumps({"reasoning": "the first", "mix": {choices[0]: 1}}))
    return Answer(f"Let me think.\n{json.dumps({'reasoning': 'the first', 'answer': value})}")
