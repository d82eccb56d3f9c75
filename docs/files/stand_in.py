"""Stand in for a language model: an OpenAI-compatible endpoint that answers without thinking.

python3 stand_in.py 18931
"""

import hashlib
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHOICES = re.compile(r"You may answer (?:one|a list of ([0-9]+)).* of these.*?: (\[.*\])")


def reply(messages: list[dict[str, str]]) -> str:
    """Return one of the answers that the prompt lists; now and then one that nobody can read."""
    number = int(hashlib.sha256(json.dumps(messages).encode()).hexdigest(), 16)
    found = CHOICES.search(messages[1]["content"])
    if not found or (number % 5 == 0 and len(messages) == len(["system", "user"])):
        return "I am not sure. Perhaps I should pass?"
    choices = json.loads(found[2])
    answer = choices[: int(found[1])] if found[1] else choices[number % len(choices)]
    if '"mix"' in messages[1]["content"]:
        return json.dumps({"mix": {choice: 1 / len(choices) for choice in choices}})
    return json.dumps({"reasoning": "It is as good as any.", "answer": answer})


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one request."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = reply(request["messages"])
        sent = sum(len(message["content"]) for message in request["messages"])
        completion: dict[str, Any] = {
            "id": "1", "object": "chat.completion", "created": 0, "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": sent // 4, "completion_tokens": len(text) // 4,
                      "total_tokens": (sent + len(text)) // 4},
        }  # fmt: skip
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
