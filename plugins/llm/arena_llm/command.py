"""The command `arena-llm`: a language model as a bot that speaks JSON lines.

It ends with status 75 where the endpoint is at fault, so that the match is void and not lost; the
last line of its standard error says why.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from traceback import print_exc
from typing import Any, NoReturn

import click
from attrs import fields

from arena import UserError
from arena.bot import run
from arena.cli.support.commands import ExampleCommand
from arena.files import read_text
from arena.wires import ValidationError, read
from arena_llm.bot import ModelBot
from arena_llm.endpoint import EndpointError
from arena_llm.settings import (
    AnswerForm,
    Budget,
    Guidance,
    ModelSettings,
    OnFailure,
    Prices,
    TextForm,
)

EXAMPLES = (
    'match kuhn "arena-llm --model NAME --key-file /srv/models/key" careful',
    'match gops "json:arena-llm --model NAME --base-url http://127.0.0.1:8080/v1" hard',
    'match kuhn "arena-llm --model NAME --form mix --match-budget tokens=5000" optimal',
)
FAILURE, USAGE = 1, 2


class AbsolutePath(click.ParamType[Path]):
    """A path that does not depend on where the program works, which is an empty folder."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path, or fail."""
        path = Path(value)
        if not path.is_absolute():
            self.fail(
                f"{value!r} is not an absolute path; a bot works in an empty folder, which is"
                " deleted after the match",
                param,
                ctx,
            )
        return path


class Numbers(click.ParamType[Any]):
    """Numbers by their names, such as `input=0.5,output=2`."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self.name = ",".join(f"{key.name}=N" for key in fields(kind))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the object with these numbers, or fail."""
        if not isinstance(value, str):
            return value
        try:
            pairs = [part.partition("=") for part in value.split(",")]
            return read({name: float(number) for name, _, number in pairs}, self._kind)
        except (ValueError, ValidationError) as problem:
            self.fail(f"{value!r} is not of the form {self.name}: {problem}", param, ctx)


class JsonObject(click.ParamType[dict[str, Any]]):
    """A JSON object."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the object, or fail."""
        if isinstance(value, dict):
            return value
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            self.fail(f"{value!r} is not a JSON object", param, ctx)
        return found


def read_key(ctx: click.Context, param: click.Parameter, path: Path | None) -> str | None:
    """Return the key that a file holds, or fail."""
    if path is None:
        return None
    try:
        key = read_text(path).strip()
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "not UTF-8"
        raise click.BadParameter(f"{path}: {reason}", ctx, param) from None
    if not key or any(blank in key for blank in "\r\n\t "):
        raise click.BadParameter(f"{path}: does not hold one key alone", ctx, param)
    return key


def choose(kind: Any) -> click.Choice[str]:
    """Return the type of an option with the values of an enumeration."""
    return click.Choice([member.value for member in kind])


DEFAULTS = ModelSettings(model="")


@click.command(
    cls=ExampleCommand, examples=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--model", required=True, help="Name of the model, as the endpoint calls it.")
@click.option("--base-url", help="Address of an OpenAI-compatible endpoint, hosted or local.")
@click.option(
    "--key-file", "key", type=AbsolutePath(), callback=read_key,
    help="File that holds the endpoint's key. Bots do not inherit keys from your environment.",
)  # fmt: skip
@click.option(
    "--form", type=choose(AnswerForm), default=DEFAULTS.form.value, show_default=True,
    help="one: the model answers. mix: it gives a probability for each answer, and the bot draws.",
)  # fmt: skip
@click.option(
    "--text", type=choose(TextForm), default=DEFAULTS.text.value, show_default=True,
    help="Show the match in words, as to a person, or as JSON lines, as to a program.",
)  # fmt: skip
@click.option(
    "--guidance", type=choose(Guidance), default=DEFAULTS.guidance.value, show_default=True,
    help="Tell the model what it may answer by nothing but the rules, by a list, or by a list and a"
    " JSON schema that the endpoint enforces.",
)  # fmt: skip
@click.option(
    "--shuffle", type=click.BOOL, default=DEFAULTS.shuffle, show_default=True,
    help="List the answers in an order that is drawn for each question, which models may be biased"
    " by.",
)  # fmt: skip
@click.option(
    "--retries", type=click.IntRange(0, 10), default=DEFAULTS.retries, show_default=True,
    help="Further tries after a reply that is no legal answer.",
)  # fmt: skip
@click.option(
    "--on-failure", type=choose(OnFailure), default=DEFAULTS.on_failure.value, show_default=True,
    help="After the last try, play the default answer or a random one, or lose the seat.",
)  # fmt: skip
@click.option(
    "--request", type=JsonObject(), default=json.dumps(dict(DEFAULTS.request)), show_default=True,
    help="More fields of each request, as the endpoint has them.",
)  # fmt: skip
@click.option(
    "--call-seconds", type=click.FloatRange(0, min_open=True), show_default=True,
    default=DEFAULTS.call_seconds,
    help="Seconds that one call may take, if the clock of the match allows as much.",
)  # fmt: skip
@click.option("--prices", type=Numbers(Prices), help="Prices of a million tokens.")
@click.option(
    "--match-budget", type=Numbers(Budget), default=Budget(),
    help="What the calls of a match may use.",
)  # fmt: skip
@click.option(
    "--run-budget", type=Numbers(Budget), default=Budget(),
    help="What all calls of all processes with the same ledger may use.",
)  # fmt: skip
@click.option(
    "--calls-per-minute", type=click.FloatRange(0, min_open=True),
    help="Calls a minute of all processes with the same ledger.",
)  # fmt: skip
@click.option(
    "--ledger", type=AbsolutePath(), help="File with the account that several processes share."
)
@click.option(
    "--record", type=AbsolutePath(),
    help="Folder for what the model was asked and said, a file a match. What stands there is not"
    " asked again.",
)  # fmt: skip
def llm(**given: Any) -> None:
    """Play as a bot on JSON lines, with a language model behind an OpenAI-compatible endpoint.

    Name this command where you name a bot, best in a bot.toml with games = "many". It ends with
    status 75, which makes the match void, if the endpoint gives no reply in time, refuses the key,
    or a budget is spent.
    """
    settings = ModelSettings(**{name: value for name, value in given.items() if value is not None})
    # takes more than a second, while the others start, too; who is to end does not wait for it
    Thread(target=import_module, args=("openai",), daemon=True).start()
    run(partial(ModelBot, settings))


def main() -> NoReturn:
    """Run the command, and end at once: taking the SDK down takes up to a second."""
    status = FAILURE
    try:
        status = llm.main(standalone_mode=False, prog_name="arena-llm") or 0
    except (EndpointError, OSError) as problem:  # such as a disk that is full
        print(f"arena-llm: {problem}", file=sys.stderr)  # noqa: T201
        status = os.EX_TEMPFAIL
    except UserError as problem:
        print(f"arena-llm: {problem}", file=sys.stderr)  # noqa: T201
        status = USAGE
    except click.ClickException as problem:
        problem.show()
        status = problem.exit_code
    except SystemExit as end:  # of the kit, with a message to the host
        print(end.code, file=sys.stderr)  # noqa: T201
    except Exception:  # noqa: BLE001  # a bug, which the host keeps
        print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
