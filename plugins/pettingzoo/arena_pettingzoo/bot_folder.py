"""The folder of a learned bot: its bot.toml, its program, and the weights of its network."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

from arena import UserError
from arena.host import BOT_FILE, NAME_PATTERN
from arena_pettingzoo import learned_bot
from arena_pettingzoo.learner import Learned
from arena_pettingzoo.networks import Floats

PROGRAM = "bot.py"
BOT_TOML = """\
name = "{name}"
command = "{program}"
protocol = "json"
games = "many"
"""


def write_bot_folder(learned: Learned, folder: Path) -> None:
    """Write the bot into a new folder; raise UserError."""
    check_new_folder(folder)
    name = folder.name if re.fullmatch(NAME_PATTERN, folder.name) else "learned"
    files = {
        BOT_FILE: BOT_TOML.format(name=name, program=PROGRAM),
        PROGRAM: Path(learned_bot.__file__).read_text("utf-8"),
        learned_bot.NETWORK_FILE.name: json.dumps(describe_network(learned), indent=1) + "\n",
    }
    try:
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text, "utf-8")
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror}") from None


def check_new_folder(folder: Path) -> None:
    """Raise UserError if there is something of this name already, or nothing can be written."""
    if folder.exists() or folder.is_symlink():
        raise UserError(f"{folder} already exists; name a new folder")
    parent = next(path for path in folder.absolute().parents if path.exists())
    if not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)):
        raise UserError(f"{folder} cannot be written: {parent} is not a folder that you may write")


def describe_network(learned: Learned) -> dict[str, Any]:
    """Return a network as JSON, for `learned_bot.Network`."""
    network = learned.network
    inputs, hidden = network.from_input.shape
    return {
        **learned.describe(),
        "splits": learned.parts.splits,
        "parts": [*learned.parts.parts],
        "inputs": inputs,
        "hidden": hidden,
        "from_input": encode_numbers(network.from_input),
        "hidden_bias": encode_numbers(network.hidden_bias),
        "to_part": encode_numbers(network.to_output.T),
        "part_bias": encode_numbers(network.output_bias),
    }


def encode_numbers(numbers: Floats) -> str:
    """Return an array as little-endian single precision numbers in base 64, row by row."""
    return b64encode(numbers.astype("<f4").tobytes()).decode("ascii")
