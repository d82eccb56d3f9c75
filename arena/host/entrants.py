"""Who enters a match, as a command line or a file names it, and how it becomes a player.

A bot is a bundled bot's name or a folder with a `bot.toml`, either perhaps with parameters
(`ordered:start=7`); a class of a file, `PATH.py:CLASS`, with parameters like these; a program;
or a command line. `name=BOT` names it, `json:COMMAND` speaks JSON lines, `program:NAME` runs a
bundled bot as a program, and `team:BOT BOT` is a team of several, one for each of its seats.

`seat_people` seats people at a table with bots. People fill the first team, their partners the rest
of it, and opponents the other teams. Rotations move whole teams. Without teams everybody plays
alone.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from inspect import getsourcefile
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, NoReturn, Protocol, TypeGuard

from attrs import evolve, frozen

from arena.host.bot_build import build_bot
from arena.host.bot_file import (
    BOT_DIRECTORY,
    BOT_FILE,
    END_NOW,
    FOLDER_PLACEHOLDER,
    MANY_GAMES,
    MAX_COMMAND_LENGTH,
    NAME_PATTERN,
    BotError,
    BotFile,
    read_bot_folder,
)
from arena.host.folders import (
    BotCopy,
    WorkingFolder,
    check_bot_unreadable,
    check_build_result,
    check_copyable,
    fill_working_folder,
    make_readable,
    seal_copy,
)
from arena.host.shortages import ShortageError, describe_shortage
from arena.players import (
    SEARCHES_HERE,
    Bot,
    Player,
    Process,
    Program,
    ProgramStartError,
    build_module_command,
)
from arena.plugins import JSON, Game, build_with_parameters, parse_bundled_bot, split_name
from arena.rules import (
    Seat,
    Sides,
    UnknownNameError,
    UserError,
    Variant,
    describe_error,
    find_sides,
    format_choices,
    format_count,
)
from arena.sandbox import TRUSTED
from arena.search import create_bot_player

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


@frozen
class Entrant:
    """Somebody who can be seated: what it is called, and what it is."""

    name: str  #: what it is called
    bot: str  #: as it was named
    factory: PlayerFactory  #: makes its player for each match
    make_bot: Callable[[], Bot] | None = None  #: makes the bot, where it is a class
    #: where it is a team of several bots: all of them, in the order of its seats
    partners: tuple[Entrant, ...] = ()
    has_own_names: bool = False  #: whether these are called by their own names in a match

    @property
    def tier(self) -> str | None:
        """The tier of its sandbox, or `trusted`; None for a bot in this process."""
        sandbox = self.factory.sandbox
        return (sandbox.tier if sandbox else TRUSTED) if self.factory.is_program else None

    @property
    def searches(self) -> bool:
        """Whether it, or one of its partners, is handed junctures in this process."""
        alone = self.make_bot is not None and self.make_bot().searches
        return alone or any(partner.searches for partner in self.partners)

    def check_support(self, variant: Variant, seats: int) -> None:
        """Raise UserError where it is known that it cannot play this."""
        for partner in self.partners:
            partner.check_support(variant, seats)
        if self.make_bot:
            try:
                self.make_bot().check_support(variant, seats)
            except UserError as problem:
                message = f"{self.bot}: {problem.message}"
                raise UserError(message, command=problem.command) from None
            except Exception as problem:
                if shortage := describe_shortage(problem):
                    raise ShortageError(f"{self.bot}: {shortage}") from problem
                raise UserError(f"{self.bot}: {describe_error(problem)}") from problem


def check_seat_count(game: Game, seats: int, teams: Sequence[int] = ()) -> None:
    """Raise UserError where a game is not for so many; it may be for so many teams, too."""
    if seats not in game.seats:
        allowed = format_choices(game.seats)
        also = "".join(f" or {format_count(number, 'team')}" for number in teams)
        raise UserError(f"{game.name} is for {allowed} players{also}, not {seats}")


def choose_table(
    game: Game, variant: Variant, players: int, table: int | None = None, *, partners: int = 0
) -> int:
    """Return the seats of a match of so many players, each in one seat or in all seats of a side.

    If no `table` is given, each has one seat where the game allows it; where a player is a team of
    so many `partners`, all seats of a side.

    Raises:
        UserError: where they cannot be seated so.
    """
    if table is None:
        counts = [players] if players in game.seats and not partners else game.seats
        tables = [seats for seats in counts if players in (seats, _count_sides(variant, seats))]
        if partners:
            tables = [seats for seats in tables if partners in map(len, find_sides(variant, seats))]
            if not tables:
                raise UserError(f"{game.name} has no table of {players} teams of {partners}")
        if not tables:
            several = {_count_sides(variant, seats) for seats in game.seats} - {*game.seats}
            check_seat_count(game, players, sorted(several))
        return tables[0]
    check_seat_count(game, table)
    sides = _count_sides(variant, table)
    if players not in (table, sides):
        teams = "" if sides == table else f" or {format_count(sides, 'team')}"
        raise UserError(f"a table of {table} is for {table} players{teams}, not {players}")
    return table


def check_partners(entrants: Iterable[Entrant], sides: Sides) -> None:
    """Raise UserError where a team of several bots does not have a seat for each of them."""
    for entrant in entrants:
        wrong = [len(side) for side in sides if len(side) != len(entrant.partners)]
        if entrant.partners and wrong:
            raise UserError(
                f"{entrant.name} is a team of {len(entrant.partners)} bots, but here an entrant has"
                f" {format_count(wrong[0], 'seat')}"
            )


def _count_sides(variant: Variant, seats: int) -> int:
    return len(find_sides(variant, seats))


def parse_entrants(
    game: Game, texts: Iterable[str], sandbox: Sandbox | None = None
) -> tuple[Entrant, ...]:
    """Read several, built and ready, each with a name of its own."""
    return make_names_unique([parse_entrant(game, text, sandbox) for text in texts])


def parse_opponents(game: Game, texts: Iterable[str]) -> tuple[Entrant, ...]:
    """Read the partners or the opponents of a person, which may be separated by commas."""
    bots = [bot.strip() for bot in ",".join(texts).split(",") if bot.strip()]
    return parse_entrants(game, bots)


def make_names_unique(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return entrants of the same name a number each, from the second on.

    Names that differ in nothing but case count as the same.
    """
    taken: set[str] = set()
    renamed = []
    for entrant in entrants:
        name, number = entrant.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{entrant.name[:28]}_{number}"
        taken.add(name.casefold())
        renamed.append(evolve(entrant, name=name))
    return tuple(renamed)


def parse_entrant(game: Game, text: str, sandbox: Sandbox | None = None) -> Entrant:
    """Read one, built and ready; raise BotError or UnknownNameError in one line.

    In a sandbox its program is built and runs there. Bundled bots are the host's own
    software; any other class that would play in this process is refused.
    """
    name, bot = split_bot_name(text)
    if bots := split_team(bot):
        found = _build_team(bot, [parse_entrant(game, partner, sandbox) for partner in bots])
    else:
        found = _parse_unnamed(game, bot, sandbox)
    return evolve(found, name=name) if name else found


def _parse_unnamed(game: Game, text: str, sandbox: Sandbox | None) -> Entrant:
    head, _, rest = text.partition(":")
    if home := find_bot_folder(game, text):
        return build_folder_entrant(
            game, text, home, split_folder_parameters(text)[1], sandbox=sandbox
        )
    if head == "json":
        return _build_command_entrant(game, text, rest, JSON, sandbox)
    if head == "program":
        return _build_bundled_program(game, text, rest)
    if head in game.bots or head in game.bots_elsewhere:
        factory = BotClassFactory(*parse_bundled_bot(game, text))
        if factory.kind.searches and sandbox:
            raise BotError(f"{text} cannot run in a sandbox: {SEARCHES_HERE}")
        return Entrant(clean_name(head), text, factory, factory.create_bot)
    if named := ClassReference.parse(text):
        if sandbox:
            raise BotError(
                f"{text} would run inside the host's process, where no sandbox holds;"
                " run it as a program"
            )
        factory = BotClassFactory(*named.read())
        return Entrant(clean_name(named.name), text, factory, factory.create_bot)
    return _build_command_entrant(game, text, text, sandbox=sandbox)


def split_bot_name(text: str) -> tuple[str | None, str]:
    """Take `NAME=BOT` apart; the name is None where there is none."""
    named = re.fullmatch(r"(\w+)=(.+)", text, re.DOTALL)
    if not named:
        return None, text
    if not re.fullmatch(NAME_PATTERN, named[1]):
        raise BotError(
            f"{named[1]!r} is not a valid name: use 1 to 32 letters, digits and underscores"
        )
    return named[1], named[2]


TEAM = "team:"
"""Stands before the bots of a team."""


def split_team(bot: str) -> tuple[str, ...]:
    """Return the bots of `team:BOT BOT`, each quoted where a shell would; of others nothing.

    >>> split_team("team:counter 'ruby mine.rb'"), split_team("counter")
    (('counter', 'ruby mine.rb'), ())
    """
    if not bot.startswith(TEAM):
        return ()
    bots = split_command(bot.removeprefix(TEAM))
    if len(bots) < 2:  # noqa: PLR2004
        raise BotError(f"{bot!r} is no team: name a bot for each of its seats")
    if any(split_team(split_bot_name(partner)[1]) for partner in bots):
        raise BotError(f"{bot!r} has a team in a team")
    return bots


def join_team(bots: Iterable[str]) -> str:
    """Return a team of these bots, as `split_team` reads it."""
    return TEAM + shlex.join(bots)


def name_team(names: Iterable[str]) -> str:
    """Return the name of a team that is given none: those of its bots.

    >>> name_team(["counter", "thrifty"])
    'counter_thrifty'
    """
    return clean_name("_".join(names))


def _build_team(text: str, partners: Sequence[Entrant]) -> Entrant:
    first = partners[0]  # stands for all where nobody is seated yet
    name = name_team([partner.name for partner in partners])
    return Entrant(name, text, first.factory, partners=tuple(partners))


def is_bundled(game: Game, bot: str) -> bool:
    """Return whether a bot, perhaps with parameters, comes with its game and plays in process."""
    return bot.partition(":")[0] in game.bots


def find_bot_folder(game: Game, bot: str) -> Path | None:
    """Return the folder that a bot without a name before it is, if it is one."""
    home, _ = split_folder_parameters(bot)
    return Path(home) if not is_bundled(game, bot) and os.path.isdir(home) else None


def split_folder_parameters(bot: str) -> tuple[str, str]:
    """Return the path of `FOLDER:PARAMETER=VALUE,...`, and its parameters.

    >>> split_folder_parameters("json:bots/mine:w=3,v=0")
    ('bots/mine', 'w=3,v=0')
    """
    text = bot.removeprefix(f"{JSON}:")
    if os.path.isdir(text):
        return text, ""
    path, _, given = text.partition(":")
    return path, given


def build_folder_entrant(
    game: Game,
    text: str,
    home: Path,
    given: str = "",
    *,
    built: bool = False,
    sandbox: Sandbox | None = None,
) -> Entrant:
    """Read the bot of a folder, which a text named, with the parameters that it gave.

    Unless it is built, it is built now: in a sandbox in a copy of its folder, which nobody
    else can change, and from which it is played. Raise BotError, or NoSandboxError where other
    programs in sandboxes could read its folder.
    """
    file, protocol, values = read_bot_folder(game.protocols, text, home, given)
    bot_copy = None
    if sandbox and not built:
        check_bot_unreadable(home, file.name)
        bot_copy = BotCopy.create(home)
    bot_folder = bot_copy.folder if bot_copy else home.absolute()
    if bot_copy:  # a link that its author has put in its place leads to no bot
        file, protocol, values = read_bot_folder(game.protocols, text, bot_folder, given)
    if file.build and not built:
        build_bot(bot_folder, file.build, sandbox, shown=home)
        if bot_copy:
            seal_copy(bot_folder, home)
        check_build_result(bot_folder, sandbox, home)
    if bot_copy:
        make_readable(bot_folder)
    words = partial(_build_command, game, file, values)
    try:
        found = words(bot_folder)
    except UserError as problem:
        raise BotError(f"{home / BOT_FILE}: {problem}") from None
    ends_now = file.end == END_NOW
    plays_many = file.games == MANY_GAMES and sandbox is None
    works_in_copy = file.directory == BOT_DIRECTORY
    if works_in_copy:
        check_copyable(bot_folder, sandbox, home)
    program = ProgramFactory(
        game, found, protocol, sandbox, bot_folder, bot_copy, ends_now, plays_many,
        words if works_in_copy else None,
    )  # fmt: skip
    return Entrant(file.name, text, program)


def _build_command(
    game: Game, file: BotFile, values: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Return the command of a bot whose folder is, or is copied to, this one."""
    words = split_command(file.command) if isinstance(file.command, str) else file.command
    return resolve_program(
        game, f"command {file.command_line}", fill_placeholders(words, values, home), home
    )


def _build_bundled_program(game: Game, text: str, name: str) -> Entrant:
    # read now, rather than when the program starts
    kind, parameters = parse_bundled_bot(game, name)
    if kind.searches:
        raise BotError(f"{text} cannot be a program: {SEARCHES_HERE}; write {name}")
    make_bot = BotClassFactory(kind, parameters).create_bot
    words = build_module_command("arena.bot", game.name, name)
    return Entrant(
        clean_name(name.partition(":")[0]), text, ProgramFactory(game, words, JSON), make_bot
    )


def _build_command_entrant(
    game: Game,
    text: str,
    line: str,
    protocol: str | None = None,
    sandbox: Sandbox | None = None,
) -> Entrant:
    words = (
        build_run_command(Path(line).absolute())
        if os.path.isfile(line)
        else resolve_program(game, text, prefer_path(split_command(line)), Path.cwd())
    )
    files = [Path(word) for word in words if os.path.isfile(word)]
    name = derive_name(files[-1] if files else Path(words[0]))
    return Entrant(name, text, ProgramFactory(game, words, protocol, sandbox))


def derive_name(path: Path) -> str:
    """Name a bot after its file, or after its folder where every bot's file is called so."""
    return clean_name(path.parent.name if path.stem == "bot" else path.stem)


def clean_name(name: str) -> str:
    """Return a name of an entrant that is as like this as names may be."""
    return re.sub("[^A-Za-z0-9_]", "_", name)[:32] or "bot"


class PlayerFactory(Protocol):
    """How an entrant becomes a player, once for each match."""

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a player for this seat, its program started in this folder."""

    @property
    def is_program(self) -> bool:
        """Whether it is a program, which needs a working folder."""

    @property
    def sandbox(self) -> Sandbox | None:
        """The sandbox of the program, or None."""


@frozen
class BotClassFactory:
    """A bot in this process: one that a game brings, or a class of a file."""

    kind: type[Bot]  #: its class
    parameters: Mapping[str, Any]  #: for the class
    is_program = False  #: it is no program
    sandbox = None  #: nothing contains it

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a new one."""
        return create_bot_player(self.create_bot())

    def create_bot(self) -> Bot:
        """Make the bot."""
        return self.kind(**self.parameters)


@frozen
class ProgramFactory:
    """A program: the words of its command line, and the wire that it speaks."""

    game: Game
    words: tuple[str, ...]
    protocol: str | None = None
    sandbox: Sandbox | None = None  # None: it is trusted
    home: Path | None = None  # its own folder, if it has one
    bot_copy: BotCopy | None = None  # which that is, if it is a copy
    ends_now: bool = False  # whether it may be killed as soon as a match is over
    plays_many: bool = False  # whether a process may play match after match
    #: where it works in a copy of its folder, so that what it writes spoils nothing: its command
    #: line, for that copy
    build_words: Callable[[Path], tuple[str, ...]] | None = None
    is_program = True

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Start the program."""
        assert folder
        return self.create_program(seat, partial(self.start, folder, log))

    def create_program(self, seat: Seat, start: Callable[[], Process]) -> Program:
        """Return the player of a process, which `start` gives."""
        return Program(start, self.game.build_codec(self.protocol, seat))

    def start(self, folder: WorkingFolder, log: IO[bytes] | None) -> Process:
        """Start the program in this folder; raise ProgramStartError."""
        words, home = self.words, self.home
        if self.build_words and home:
            try:
                fill_working_folder(folder.path, home)
            except BotError as problem:
                raise ProgramStartError(str(problem)) from None
            words, home = self.build_words(folder.path), folder.path
        return Process(
            words, folder.path, log=log, sandbox=self.sandbox, home=home,
            is_persistent=folder.is_persistent, ends_now=self.ends_now,
        )  # fmt: skip


def plays_many(factory: PlayerFactory) -> bool:
    """Return whether a bot asks for one process for many matches, and may have it."""
    return isinstance(factory, ProgramFactory) and factory.plays_many


CLASS_PATTERN = re.compile(r"(?P<path>.+\.py):(?P<given>[A-Za-z_]\w*(:.*)?)", re.DOTALL)


@frozen
class ClassReference:
    """What `PATH.py:CLASS:PARAMETER=VALUE,...` names."""

    path: Path  #: the file
    name: str  #: the class
    class_text: str  #: the class with its parameters, as they were written

    @classmethod
    def parse(cls, text: str) -> ClassReference | None:
        """Read a bot's text; None where it names something else.

        >>> ClassReference.parse("mine.py:Mine:depth=3").name
        'Mine'
        >>> ClassReference.parse("python3 mine.py") is None
        True
        """
        found = CLASS_PATTERN.fullmatch(text)
        if not found or (re.search(r"\s", found["path"]) and not os.path.isfile(found["path"])):
            return None
        return cls(Path(found["path"]), found["given"].partition(":")[0], found["given"])

    def read(self) -> tuple[type[Bot], dict[str, Any]]:
        """Import the class, and read its parameters; raise BotError in one line."""
        try:
            kind = self._import_class()
            _, parameters = split_name(self.class_text)
            _check_constructible(kind, parameters)
        except UserError as problem:
            raise BotError(f"{self.path}: {problem}") from None
        return kind, parameters

    def _import_class(self) -> type[Bot]:
        module = _import_file(self.path.absolute(), self.read_source())
        own = [
            name
            for name, value in vars(module).items()
            if _is_bot_class(value) and value is not Bot
        ]
        if not hasattr(module, self.name):
            raise UnknownNameError("bot", self.name, own)
        kind = getattr(module, self.name)
        if not _is_bot_class(kind):
            raise BotError(f"{self.name} is not a subclass of arena.Bot")
        return kind

    def read_source(self) -> bytes:
        """Return the bytes of the file; raise BotError."""
        if not os.path.isfile(self.path):  # a pipe would never end
            raise BotError("there is no such file")
        try:
            return self.path.read_bytes()
        except OSError as problem:
            raise BotError(str(problem.strerror)) from None


def _is_bot_class(value: object) -> TypeGuard[type[Bot]]:
    return isinstance(value, type) and issubclass(value, Bot)


def _check_constructible(kind: type[Bot], parameters: Mapping[str, Any]) -> None:
    """See that a bot can be made: now, rather than when a match begins; raise UserError."""
    try:
        build_with_parameters(kind, parameters)
    except UserError:
        raise
    except Exception as problem:
        raise BotError(f"{kind.__name__} cannot be created: {describe_error(problem)}") from problem


@cache
def _import_file(path: Path, source: bytes) -> ModuleType:
    """Import what a file holds; raise BotError, with the line where it fails.

    A file is imported once for what it holds: who changes it and seats its class again gets the
    new one. Meanwhile its folder is looked in first, as when Python runs it.
    """
    digest = blake2b(f"{path}\0".encode() + source, digest_size=6).hexdigest()
    name = f"class_in_file_{digest}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # where classes look their annotations up
    sys.path.insert(0, str(path.parent))
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  # who seats a bot runs it
    except (Exception, SystemExit) as problem:
        del sys.modules[name]
        raise BotError(
            f"cannot be imported: {_describe_import_failure(problem, path)}"
        ) from problem
    finally:
        sys.path.remove(str(path.parent))
    return module


def _describe_import_failure(problem: BaseException, path: Path) -> str:
    """Return the exception in one line, with the line of the file that raised it."""
    if isinstance(problem, SyntaxError) and problem.filename == str(path):
        return f"{type(problem).__name__}: {problem.msg} (line {problem.lineno})"
    lines = [
        frame.lineno for frame in extract_tb(problem.__traceback__) if frame.filename == str(path)
    ]
    return describe_error(problem) + (f" (line {lines[-1]})" if lines else "")


def format_class_path(factory: Callable[..., Bot]) -> str:
    """Return a class of a file as `PATH.py:CLASS`; raise UserError where another process has none.

    Tournaments go on later and in other processes, which have to find the class again.
    """
    name = getattr(factory, "__qualname__", repr(factory))
    path = getsourcefile(factory) if _is_importable(factory) else None
    if path is None or not CLASS_PATTERN.fullmatch(f"{path}:{name}"):
        raise UserError(
            f"{name} is not defined in a file that other processes can import; move it to a file,"
            " and name it as PATH.py:CLASS"
        )
    return f"{path}:{name}"


def _is_importable(factory: Callable[..., Bot]) -> bool:
    """Whether another process can import a class by its file and its name."""
    module = sys.modules.get(factory.__module__) if isinstance(factory, type) else None
    own = getattr(module, getattr(factory, "__qualname__", ""), None)
    return own is factory and os.path.isfile(getattr(module, "__file__", None) or "")


def split_command(line: str) -> tuple[str, ...]:
    """Split a command line into its words, as a shell would; raise BotError."""
    try:
        return tuple(shlex.split(line))
    except ValueError as problem:
        raise BotError(f"{line!r} is not a command line: {problem}") from None


def prefer_path(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command with the program that the path of programs gives it, if there is one.

    As in a shell, `python3` is not a file of that name in the current folder, which may be a
    stranger's; `./python3` is.
    """
    program = shutil.which(words[0]) if words else None
    return (program, *words[1:]) if program else words


PLACEHOLDER = re.compile(r"\{(\w+)\}")  # of a parameter, or of the bot's folder


def fill_placeholders(
    words: tuple[str, ...], values: Mapping[str, str], home: Path
) -> tuple[str, ...]:
    """Put values where the words name them, such as `{w}`, and the home for `{folder}`.

    >>> command = ("awk", "{print}", "{w}{w}", "{folder}/data")
    >>> fill_placeholders(command, {"w": "3"}, Path("/bots/mine"))
    ('awk', '{print}', '33', '/bots/mine/data')
    """
    known = {**values, FOLDER_PLACEHOLDER: str(home)}
    named = (values.get(name, "") for word in words for name in PLACEHOLDER.findall(word))
    if sum(map(len, named)) > MAX_COMMAND_LENGTH:  # before it takes up the host's memory
        raise BotError(f"the parameters expand to more than {MAX_COMMAND_LENGTH} characters")
    return tuple(
        PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), word) for word in words
    )


def resolve_program(game: Game, text: str, words: tuple[str, ...], home: Path) -> tuple[str, ...]:
    """Find the program; words that name a file of `home` become absolute.

    A program runs in a folder of its own, where these would not be found.
    """
    if not words:
        raise BotError("the command line is empty")
    rest = [str(home / word) if os.path.isfile(home / word) else word for word in words[1:]]
    return (*(_find_program(home, words[0]) or _raise_unknown_program(game, words[0], text)), *rest)


def _find_program(home: Path, word: str) -> tuple[str, ...]:
    """Return the words that start a program: a file in `home`, or a command on the path."""
    path = home / word
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return (str(path),)
    found = None if os.sep in word else shutil.which(word)
    if found:
        return (found,)
    return build_run_command(path) if os.path.isfile(path) else ()


def _raise_unknown_program(game: Game, word: str, text: str) -> NoReturn:
    """Say that there is no such file or program, or what else may have been meant."""
    if word == text and (os.sep in word or Path(word).suffix in INTERPRETERS):
        raise BotError(f"{word}: no such file")
    if word == text:
        known = [*game.bots, "a program", f"a folder with a {BOT_FILE}", "a quoted command line"]
        raise UnknownNameError("bot", word, known)
    raise BotError(f"{text!r}: program {word!r} not found")


INTERPRETERS = {
    ".py": sys.executable, ".sh": "bash", ".pl": "perl", ".rb": "ruby",
    ".js": "node", ".mjs": "node", ".lua": "lua", ".php": "php",
}  # fmt: skip


def build_run_command(path: Path) -> tuple[str, ...]:
    """Return the command that runs a file: itself, or its interpreter."""
    if os.access(path, os.X_OK):
        return (str(path),)
    interpreter = INTERPRETERS.get(path.suffix)
    if interpreter is None:
        known = ", ".join(INTERPRETERS)
        raise BotError(f"{path.name} is not executable, and its suffix is none of {known}")
    if shutil.which(interpreter) is None:
        raise BotError(f"{path.name} needs {interpreter}, which is not installed")
    return (interpreter, str(path))


@frozen
class PeopleTable:
    """A table for people and bots."""

    seats: int  #: how many it has
    entrants: tuple[Entrant, ...]  #: one for each seat, or for each team
    players: tuple[Entrant, ...]  #: everybody, the people first, each with a name of its own


def seat_people(
    game: Game,
    variant: Variant,
    people: Sequence[Entrant],
    others: Sequence[Entrant],
    *,
    partners: Sequence[Entrant] = (),
    table: int | None = None,
) -> PeopleTable:
    """Seat people with bots as partners and as opponents.

    A single opponent takes all seats of the other teams, and so does a single partner. As many
    opponents as other teams have a team each. Where no partners are named, the first of the bots is
    one; of as many bots as there are seats the first ones are. If no `table` is given, it has a
    seat for each who is named, or else the fewest seats that fit.

    Raises:
        UserError: where they cannot be seated so.
    """
    named = len(people) + len(partners) + len(others)
    if table is not None:
        check_seat_count(game, table)
        tables: Sequence[int] = [table]
    else:
        tables = [*([named] if named in game.seats else []), *game.seats]
    problem: UserError | None = None
    for seats in tables:
        try:
            return _fill_table(find_sides(variant, seats), people, partners, others)
        except UserError as why:
            problem = problem or why
    if table is None and not partners:
        check_seat_count(game, named)
    assert problem
    raise problem


def _fill_table(
    sides: Sides, people: Sequence[Entrant], partners: Sequence[Entrant], others: Sequence[Entrant]
) -> PeopleTable:
    """Fill all seats, side by side; raise UserError."""
    seats = sum(map(len, sides))
    size = len(sides[0]) if len({*map(len, sides)}) == 1 else 1  # teams of one size can rotate
    free = seats - len(people)
    own = -len(people) % size  # seats beside people
    if free < 0:
        raise UserError(f"a table of {seats} has no seats for {len(people)} people")
    if not partners and own and others:
        partners, others = (
            (others[:own], others[own:])
            if len(others) == free
            else (others[:1], others if free > own else others[1:])
        )
    beside = _spread(partners, own, own, "a partner")
    against = _spread(others, free - own, (free - own) // size, "an opponent")
    players = make_names_unique([*people, *beside, *against])
    if size == 1:
        return PeopleTable(seats, players, players)
    teams = [players[first : first + size] for first in range(0, seats, size)]
    entrants = [
        evolve(team[0], partners=tuple(team), has_own_names=True, make_bot=None) for team in teams
    ]
    return PeopleTable(seats, tuple(entrants), players)


def _spread(bots: Sequence[Entrant], seats: int, teams: int, role: str) -> list[Entrant]:
    """Return the bot in each of some seats: one for all, one for each team, or one for each."""
    if len(bots) == 1 and seats:
        bots = [*bots] * teams
    if teams and len(bots) == teams:
        each = seats // teams
        return [bot for team in bots for bot in team.partners or [team] * each]
    if bots and not seats:
        raise UserError(f"there is no seat for {role} at this table")
    if len(bots) != seats:
        raise UserError(f"there {'is' if seats == 1 else 'are'} {format_count(seats, 'seat')} for"
                        f" {role}, not {len(bots)}")  # fmt: skip
    return [*bots]
