"""Where a hill keeps what is its own: its register, the uploads, the bots' copies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.rules import UserError
from arena.tournament import HillConfig, folder
from arena_web.hill.register import Register
from arena_web.options import PORT

if TYPE_CHECKING:
    from arena.tournament.file import TournamentSpec


def terms(spec: TournamentSpec) -> HillConfig:
    """Return what authors may ask for; raise UserError where a tournament is no hill."""
    if spec.file.hill is None:
        raise UserError(f"{spec.stem}.toml: this is no hill: it has no table [hill]")
    return spec.file.hill


def register_of(spec: TournamentSpec) -> Register:
    """Open a hill's register, and make it where there is none; raise UserError."""
    return Register.open(register_path(spec))


def register_path(spec: TournamentSpec) -> str | Path:
    """Return where a hill's register is: a file, or the address of a server's database."""
    address = terms(spec).database or f"{spec.stem}.hill.db"
    return address if "://" in address else spec.home / address


def uploads_of(spec: TournamentSpec) -> Path:
    """Return the folder of a hill's uploads, each called by its SHA-256."""
    return folder(spec) / "uploads"


def copies_of(spec: TournamentSpec) -> Path:
    """Return the folder of the bots' copies, each called by its version."""
    return folder(spec) / "bots"


def alive_of(spec: TournamentSpec) -> Path:
    """Return the folder of the files by which a hill's processes show that they live."""
    return folder(spec) / "alive"


def site_path(spec: TournamentSpec) -> Path:
    """Return the file in which a hill's web process says at which address it listens."""
    return alive_of(spec) / "site"


def find_site(spec: TournamentSpec) -> str:
    """Return the address at which a hill was shown last, without a slash at its end."""
    try:
        found = site_path(spec).read_text()
    except OSError:
        found = ""
    return found or f"http://localhost:{PORT}"
