"""What the web knows of one hill: its terms, its register, its uploads, and who is in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define, field

from arena.host import FILE, called, load, taken_apart
from arena.rules import StorageError, UserError, in_words
from arena.sandbox import AUTO, sandbox
from arena.tournament import Entry, HillConfig, State, Store, Tournament, copy_sizes, folder
from arena_web.hill.disk import find_shortage
from arena_web.hill.languages import Language, languages
from arena_web.hill.people import Visitor
from arena_web.hill.places import copies_of, register_of, terms, uploads_of
from arena_web.hill.quotas import DAY, KEPT_DAYS, Denied
from arena_web.hill.register import Register
from arena_web.hill.standing import Standing, standing_of
from arena_web.hill.submissions import Submission
from arena_web.hill.uploads import Uploads, looked_at
from arena_web.served import Contest, Seen
from arena_web.threads import Threads

if TYPE_CHECKING:
    from arena.tournament.file import TournamentSpec

T = TypeVar("T")
NO_ROOM = "this hill's disk is nearly full; its host can see that, so submit again later"
NO_ROOM_YET = (
    "this hill's disk is nearly full, and its host can see that; your bot waits, and is checked as"
    " soon as there is room"
)
NO_ROOM_SECONDS = 600.0  # until it is worth another try


@define(eq=False, slots=False)
class Office:
    """One hill; what is asked of it may take a moment, so the web does it by `ask`."""

    spec: TournamentSpec
    register: Register
    contest: Contest  #: its tournament; the database may not be there yet
    uploads: Uploads = field(init=False)
    _threads: Threads = field(init=False, factory=Threads)

    def __attrs_post_init__(self) -> None:
        self.uploads = Uploads(uploads_of(self.spec))

    @classmethod
    def open(cls, file: str | Path, contest: Contest | None = None) -> Self:
        """Open the hill of a tournament's file; raise UserError where it is none.

        `contest` is its tournament where that is served already.
        """
        spec = Tournament.load(file).spec
        register = register_of(spec)
        contest = contest or Contest.of(spec, spec.stem)
        contest.find_authors = register.public_authors
        office = cls(spec, register, contest)
        with office.uploads.held():
            office.uploads.tidy(register.uploads())
        return office

    @property
    def name(self) -> str:
        """Return what it is called in addresses."""
        return self.contest.name

    @property
    def config(self) -> HillConfig:
        """Return its terms."""
        return terms(self.spec)

    async def ask(self, question: Callable[[], T]) -> T:
        """Return what a question comes to, in a thread; raise 503 where too many wait."""
        return await self._threads.ask(question)

    async def ask_in_turn(self, question: Callable[[], T]) -> T:
        """Return what a question comes to that takes long: one after the other, beside the rest."""
        return await self._threads.ask_in_turn(question)

    def languages(self) -> Sequence[Language]:
        """Return what bots can be written in that play here."""
        return languages(sandbox(AUTO, self.spec.file.resources))

    async def who(self, key: str) -> Visitor | None:
        """Return whose key this is; None where it is nobody's."""
        return await self.ask(partial(self.register.who, key)) if key else None

    def accept(self, author: int, bot: str, data: bytes) -> tuple[Submission, bool]:
        """Queue what an author has sent; return it, and whether it is new.

        The upload is on the disk before it is queued, so nothing that was accepted is lost.

        Raises:
            Denied: where it is not taken, or not now.
            StorageError: where it cannot be written.
        """
        looked_at(data)
        self.check_room()
        try:
            return self._kept(author, bot, data)
        except OSError as problem:
            raise StorageError(f"{self.uploads.folder}: {in_words(problem)}") from None

    def _kept(self, author: int, bot: str, data: bytes) -> tuple[Submission, bool]:
        entries = self.entries()
        active = [one.id for one in entries if one.state is State.ACTIVE]
        gone = [one.id for one in entries if one.state is not State.ACTIVE]
        taken = {*self._reserved, *(one.name for one in entries)}
        with self.uploads.held():
            self.register.outdate(time() - KEPT_DAYS * DAY, active)
            try:
                digest = self.uploads.keep(data)
                return self.register.submit(
                    author,
                    bot,
                    digest,
                    len(data),
                    self.config,
                    taken=taken,
                    gone=gone,
                    copies=copy_sizes(copies_of(self.spec)),
                )
            finally:
                self.uploads.tidy(self.register.uploads())

    def used(self, author: int) -> Mapping[str, Any]:
        """Return an author's quotas: used, allowed, and for each bot when more is."""
        return self.register.used(author, self.config, copy_sizes(copies_of(self.spec)))

    def check_room(self) -> None:
        """Raise Denied while the disk has too little room for anything that is sent."""
        if self._shortage():
            raise Denied(NO_ROOM, 503, NO_ROOM_SECONDS)

    def find_notice(self) -> str:
        """Return what authors should know before they send anything, if there is something."""
        return NO_ROOM if self._shortage() else ""

    def _shortage(self) -> str:
        """Say what the disk has too little of; raise StorageError where it does not say."""
        try:
            return find_shortage(folder(self.spec))
        except OSError as problem:
            raise StorageError(f"{folder(self.spec)}: {in_words(problem)}") from None

    def standing(self, submission: Submission) -> Standing:
        """Return where a submission stands, as its author sees it."""
        return self.standings([submission])[submission.id]

    def standings(self, submissions: Iterable[Submission]) -> Mapping[int, Standing]:
        """Return where submissions stand, by their numbers."""
        found, last = self._asked(lambda store: (store.entries(), store.carried_out())) or ((), 0)
        entries = {one.id: one for one in found}
        waiting, held = self.register.waiting(), self._shortage() and NO_ROOM_YET
        ordered = {one.entry.id for one in self.register.orders(last) if one.entry}
        return {one.id: standing_of(one, entries, waiting, ordered, held) for one in submissions}

    def begun(self) -> bool:
        """Has the coordinator made the tournament?"""
        return Store.exists(self.contest.address)

    async def see(self) -> Seen | None:
        """Return how the tournament stands; None before it has begun."""
        return await self.contest.figures.get() if await self.ask(self.begun) else None

    def entries(self) -> tuple[Entry, ...]:
        """Return who has entered the tournament, in every version; nobody before it has begun."""
        return self._asked(Store.entries) or ()

    def _asked(self, question: Callable[[Store], T]) -> T | None:
        """Put a question to the tournament's database; None where there is none yet."""
        if not self.begun():
            return None
        with Store.open(self.contest.address, write=False) as store:
            return question(store)

    @cached_property
    def _reserved(self) -> frozenset[str]:
        """Names that no author's bot may have: the game's bots, and the host's own."""
        return frozenset({*self.spec.game.bots, *_listed(self.spec)})


def _listed(spec: TournamentSpec) -> Iterator[str]:
    """Return the names that a tournament's file gives, as far as they are known unbuilt."""
    for line in spec.file.entrant:
        homes = [spec.home / taken_apart(line.bot)[0]] if line.bot else []
        if line.folder:
            homes = [path.parent for path in (spec.home / line.folder).glob(f"*/{FILE}")]
        if line.name:
            yield line.name
        with suppress(UserError):  # of a bot that cannot be read: the run will say it
            yield from (load(home).name for home in homes if (home / FILE).is_file())
            if line.bot and (given := called(line.bot)[0]):
                yield given
