"""What is played on a hill, and by which terms, in words."""

from __future__ import annotations

from collections.abc import Iterator

from arena.rules import spoken_list
from arena.tournament import TournamentSpec
from arena_web.hill.trying import BUILDING, LONGEST_BUILD

TOML = """name = "my_bot"
command = "python3 bot.py"
protocol = "{wire}"
"""


def bot_file(spec: TournamentSpec) -> str:
    """Return a bot.toml with which a bot of this game could be sent."""
    return TOML.format(wire=spec.game.protocols[0])


def check_of(spec: TournamentSpec) -> str:
    """Return the command that checks a bot as it is checked here."""
    usual = spec.game.write_variant(spec.game.read_variant({}))
    chosen = spec.game.write_variant(spec.variant).items()
    options = [f"-o {name}={_word(value)}" for name, value in chosen if value != usual[name]]
    time = spec.file.time
    times = f"--move-time {time.move:g} --start-time {time.start:g}"
    words = ["arena check", spec.game.name, "my_bot", *options]
    return " ".join([*words, f"--players {spec.seats_per_match}", times])


def terms_of(spec: TournamentSpec) -> Iterator[tuple[str, str]]:
    """Return what a bot meets here: what it is called, and how it is."""
    options = spec.game.write_variant(spec.variant)
    if options:
        yield "Options", ", ".join(f"{name} = {_word(one)}" for name, one in options.items())
    yield (
        "At a table",
        f"{spec.seats_per_match} players"
        + ("; each deal is played again until everybody has held every hand" * spec.duplicate),
    )
    yield "Time", _time(spec)
    yield "Sandbox", _sandbox(spec)
    yield "Its build", _build()
    yield "Wires", _wires(spec)


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _time(spec: TournamentSpec) -> str:
    limits = spec.file.time
    words = f"{limits.move:g} s for each answer, {limits.start:g} s more for the first one"
    if limits.bank is not None:
        words += f"; {limits.bank:g} s for all answers of a match together"
        words += f", and {limits.increment:g} s more with each" * bool(limits.increment)
    return f"{words}; {limits.grace:g} s to end when the match is over"


def _sandbox(spec: TournamentSpec) -> str:
    given = spec.file.resources
    parts = [
        f"{given.memory_mb} MB of memory" if given.memory_mb is not None else "",
        f"{given.cpu_seconds:g} s of processor a match" if given.cpu_seconds is not None else "",
        f"{given.processes} processes",
        f"{given.disk_mb} MB on the disk",
    ]
    still = "; a bot is stopped while it is not asked" * given.still
    return f"no network, {spoken_list([part for part in parts if part])}{still}"


def _build() -> str:
    return (
        f"{LONGEST_BUILD:g} s, {BUILDING.memory_mb} MB of memory and {BUILDING.disk_mb} MB on the"
        " disk; no network either"
    )


def _wires(spec: TournamentSpec) -> str:
    return f"{spoken_list(spec.game.protocols, 'or')}: lines on standard input and output"
