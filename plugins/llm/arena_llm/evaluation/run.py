"""A run of a suite: a folder with a tournament for each bot and game, and answers of bots.

All bots play the same deals against the same opponents, each in tournaments of its own, so a bot
that comes later changes nothing for the others. Whatever is there already is not played or asked
again, so an interrupted run continues where it stopped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from attrs import asdict, define, evolve, field, frozen

from arena import Game, InformationState, UserError
from arena.host import Entrant, HostConfig, ProgramPool, ask_entrant, parse_entrant, split_bot_name
from arena.plugins import AnswerShares, Yardstick, get_plugins
from arena.rules import derive_seed
from arena.tournament import Ending
from arena.tournament.file.reader import parse_tournament
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.run.monitor import ProgressMonitor
from arena.tournament.run.tournament_run import run as run_tournament
from arena.tournament.store import Store
from arena.wires import dump, freeze, read
from arena_llm.evaluation.records import RecordFolder
from arena_llm.evaluation.suite import Suite, SuiteGame

FORMAT = 1
INDEX = "evaluation.json"
RECORD_OPTION = "--record"
Progress = Callable[[str, int, int | None], None]
"""Called with what is under way, how much of it is over, and how much there is, if known."""


@frozen
class EvaluatedBot:
    """A bot of a run."""

    bot: str  #: as on a command line
    record: str | None = None  #: the folder that its command names for records, if it is a model

    @classmethod
    def parse(cls, game: Game, bot: str) -> EvaluatedBot:
        """Find out where a bot keeps its record: arena-llm has an option for it."""
        words: Sequence[str] = getattr(parse_entrant(game, bot).factory, "words", ())
        named = [word for option, word in pairwise(words) if option == RECORD_OPTION]
        named += [word.partition("=")[2] for word in words if word.startswith(f"{RECORD_OPTION}=")]
        return cls(bot, named[-1] if named else None)

    @property
    def records(self) -> RecordFolder:
        """The records; none where it keeps none."""
        return RecordFolder(Path(self.record) if self.record else None)


@frozen
class Run:
    """The folder of a run, with its suite and its bots."""

    folder: Path
    suite: Suite
    bots: Mapping[str, EvaluatedBot]  #: by name

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Open the folder of a run that was begun; raise UserError."""
        try:
            index = json.loads((folder / INDEX).read_text("utf-8"))
            suite = read(index["suite"], Suite)
            bots = {name: read(bot, EvaluatedBot) for name, bot in index["bots"].items()}
        except FileNotFoundError:
            raise UserError(
                f"{folder}: no evaluation; `arena eval run` writes one into a folder"
            ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise UserError(f"{folder / INDEX}: cannot be read: {problem}") from None
        return cls(folder, suite, bots)

    @classmethod
    def begin(cls, folder: Path, suite: Suite, bots: Sequence[str]) -> Run:
        """Begin a run in a new folder, or add bots to one; raise UserError."""
        game = get_plugins().find_game(suite.game[0].game)
        named = {name_bot(suite, bot): EvaluatedBot.parse(game, bot) for bot in bots}
        if len(named) < len(bots):
            raise UserError("two bots have the same name; write NAME=BOT for one of them")
        if (folder / INDEX).exists():
            before = cls.open(folder)
            if before.suite.digest != suite.digest:
                raise UserError(
                    f"{folder}: holds results of {before.suite.title}, not of {suite.title};"
                    " name another folder by --out"
                )
            for name, bot in named.items():
                if (old := before.bots.get(name, bot)) != bot:
                    raise UserError(f"{folder}: {name} is {old.bot!r} there; write NEWNAME=BOT")
            named = {**before.bots, **named}
        _check_records(named)
        folder.mkdir(parents=True, exist_ok=True)
        index = {"format": FORMAT, "suite": suite.pack(),
                 "bots": {name: asdict(bot) for name, bot in named.items()}}  # fmt: skip
        new = folder / f"{INDEX}.new"
        new.write_text(f"{json.dumps(index, indent=1)}\n", "utf-8")
        new.replace(folder / INDEX)
        return cls(folder, suite, named)

    def find_database(self, bot: str, part: SuiteGame) -> Path:
        """Return the path of the tournament of a bot and a game."""
        return self.folder / bot / f"{part.label}.db"

    def open_store(self, bot: str, part: SuiteGame) -> Store | None:
        """Open the database of a bot and a game for reading; None if nothing was played yet."""
        path = self.find_database(bot, part)
        return Store.open(str(path), write=False) if path.exists() else None

    def open_answers(self, bot: str, part: SuiteGame) -> AnswerStore:
        """Return the answers of a bot in information states of a game."""
        return AnswerStore(self.folder / bot / f"{part.label}-answers.jsonl")

    def play(self, names: Sequence[str], seed: str, workers: int | None,
             progress: Progress) -> Ending:  # fmt: skip
        """Play all that is missing of some bots, and ask what is missing."""
        for part in self.suite.game:
            for name in names:
                spec = self._build_tournament(name, part, seed, workers)
                monitor = ProgressMonitor(partial(progress, f"{name}, {part.label}"), part.matches)
                if run_tournament(spec, monitor) is Ending.INTERRUPTED:
                    return Ending.INTERRUPTED
        return Ending.PLAYED

    def ask(self, names: Sequence[str], seed: str, progress: Progress) -> None:
        """Ask some bots in all information states of the best replies."""
        for part in self.suite.game:
            for name in names:
                for yardstick in list_yardsticks(part):
                    asker = Asker.of(self, name, part, seed, progress)
                    asker.compute_gain(yardstick)

    def _build_tournament(
        self, name: str, part: SuiteGame, seed: str, workers: int | None
    ) -> TournamentSpec:
        """Return the tournament of a bot against the opponents of a game."""
        path = self.find_database(name, part).absolute()
        path.parent.mkdir(exist_ok=True)
        taken = {name}
        opponents = []
        for opponent in part.opponents:
            label = parse_entrant(get_plugins().find_game(part.game), opponent).name
            while label in taken:
                label += "_"
            taken.add(label)
            opponents.append({"name": label, "bot": opponent})
        values: dict[str, Any] = {
            "game": part.game,
            "format": f"gauntlet:challenger={name}",
            "matches": part.matches,
            "seed": self.suite.derive_game_seed(seed, part),
            "database": str(path),
            "check": False,  # it would ask a model, too
            "options": dict(part.options),
            "time": {
                name: limit for name, limit in asdict(self.suite.time).items() if limit is not None
            },
            "entrant": [{"name": name, "bot": split_bot_name(self.bots[name].bot)[1]}, *opponents],
            **({"table": part.table} if part.table else {}),
            **({"workers": workers} if workers else {}),
        }
        spec = parse_tournament(values, Path.cwd(), part.label)
        return evolve(spec, data_folder=path.with_suffix(".arena"))


def name_bot(suite: Suite, bot: str) -> str:
    """Return the name of a bot, which may be written before it: NAME=BOT."""
    return parse_entrant(get_plugins().find_game(suite.game[0].game), bot).name


def _check_records(bots: Mapping[str, EvaluatedBot]) -> None:
    """Raise UserError if two bots share a folder: their matches have the same deals and seeds."""
    owners = dict[str, str]()
    for name, bot in bots.items():
        if bot.record and (owner := owners.setdefault(bot.record, name)) != name:
            raise UserError(
                f"{owner} and {name} keep their records in one folder, {bot.record}; give each its"
                " own, by a parameter of the bot"
            )


def list_yardsticks(part: SuiteGame) -> list[Yardstick]:
    """Return the yardsticks that ask in a game of a suite."""
    return get_plugins().list_yardsticks(part.game) if part.best_reply else []


class AnswerStore:
    """Answers of a bot in information states: a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shares: dict[str, AnswerShares] = {}
        whole, _, rest = path.read_text("ascii").rpartition("\n") if path.exists() else ("", "", "")
        for line in whole.splitlines():
            known = json.loads(line)
            self._shares[known["state"]] = {
                freeze(answer): share for answer, share in known["shares"]
            }
        if rest:  # of a line that a kill has cut off
            path.write_text(f"{whole}\n" if whole else "", "ascii")

    def find(self, state: str) -> AnswerShares | None:
        """Return the shares of the answers in a state, if it was asked before."""
        return self._shares.get(state)

    def add(self, state: str, shares: AnswerShares) -> None:
        """Add the shares of the answers in a state."""
        self._shares[state] = shares
        with self._path.open("a", encoding="ascii") as file:
            file.write(f"{dump({'state': state, 'shares': [*shares.items()]})}\n")


class UnansweredError(UserError):
    """Raised where an answer is missing that nobody is asked for now."""


@define
class Asker:
    """Asks a bot in information states, or looks its answers up."""

    game: Game
    part: SuiteGame
    answers: AnswerStore
    entrant: Entrant | None = None  #: None: answers are looked up only
    seed: str = ""
    config: HostConfig = field(factory=HostConfig)
    records: RecordFolder = field(factory=RecordFolder)
    report: Callable[[int], object] = field(default=lambda _: None)
    count: int = 0  #: states that came up

    @classmethod
    def of(cls, run: Run, name: str, part: SuiteGame, seed: str, progress: Progress) -> Asker:
        """Return the object that asks a bot of a run."""
        game = get_plugins().find_game(part.game)
        bot = run.bots[name]
        entrant = parse_entrant(game, bot.bot)
        config = HostConfig(run.suite.time)
        return cls(
            game, part, run.open_answers(name, part), entrant,
            run.suite.derive_game_seed(seed, part), config, bot.records,
            lambda count: progress(f"{name}, {part.label}, states", count, None),
        )  # fmt: skip

    def compute_gain(self, yardstick: Yardstick) -> float:
        """Return the gain of a best reply to the bot; raise UserError."""
        assert self.part.best_reply
        variant = self.game.read_variant(self.part.best_reply.options)
        if self.entrant is None:
            return yardstick.compute_gain(variant, self.find_shares)
        with ProgramPool() as programs:
            self.config = evolve(self.config, programs=programs)
            return yardstick.compute_gain(variant, self.find_shares)

    def find_shares(self, state: InformationState) -> AnswerShares:
        """Return the share of each answer of the bot."""
        self.count += 1
        key = self._name_state(state)
        shares = self.answers.find(key)
        if shares is None:
            shares = self._ask(state, key)
            self.answers.add(key, shares)
        self.report(self.count)
        return shares

    def _name_state(self, state: InformationState) -> str:
        pack = self.game.vocabulary.pack
        options = self.game.write_changed_options(state.greeting.variant)
        assert self.part.best_reply
        told = [state.seat, options, self.part.best_reply.answers, *map(pack, state.events)]
        return derive_seed(dump([*told, pack(state.question)]))

    def _ask(self, state: InformationState, name: str) -> AnswerShares:
        """Ask as often as the suite says; once, if the model says how it mixes."""
        if self.entrant is None:
            raise UnansweredError("not all information states were asked yet")
        assert self.part.best_reply
        answers, many = Counter[Any](), self.part.best_reply.answers
        for number in range(many):
            key = derive_seed(self.seed, "ask", name, number)
            answers[ask_entrant(self.game, self.entrant, state, key, self.config)] += 1
            if mix := self.records.find_mix(self.game, state, key):
                return mix
        return {answer: count / many for answer, count in answers.items()}
