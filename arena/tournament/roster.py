"""The roster: entrants with their versions and sandboxes, and the check before they play.

`Roster` reads the entrants of a tournament's file and keeps copies of their bots,
`SandboxResolver` finds the sandbox of each (an untrusted one always needs one), and
`check_entrants` puts both together before the first match. `enter`, `replace` and `withdraw` let
entrants join, change and leave after the start.
"""

from __future__ import annotations

import logging
import os
import shlex
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Unpack

from attrs import asdict, define, evolve, field, frozen

from arena.check import check
from arena.host import (
    BOT_FILE,
    BotError,
    BuildOptions,
    ClassReference,
    MachineError,
    blame_bot,
    build_folder_entrant,
    check_bot_unreadable,
    check_partners,
    find_bot_folder,
    is_bundled,
    join_team,
    load_bot_file,
    name_team,
    parse_bot_parameters,
    parse_entrant,
    split_bot_name,
    split_folder_parameters,
    split_team,
)
from arena.plugins import Game
from arena.rules import StorageError, UnknownNameError, UserError, derive_seed, join_words
from arena.sandbox import (
    TRUSTED,
    NoSandboxError,
    Resources,
    Sandbox,
    check_unreadable,
    find_sandbox,
)
from arena.tournament.bot_copies import (
    build_copy,
    copy_bot,
    discard_copy,
    find_copy,
    get_copy_name,
    hash_folder,
    hash_parts,
    hash_settings,
    is_altered,
    move_copy,
    needs_build,
)
from arena.tournament.file import EntrantConfig, TournamentSpec, get_data_folder
from arena.tournament.models import (
    KNOWN,
    VERSION_JOINT,
    Containment,
    Entry,
    Id,
    State,
    find_like_titles,
)
from arena.tournament.monitor import Monitor
from arena.tournament.store import Store
from arena.tournament.workers import build_entrant, work_in
from arena.wires import read, to_printable

LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else
PROGRAM = "enter a program, or a folder with a bot.toml"
MAX_LINES = 20  # of items that do not take part
MOVE = "move it to a folder elsewhere"
ADVICE = (
    "run `arena doctor` to see what is missing, or use --trust-everybody, which lets its"
    " program do anything that you can do"
)
MOVED_ON = "has changed; version {} plays on until you run `arena tournament replace`"
MENDED = "Fix it and run `arena tournament replace` to let it in"


class UntrustedEntrantError(UserError):
    """An untrusted entrant for which there is no sandbox."""


class EntrantsError(UserError):
    """Some entrants cannot take part; the message has a line for each."""


HOST_ERRORS = (MachineError, NoSandboxError, StorageError, UntrustedEntrantError)
"""Errors of the host, which do not exclude an entrant."""


@frozen
class Roster:
    """Reads the entrants of a tournament and manages their copies."""

    game: Game  #: the game to play
    home: Path  #: the folder of the tournament file
    bots: Path  #: the folder of copies

    def read_entry(
        self,
        text: str,
        name: str | None = None,
        *,
        keeps: bool = False,
        containment: Containment = KNOWN,
    ) -> Entry:
        """Read a bot in its present version; raise UserError."""
        given, bot = split_bot_name(text)
        if bots := split_team(bot):
            team = [self.read_entry(partner, containment=containment) for partner in bots]
            return Entry(
                name or given or name_team([entry.name for entry in team]),
                VERSION_JOINT.join([entry.version for entry in team]),
                join_team([entry.bot for entry in team]), keeps, containment,
            )  # fmt: skip
        if containment.untrusted and ClassReference.parse(bot):
            raise BotError(
                f"{bot} is untrusted and cannot run inside the host's process: {PROGRAM}"
            )
        with work_in(self.home):
            folder = find_bot_folder(self.game, bot)
            if folder is None:
                own, hashed, title = parse_entrant(self.game, bot).name, self._hash_bot(bot), None
            else:
                own, hashed, title = self._copy_folder(bot, folder)
        return Entry(name or given or own, hashed, bot, keeps, containment, title=title or "")

    def _copy_folder(self, bot: str, folder: Path) -> tuple[str, str, str | None]:
        """Check a folder as far as it can be before its build; return name, version and title."""
        file, given = load_bot_file(folder), split_folder_parameters(bot)[1]
        parse_bot_parameters(folder, file, given)
        if not file.build:
            build_folder_entrant(self.game, bot, folder, given, built=True)
        version = copy_bot(folder, self.bots) + hash_settings(file, given)
        return file.name, version, file.title

    def _hash_bot(self, bot: str) -> str:
        """Return the hash of a bundled bot, or of a command and the files that it names."""
        if comes_with_game(self.game, bot):
            return hash_parts(bot.encode(), _get_distribution_version(self.game).encode())
        if named := ClassReference.parse(bot):
            return hash_parts(bot.encode(), named.read_source())
        line = bot.removeprefix("json:")
        words = [line] if os.path.isfile(line) else shlex.split(line)
        files = [Path(word) for word in words if os.path.isfile(word)]
        return hash_parts(bot.encode(), *map(_read_named_file, files))

    def read_entries(self, lines: Sequence[EntrantConfig]) -> tuple[list[Entry], list[str]]:
        """Read a tournament's entrants; return them, and the problems of the others."""
        entries: list[Entry] = []
        wrong: list[str] = []
        for number, line in enumerate(lines):
            try:
                bots = self._list_bots(line)
            except BotError as problem:
                wrong.append(f"entrant[{number}]: {problem}")
                continue
            for bot in bots:
                try:
                    entries.append(
                        self.read_entry(
                            bot, line.name, keeps=line.keeps, containment=line.containment
                        )
                    )
                except UserError as problem:
                    wrong.append(f"entrant[{number}]: {problem}")
        own = {entry.name: entry.title for entry in entries if entry.title}
        wrong += [*_find_duplicates(entries), *describe_like_titles(lines, entries, own)]
        return entries, [*map(to_printable, wrong)]

    def _list_bots(self, line: EntrantConfig) -> list[str]:
        """Return the bots of an entrant table, each as a table of its own would name it."""
        if line.bots:
            return [join_team(line.bots)]
        if line.folder is None:
            return [line.bot or ""]
        found = sorted(path.parent for path in (self.home / line.folder).glob(f"*/{BOT_FILE}"))
        found = [path for path in found if not _is_untrusted_link(path, line)]
        if not found and (self.home / line.folder / BOT_FILE).is_file():
            raise BotError(f'{line.folder} is itself a bot; write bot = "{line.folder}"')
        if not found:
            raise BotError(f"{line.folder} contains no folder with a {BOT_FILE}")
        return [os.path.relpath(path, self.home) for path in found]

    def explain_absences(
        self, lines: Sequence[EntrantConfig], entries: Sequence[Entry]
    ) -> Iterator[str]:
        """Yield a message for each item in the entrants' folders that does not take part."""
        known = {
            self._normalize_path(split_folder_parameters(member.bot)[0])
            for entry in entries
            for member in entry.members
        }
        for line in lines:
            if line.folder is not None:
                said = [*self._list_idle(line, line.folder, known)]
                yield from said[:MAX_LINES]
                if said[MAX_LINES:]:
                    yield f"{len(said[MAX_LINES:])} more in {line.folder} do not take part either"

    def _list_idle(self, line: EntrantConfig, folder: str, known: Container[str]) -> Iterator[str]:
        """Yield a message for each item of a folder that is not a bot or has not entered."""
        home = self.home / folder
        for path in sorted(home.iterdir()) if home.is_dir() else ():
            bot = os.path.relpath(path, self.home)
            if not (path / BOT_FILE).exists():
                if not path.name.startswith("."):
                    yield f"{bot} does not take part: it is not a folder with a {BOT_FILE}"
            elif _is_untrusted_link(path, line):
                yield f"{bot} does not take part: an untrusted bot may not be a symbolic link"
            elif self._normalize_path(bot) not in known:
                yield f"{bot} does not take part: it is new (`arena tournament add` enters it)"

    def _normalize_path(self, path: str) -> str:
        return os.path.normpath(self.home / path)

    def prepare(self, entry: Entry, sandbox: Sandbox | None = None) -> Entry:
        """Build an entrant's copy; return the entrant with its sandbox; raise UserError."""
        if len(entry.members) > 1:
            for member in entry.members:
                self.prepare(member, sandbox)
            return evolve(entry, sandbox=sandbox)
        ready = evolve(entry, sandbox=None if comes_with_game(self.game, entry.bot) else sandbox)
        with work_in(self.home):
            if ready.sandbox and (home := find_bot_folder(self.game, entry.bot)):
                check_bot_unreadable(home, entry.name)
        if not self._has_copy(entry):
            self._check_version(entry)  # copies the bot again if the copy is lost
        if not self._has_copy(entry):
            return ready
        folder = get_copy_name(entry.version)
        if sandbox and is_altered(self.bots, folder):
            self._restore_copy(entry)
        build_copy(self.bots, folder, sandbox)
        build_entrant(self.game.name, ready, self.home, self.bots)
        return ready

    def _has_copy(self, entry: Entry) -> bool:
        return find_copy(self.bots, entry.version) is not None

    def _check_version(self, entry: Entry) -> None:
        now = self.read_entry(entry.bot).version
        if now != entry.version:
            raise BotError(
                f"{entry.name} has changed since it entered (version {entry.version}, now {now});"
                " run `arena tournament replace` to enter the new version"
            )

    def _restore_copy(self, entry: Entry) -> None:
        """Copy an entrant's bot again, whose copy somebody has changed; raise MachineError."""
        altered = self.bots / get_copy_name(entry.version)
        with work_in(self.home):
            source = find_bot_folder(self.game, entry.bot)
            if source is None or not _has_version(source, altered.name):
                raise MachineError(
                    f"{entry.name}: its copy {altered} has changed since it was built, and"
                    f" {entry.bot} is not this version; restore the copy, or withdraw {entry.name}"
                )
            LOG.warning(
                "arena: %s: its copy %s had changed since it was built; it is copied from %s again",
                entry.name, altered, to_printable(str(source)),
            )  # fmt: skip
            discard_copy(self.bots, altered.name)
            copy_bot(source, self.bots)

    def build(
        self, entry: Entry, sandbox: Sandbox | None = None, **terms: Unpack[BuildOptions]
    ) -> Path:
        """Build an entrant's copy unless it is built; return its folder."""
        build_copy(self.bots, get_copy_name(entry.version), sandbox, **terms)
        return self.bots / get_copy_name(entry.version)

    def move_copy(self, entry: Entry, folder: Path, to: Roster) -> None:
        """Move an entrant's built copy from another folder to the copies of another roster.

        Raise BotError if the other roster has a different folder under the same version.
        """
        move_copy(self.bots, get_copy_name(entry.version), folder, to.bots)

    def needs_build(self, entry: Entry) -> bool:
        """Return whether the entrant has a copy that must be built before it can play."""
        return any(
            self._has_copy(member) and needs_build(self.bots, get_copy_name(member.version))
            for member in entry.members
        )

    def differs_from_folder(self, entry: Entry) -> bool:
        """Return whether the folder that an entrant was copied from has changed since."""
        with work_in(self.home):
            for member in entry.members:
                folder = find_bot_folder(self.game, member.bot) if self._has_copy(member) else None
                if folder and not _has_version(folder, get_copy_name(member.version)):
                    return True
        return False

    def find_travel_obstacle(self, entry: Entry) -> str:
        """Return the reason why an entrant cannot be played on other machines, or ""."""
        if entry.keeps:
            return 'its folder is kept on this machine, so it needs executor = "local"'
        for member in entry.members:
            if not (self._has_copy(member) or comes_with_game(self.game, member.bot)):
                return (
                    f"{member.bot!r} is a command of this machine; enter a folder with a {BOT_FILE}"
                    " instead"
                )
        return ""


def open_roster(tournament: TournamentSpec) -> Roster:
    """Return the roster of a tournament."""
    return Roster(tournament.game, tournament.home, get_data_folder(tournament) / "bots")


def _find_duplicates(entries: Sequence[Entry]) -> Iterator[str]:
    alike: dict[str, list[Entry]] = {}
    for entry in entries:
        alike.setdefault(entry.name.casefold(), []).append(entry)
    for _, same in sorted(alike.items()):
        names = dict.fromkeys(entry.name for entry in same)
        bots = ", ".join(entry.bot for entry in same)
        if len(names) > 1:
            yield f"entrant: {join_words([*names], 'and')} differ in case only ({bots}); rename one"
        elif len(same) > 1:
            yield f"entrant: {len(same)} are called {same[0].name} ({bots}); give each its own name"


def find_titles(lines: Sequence[EntrantConfig], entries: Sequence[Entry]) -> dict[str, str]:
    """Return the titles that a tournament's file gives, by the entrants' names."""
    told = [(line.title, line.name, *_split_bot(line)) for line in lines]
    names = {name or given for _, name, given, _ in told}
    others = {entry.bot: entry.name for entry in entries if entry.name not in names}
    return {
        name or given or others.get(bot, ""): title for title, name, given, bot in told if title
    }


def _split_bot(line: EntrantConfig) -> tuple[str | None, str]:
    """Return the name that is given with a bot, and the bot as its entrant has it."""
    if line.bots:
        return None, join_team(line.bots)
    try:
        return split_bot_name(line.bot or "")
    except BotError:  # reading the entrant reports it
        return None, ""


def describe_like_titles(
    lines: Sequence[EntrantConfig], entries: Sequence[Entry], own: Mapping[str, str]
) -> Iterator[str]:
    """Yield a message for each title that may be taken for another entrant's name or title.

    `own` are the titles that bots give themselves, by name.
    """
    of_file = find_titles(lines, entries)
    titles = {**of_file, **own, **of_file}  # the file's first, and they win
    wrong = find_like_titles(titles, [entry.name for entry in entries])
    for name, other in sorted(wrong.items()):
        yield f"entrant: {name}: the title {titles[name]!r} looks like {other!r}; change it"


def _read_named_file(path: Path) -> bytes:
    """Return the contents of a file that a command names; raise BotError or MachineError."""
    with blame_bot(path):
        return path.read_bytes()


def comes_with_game(game: Game, bot: str) -> bool:
    """Return whether the game ships this bot, possibly run as a program."""
    return is_bundled(game, bot.removeprefix("program:"))


def _is_untrusted_link(path: Path, line: EntrantConfig) -> bool:
    """Return whether a bot is a symbolic link that someone untrusted may have made."""
    return line.untrusted and path.is_symlink()


def _get_distribution_version(game: Game) -> str:
    """Return the version of the distribution that brings a game."""
    try:
        return version(game.variant.__module__.split(".")[0].replace("_", "-"))
    except PackageNotFoundError:
        return "unknown"


def _has_version(folder: Path, version: str) -> bool:
    """Return whether a folder still has this version; False if it can no longer be read."""
    try:
        return hash_folder(folder) == version
    except (BotError, OSError):
        return False


@define
class SandboxResolver:
    """Finds the sandbox of each entrant; each choice is tested once on this machine."""

    tournament: TournamentSpec  #: the tournament of the entrants
    trust_everybody: bool = False  #: whether the host has confirmed this explicitly
    _found: dict[str, str] = field(factory=dict, init=False)  # choice -> tier

    def resolve(self, entry: Entry) -> Sandbox | None:
        """Return the sandbox of an entrant, or None if it is trusted; raise UserError."""
        if all(comes_with_game(self.tournament.game, member.bot) for member in entry.members):
            return None
        file, containment = self.tournament.file, entry.containment
        tier = self._resolve_tier(containment.choose_sandbox(file.sandbox))
        if tier == TRUSTED:
            if containment.untrusted and not self.trust_everybody:
                raise UntrustedEntrantError(
                    f"{entry.name} is untrusted, and no sandbox contains it: {ADVICE}"
                )
            return None
        check_folders(self.tournament)
        return Sandbox(tier, read({**asdict(file.resources), **containment.resources}, Resources))

    def _resolve_tier(self, choice: str) -> str:
        if choice not in self._found:
            found = find_sandbox(choice)
            self._found[choice] = found.tier if found else TRUSTED
        return self._found[choice]


def check_folders(tournament: TournamentSpec) -> None:
    """Raise NoSandboxError if programs in sandboxes could read a tournament's files."""
    check_unreadable(tournament.home, "the tournament's folder", MOVE)
    check_unreadable(get_data_folder(tournament), "the tournament's data folder", MOVE)
    if "://" not in tournament.database:
        check_unreadable(Path(tournament.database), "the tournament's database", MOVE)


def _summarize_sandboxes(entrants: list[Entry]) -> Iterator[str]:
    """Yield a line for each kind of sandbox in use, with the number of its entrants."""
    counted = Counter(entry.sandbox.tier for entry in entrants if entry.sandbox)
    for tier, number in sorted(counted.items()):
        yield f"sandbox {tier}: {number} of {len(entrants)} entrants"


def check_entrants(
    store: Store, tournament: TournamentSpec, monitor: Monitor, containing: SandboxResolver
) -> dict[Id, Entry]:
    """Return the entrants that can take part; report the others, or raise to stop the run."""
    roster, lines = open_roster(tournament), tournament.file.entrant
    for line in roster.explain_absences(lines, store.list_entries()):
        monitor.on_message(line)
    entrants = _check_active(store, tournament, monitor, containing)
    for line in _summarize_sandboxes([*entrants.values()]):
        monitor.on_message(line)
    return entrants


def _check_active(
    store: Store, tournament: TournamentSpec, monitor: Monitor, containing: SandboxResolver
) -> dict[Id, Entry]:
    """Build and check the active entrants; return those that pass."""
    found: dict[Id, Entry] = {}
    unfit: list[str] = []
    where = open_roster(tournament)
    entries = store.list_active()
    check_portable(tournament, entries)
    for number, entry in enumerate(entries, 1):
        who = f"{entry.name}, {number} of {len(entries)}"
        try:
            if where.needs_build(entry):
                monitor.on_prepare(f"building {who}")
            ready = where.prepare(entry, containing.resolve(entry))
            if _needs_check(store, tournament, ready):
                monitor.on_prepare(f"checking {who}")
            _check_fit(store, tournament, where, ready)
            found[entry.id] = ready
        except HOST_ERRORS:  # the next run checks everybody
            raise
        except UserError as problem:
            unfit.append(f"{entry.name}: {problem}")
            if tournament.file.unfit == "leave-out":
                store.set_state(entry.id, State.UNFIT, str(problem))
                monitor.on_leave_out(f"{entry.name} is left out: {_end_sentence(problem)} {MENDED}")
        else:
            if where.differs_from_folder(entry):
                monitor.on_message(f"{entry.name} {MOVED_ON.format(entry.version)}")
    if unfit and tournament.file.unfit == "stop":
        raise EntrantsError("\n".join(unfit))
    return found


def check_portable(tournament: TournamentSpec, entries: Sequence[Entry]) -> None:
    """Raise EntrantsError if workers are on other machines and an entrant cannot run there."""
    if not tournament.workers.remote:
        return
    where = open_roster(tournament)
    staying = [
        f"{entry.name}: {why}" for entry in entries if (why := where.find_travel_obstacle(entry))
    ]
    if staying:
        raise EntrantsError("\n".join(staying))


def _end_sentence(problem: UserError) -> str:
    """Return the text of a problem, with a full stop where it has no end mark."""
    text = str(problem)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _check_fit(store: Store, tournament: TournamentSpec, where: Roster, entry: Entry) -> None:
    """Raise UserError unless an entrant supports the variant and passes its trial match."""
    game = tournament.game
    sitting = build_entrant(game.name, entry, tournament.home, where.bots)
    sitting.check_support(tournament.variant, tournament.seats_per_match)
    check_partners([sitting], tournament.sides)
    if _needs_check(store, tournament, entry):
        for member in entry.members:
            if not is_bundled(game, member.bot):
                _check_trial(store, tournament, where, member)
        record_check(store, entry.id)


def _check_trial(store: Store, tournament: TournamentSpec, where: Roster, entry: Entry) -> None:
    """Raise BotError unless a bot passes its trial match."""
    game = tournament.game
    report = check(
        game,
        build_entrant(game.name, entry, tournament.home, where.bots),
        tournament.variant,
        sizes=[tournament.seats_per_match],
        limits=tournament.file.time,
        seed=derive_seed(store.get_fact("secret"), "check", entry.id),
        quick=True,
    )
    if not report.passed:
        found = report.findings[0]
        raise BotError(f"{found.kind} ({found.situation}): {found.detail}. {found.advice}")


def _needs_check(store: Store, tournament: TournamentSpec, entry: Entry) -> bool:
    """Return whether an entrant has to pass a trial match before its first match."""
    bundled = all(is_bundled(tournament.game, member.bot) for member in entry.members)
    return (
        tournament.file.check and not bundled and entry.id not in (store.get_fact("checked") or [])
    )


def record_check(store: Store, entrant: Id) -> None:
    """Record that an entrant passed its check, so that later runs do not repeat it.

    An entrant of a hill was checked on admission. A second check at each start would exclude it for
    good if the machine is slow at that moment.
    """
    store.set_fact("checked", sorted({*(store.get_fact("checked") or []), entrant}))


def enter(
    tournament: TournamentSpec,
    text: str,
    *,
    keeps: bool = False,
    containment: Containment = KNOWN,
) -> Entry:
    """Enter a bot late, with its paths relative to the current folder; raise UserError."""
    with _open_for_changes(tournament) as store:
        name, bot = split_bot_name(text)
        entry = open_roster(tournament).read_entry(
            relocate_bot(tournament, bot), name, keeps=keeps, containment=containment
        )
        if any(active.name == entry.name for active in store.list_active()):
            raise UserError(
                f"{entry.name} has already entered; `arena tournament replace` enters a new version"
            )
        _check_case(store, entry)
        return _admit(store, entry)


def replace(tournament: TournamentSpec, name: str, bot: str | None) -> tuple[Entry, Entry]:
    """Enter a new version of an entrant; return the old and the new one; raise UserError."""
    with _open_for_changes(tournament) as store:
        old = _find_latest(store, name)
        text = old.bot if bot is None else relocate_bot(tournament, bot)
        entry = open_roster(tournament).read_entry(
            text, name, keeps=old.keeps, containment=old.containment
        )
        if entry.id == old.id and old.state is State.ACTIVE:
            raise UserError(f"{name} has not changed: it is still version {old.version}")
        if entry.id != old.id and old.state is not State.WITHDRAWN:
            store.set_state(old.id, State.REPLACED, f"by version {entry.version}")
        return old, _admit(store, entry)


def withdraw(tournament: TournamentSpec, name: str) -> Entry:
    """Withdraw an entrant, and return it; raise UserError."""
    with _open_for_changes(tournament) as store:
        for entry in store.list_entries():
            if entry.name == name and entry.state.is_current:
                gone = evolve(entry, state=State.WITHDRAWN, why="by the host")
                store.set_state(gone.id, gone.state, gone.why)
                return gone
        raise UnknownNameError("entrant", name, [entry.name for entry in store.list_active()])


def _check_case(store: Store, entry: Entry) -> None:
    """Raise UserError if the name of another entrant differs in case only, past ones as well."""
    for other in store.list_entries():
        if other.name != entry.name and other.name.casefold() == entry.name.casefold():
            raise UserError(
                f"{entry.name} and {other.name}, which has entered, differ in case only; rename one"
            )


def relocate_bot(tournament: TournamentSpec, bot: str) -> str:
    """Return a bot with its paths relative to the tournament file, not to the current folder."""
    if bots := split_team(bot):
        return join_team([relocate_bot(tournament, partner) for partner in bots])
    home, head = tournament.home, bot.partition(":")[0]
    if home.samefile(Path.cwd()) or head in {*tournament.game.bots, "program"}:
        return bot
    head, colon, rest = bot.rpartition("json:")
    path, given = split_folder_parameters(rest)
    if os.path.exists(path):  # noqa: PTH110  # it may be too long to be a path
        return head + colon + _relocate(path, home) + f":{given}" * bool(given)
    try:
        words = shlex.split(rest)
    except ValueError:  # reading it reports the mistake
        return bot
    moved = [_relocate(word, home) if os.path.isfile(word) else word for word in words]
    return bot if moved == words else head + colon + shlex.join(moved)


def _relocate(path: str, home: Path) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, home)


def _find_latest(store: Store, name: str) -> Entry:
    """Return the active version of this name, or else the latest one."""
    known = store.list_entries()
    ranked = sorted(known, key=lambda entry: entry.state is State.ACTIVE)
    named = [entry for entry in ranked if entry.name == name]
    if not named:
        raise UnknownNameError("entrant", name, dict.fromkeys(entry.name for entry in known))
    return named[-1]


def _admit(store: Store, entry: Entry) -> Entry:
    """Enter a version, or reactivate it if it has entered before."""
    if any(stored.id == entry.id for stored in store.list_entries()):
        store.set_state(entry.id, State.ACTIVE, "")
    else:
        store.enter(entry)
    return entry


@contextmanager
def _open_for_changes(tournament: TournamentSpec) -> Iterator[Store]:
    """Open a tournament that has begun, to change its entrants."""
    if not Store.exists(tournament.database):
        raise UserError(
            f"{tournament.database} does not exist yet; before the first run, add"
            " entrants to the tournament file"
        )
    with Store.open(tournament.database) as store:
        store.claim()
        yield store
