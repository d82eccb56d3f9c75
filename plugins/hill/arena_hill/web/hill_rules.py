"""The rules and limits of a hill in words, with the files and commands that follow from them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from arena import join_words
from arena.plugins import format_pairs
from arena.tournament.file.spec import TournamentSpec
from arena_hill.trial import BUILD_RESOURCES, MAX_BUILD_SECONDS

BOT_FILE_TEMPLATE = """name = "my_bot"
command = "python3 bot.py"
protocol = "{wire}"
"""


def build_bot_file(spec: TournamentSpec) -> str:
    """Return an example bot.toml for this game."""
    return BOT_FILE_TEMPLATE.format(wire=spec.game.protocols[0])


def build_check_command(spec: TournamentSpec) -> str:
    """Return the command that checks a bot as this hill does."""
    changed = spec.game.write_changed_options(spec.variant)
    options = [f"-o {shlex.quote(pair)}" for pair in format_pairs(changed)]
    time = spec.file.time
    times = f"--move-time {time.move:g} --start-time {time.start:g}"
    words = ["arena check", spec.game.name, "my_bot", *options]
    return " ".join([*words, f"--players {spec.seats_per_match}", times])


def list_rules(spec: TournamentSpec) -> Iterator[tuple[str, str]]:
    """Yield the terms of a hill as pairs of a heading and a text."""
    options = spec.game.write_variant(spec.variant)
    if options:
        yield "Options", ", ".join(format_pairs(options))
    table = f"{spec.seats_per_match} players"
    if spec.duplicate:
        table += "; each deal is played once in every rotation of the seats"
    yield "Table", table
    yield "Time", _describe_time(spec)
    yield "Sandbox", _describe_sandbox(spec)
    yield "Build", _describe_build()
    yield "Protocols", _describe_wires(spec)


def _describe_time(spec: TournamentSpec) -> str:
    limits = spec.file.time
    words = f"{limits.move:g} s for each answer, plus {limits.start:g} s for the first one"
    if limits.bank is not None:
        words += f"; {limits.bank:g} s in total per match"
        if limits.increment:
            words += f", plus {limits.increment:g} s per answer"
    return f"{words}; {limits.grace:g} s to end when the match is over"


def _describe_sandbox(spec: TournamentSpec) -> str:
    resources = spec.file.resources
    parts = [
        f"{resources.memory_mb} MB of memory" if resources.memory_mb is not None else "",
        f"{resources.cpu_seconds:g} s of CPU time per match"
        if resources.cpu_seconds is not None
        else "",
        f"{resources.processes} processes",
        f"{resources.disk_mb} MB of disk",
    ]
    words = f"no network, {join_words([part for part in parts if part])}"
    if resources.still:
        words += "; bots are paused while it is not their turn"
    return words


def _describe_build() -> str:
    return (
        f"{MAX_BUILD_SECONDS:g} s, {BUILD_RESOURCES.memory_mb} MB of memory and"
        f" {BUILD_RESOURCES.disk_mb} MB of disk; no network"
    )


def _describe_wires(spec: TournamentSpec) -> str:
    return f"{join_words(spec.game.protocols, 'or')}: text lines on standard input and output"
