"""The files and folders of a hill: its database, uploads, copies of bots."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from arena import UserError
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.file.contents import HillConfig

if TYPE_CHECKING:
    from arena.tournament.file.spec import TournamentSpec

COPIES_LOCK = Lock()
"""Held by the threads of the judge while they add, use or delete copies of bots."""
PORT = 8642  # where a hill's pages are, unless it is run with another --port


def get_hill_config(spec: TournamentSpec) -> HillConfig:
    """Return the hill's settings of a tournament; raise UserError if it is not a hill."""
    if spec.file.hill is None:
        raise UserError(f"{spec.file_name}: not a hill (it has no table [hill])")
    return spec.file.hill


def get_database_address(spec: TournamentSpec) -> str | Path:
    """Return the address of a hill's own database: a file, or a URL of a database server."""
    address = get_hill_config(spec).database or f"{spec.stem}.hill.db"
    return address if "://" in address else spec.home / address


def get_uploads_folder(spec: TournamentSpec) -> Path:
    """Return the folder of a hill's uploads, each named by its SHA-256."""
    return spec.data_folder / "uploads"


def get_copies(spec: TournamentSpec) -> CopyFolder:
    """Return the folder of the bots' copies."""
    return CopyFolder(spec.data_folder / "bots")


def get_tables_file(spec: TournamentSpec) -> Path:
    """Return the file with the games of visitors."""
    return spec.data_folder / "tables.db"


def get_lock_file(spec: TournamentSpec) -> Path:
    """Return the file that is locked while a hill runs."""
    return spec.data_folder / "hill.lock"


def get_heartbeat_folder(spec: TournamentSpec) -> Path:
    """Return the folder of the heartbeat files of a hill's processes."""
    return spec.data_folder / "alive"


def get_site_file(spec: TournamentSpec) -> Path:
    """Return the file with the address at which a hill's web server listens."""
    return get_heartbeat_folder(spec) / "site"


def find_site(spec: TournamentSpec) -> str:
    """Return the last address of a hill's web server, without a slash at its end."""
    try:
        address = get_site_file(spec).read_text()
    except OSError:
        address = ""
    return address or f"http://localhost:{PORT}"
