"""Sources of pages: what a page needs of one, and which are named on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from arena import UserError
from arena.records import SUFFIX, read_transcript
from arena.tournament import Tournament
from arena.tournament.file import FILE_SUFFIX
from arena.tournament.file.contents import HillConfig
from arena.tournament.store import Store
from arena.tournament.workers.live import LIVE_FOLDER
from arena_web.addresses import slugify
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import TournamentView, ViewParts
from arena_web.transcript_folders import TranscriptFolder

V_co = TypeVar("V_co", covariant=True)


class PageSource(Protocol[V_co]):
    """A source, as its pages need it."""

    @property
    def name(self) -> str:
        """Its name in addresses."""

    @property
    def title(self) -> str:
        """The title of its pages."""

    @property
    def about(self) -> HillConfig | None:
        """What its host says of it."""

    @property
    def hill_path(self) -> str:
        """The way from the root to where bots are sent, if there is one."""

    async def load_view(self, parts: ViewParts) -> V_co:
        """Return the view of the source as it is now, with these parts."""


Source = TournamentSource | TranscriptFolder
MatchView = TournamentView | TranscriptFolder
"""What a page of matches is handed."""


def open_sources(arguments: Iterable[str]) -> dict[str, Source]:
    """Open sources and return them by name; raise UserError if one cannot be opened."""
    sources: dict[str, Source] = {}
    for argument in arguments:
        source = _open_source(argument, sources)
        sources[source.name] = source
    return sources


def _open_source(argument: str, names: Iterable[str]) -> Source:
    """Open the source that an argument of the command line names."""
    path = Path(argument)
    if "://" not in argument and (argument.endswith(SUFFIX) or path.is_dir()):
        return _open_folder(path, names)
    spec = Tournament.load(path).spec if argument.endswith(FILE_SUFFIX) else None
    address = spec.database if spec else argument
    Store.open(address, write=False).close()  # to say a slip at the start
    stem = urlsplit(argument).path.rpartition("/")[2] if "://" in argument else path.stem
    name = choose_name(stem, names)
    beside = path.absolute().with_name(f"{path.stem}.arena") / LIVE_FOLDER
    return TournamentSource.of(spec, name) if spec else TournamentSource(name, address, beside)


def _open_folder(path: Path, names: Iterable[str]) -> TranscriptFolder:
    folder = TranscriptFolder(
        choose_name(path.absolute().name.removesuffix(SUFFIX), names), path.absolute()
    )
    if path.is_dir():
        if not folder.list_files():
            raise UserError(f"{path} contains no transcripts")
    else:
        read_transcript(path)
    return folder


def choose_name(stem: str, names: Iterable[str]) -> str:
    """Return an unused name that fits into an address."""
    name = slugify(stem).strip(".-") or "arena"
    others = {*names}
    several = (f"{name}-{number}" for number in count(2))
    return next(candidate for candidate in chain([name], several) if candidate not in others)
