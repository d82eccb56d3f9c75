"""Writing the tuned bot: a copy of its folder whose `bot.toml` has the tuned defaults."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from arena import UserError
from arena.host import BOT_FILE, copy_folder, find_bot_folder
from arena_tune.parameters import Settings, Value
from arena_tune.staged_search import BETTER, StagedSearch
from arena_tune.summary import describe_conclusion, name_tuned_bot
from arena_tune.tune_file import TuneSpec

TABLE = re.compile(r"\s*\[\s*parameters\s*\.\s*(?P<name>[a-z0-9_]+)\s*\]\s*(#.*)?")
DEFAULT = re.compile(
    r"(?P<key>\s*default\s*=\s*)(\"[^\"]*\"|'[^']*'|[^\s#]+)(?P<rest>.*)", re.DOTALL
)


def write_tuned_bot(
    spec: TuneSpec, search: StagedSearch, folder: Path, *, anyway: bool = False
) -> None:
    """Write a copy of the bot with the tuned defaults into a new folder; raise UserError.

    Without `anyway` the tuned bot must be shown to be better.
    """
    source, text = _prepare(spec, search, anyway=anyway)
    if folder.exists():
        raise UserError(f"{folder} already exists; name a new folder")
    try:
        copy_folder(source, folder)
        (folder / BOT_FILE).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror}") from None


def write_defaults(spec: TuneSpec, search: StagedSearch, *, anyway: bool = False) -> Path:
    """Write the tuned defaults into the bot's own file, and return it; raise UserError.

    The file is the old or the new one at any moment.
    """
    source, text = _prepare(spec, search, anyway=anyway)
    file, new = source / BOT_FILE, source / f".{BOT_FILE}.new"
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(file)
    except OSError as problem:
        raise UserError(f"{file} cannot be written: {problem.strerror}") from None
    return file


def _prepare(spec: TuneSpec, search: StagedSearch, *, anyway: bool) -> tuple[Path, str]:
    """Return the folder of the bot and its file with the tuned defaults; raise UserError."""
    if search.winner is None:
        raise UserError(f"{spec.path}: the run has not finished; continue it with `arena tune`")
    if search.conclusion != BETTER and not anyway:
        why = describe_conclusion(search.conclusion, search.terms)
        raise UserError(f"not written ({why}); --anyway writes it")
    source = find_bot_folder(spec.game, str(spec.home / spec.file.bot))
    if source is None:
        named = name_tuned_bot(spec.file.bot, search.winner)
        raise UserError(f"{spec.file.bot} is not a folder; seat the tuned bot as {named}")
    file = source / BOT_FILE
    text = replace_defaults(file.read_text(encoding="utf-8"), search.winner)
    declared = tomllib.loads(text).get("parameters", {})
    wrong = [
        name
        for name, value in search.winner.items()
        if declared.get(name, {}).get("default") != value
    ]
    if wrong:
        raise UserError(
            f"{file}: set the default of {', '.join(wrong)} by hand; write each parameter as a"
            " table [parameters.NAME] with a line `default = ...`"
        )
    return source, text


def replace_defaults(text: str, settings: Settings) -> str:
    r"""Return the text of a bot.toml with other defaults; everything else stays as it is.

    >>> replace_defaults('[parameters.w]\ndefault = 3 # cards', {"w": 5})
    '[parameters.w]\ndefault = 5 # cards'
    """
    lines, name = [], None
    for line in text.splitlines(keepends=True):
        table = TABLE.fullmatch(line)
        name = table["name"] if table else None if line.lstrip().startswith("[") else name
        found = DEFAULT.fullmatch(line) if name in settings else None
        lines.append(
            f"{found['key']}{format_toml(settings[str(name)])}{found['rest']}" if found else line
        )
    return "".join(lines)


def format_toml(value: Value) -> str:
    """Return a value as TOML writes it, which for these is as JSON does."""
    return json.dumps(value)
