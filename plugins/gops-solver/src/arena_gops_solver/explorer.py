"""A walk through the solved game: its positions, and the commands that a user types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from arena import UserError
from arena_gops_solver.positions import (
    Float64Array,
    Solution,
    SolverPosition,
    Strategy,
    find_equilibrium,
    format_cards,
)
from arena_gops_solver.solver import SolvedGame

BIDS = 2  # one bid per player
MOST_DIGITS = 9  # Python refuses to parse very long numbers
COMMANDS = {
    "likeliest": "let both make their likeliest bid",
    "prize": "turn up another prize, such as: prize 3",
    "matrix": "show the value of each pair of bids",
    "other": "show the other player's side",
    "back": "undo the last step",
    "start": "go back to the first position",
    "help": "list the commands; their first letters are enough",
    "quit": "quit (or press Ctrl-D)",
}
ALIASES = {"?": "help", "exit": "quit"}


@frozen
class PositionExplorer:
    """The spots that the user has visited, in order."""

    solved: SolvedGame
    path: tuple[ExplorerPosition, ...]

    @property
    def here(self) -> ExplorerPosition:
        """The current spot."""
        return self.path[-1]

    @property
    def due(self) -> str:
        """The prompt for the next command, with the likeliest bids."""
        if self.here.prize is None:
            return self.here.due
        bids = format_cards(self.here.find_likeliest_bids(self.solved))
        return f"{self.here.due}; the likeliest are: {bids}"

    def step(self, typed: ExplorerCommand) -> PositionExplorer:
        """Apply a command; raise UserError if it is not possible here."""
        match typed.name:
            case "back":
                return self._go_back()
            case "start":
                return evolve(self, path=self.path[:1])
            case "likeliest" | "other" | "prize":
                return self._go_to(self._next(typed))
            case "" if typed.numbers:
                return self._go_to(self._next(typed))
        return self

    def _next(self, typed: ExplorerCommand) -> ExplorerPosition:
        match typed.name:
            case "likeliest":
                return self.here.after(*self.here.find_likeliest_bids(self.solved))
            case "other":
                return self.here.mirror()
            case "prize":
                return self.here.turn_up(*typed.numbers)
        return self._go_by_numbers(typed.numbers)

    def _go_to(self, spot: ExplorerPosition) -> PositionExplorer:
        return evolve(self, path=(*self.path, spot))

    def _go_back(self) -> PositionExplorer:
        if len(self.path) == 1:
            raise UserError("this is the first position")
        return evolve(self, path=self.path[:-1])

    def _go_by_numbers(self, numbers: Sequence[int]) -> ExplorerPosition:
        """Turn a prize up or make both bids, whichever is due."""
        if self.here.prize is None and len(numbers) == 1:
            return self.here.turn_up(*numbers)
        if self.here.prize is None or len(numbers) != BIDS:
            raise UserError(f"{format_cards(numbers)}: {self.due}")
        return self.here.after(*numbers)


@frozen
class ExplorerPosition:
    """A position, the prize turned up (or None), and the rounds that led to it."""

    place: SolverPosition
    prize: int | None = None
    rounds: tuple[PlayedRound, ...] = ()

    @property
    def over(self) -> bool:
        """Whether all prizes have been played for."""
        return not self.place.prizes

    @property
    def due(self) -> str:
        """The prompt for the next command."""
        if self.over:
            return "the game is over"
        if self.prize is None:
            return f"type the prize that is turned up, one of: {format_cards(self.place.prizes)}"
        return f"type both bids for prize {self.prize}, mine first"

    def turn_up(self, prize: int) -> ExplorerPosition:
        """Return the same position with this prize turned up."""
        if prize not in self.place.prizes:
            raise UserError(
                f"{prize} is not one of the prizes left: {format_cards(self.place.prizes)}"
            )
        return evolve(self, prize=prize)

    def after(self, mine: int, theirs: int) -> ExplorerPosition:
        """Return the spot that these bids lead to."""
        place, prize = self.place, self._get_prize()
        for bid, hand, whose in ((mine, place.mine, "my"), (theirs, place.theirs, "their")):
            if bid not in hand:
                raise UserError(f"{bid} is not in {whose} hand: {format_cards(hand)}")
        rounds = (*self.rounds, PlayedRound(prize, mine, theirs))
        return ExplorerPosition(place.after(prize, mine, theirs), rounds=rounds)

    def list_path(self) -> Sequence[ExplorerPosition]:
        """Return the positions of the rounds that led here, each with its prize up."""
        path, place = list[ExplorerPosition](), self.place
        for at, played in reversed([*enumerate(self.rounds)]):
            place = place.before(played.prize, played.mine, played.theirs)
            path.append(ExplorerPosition(place, played.prize, self.rounds[:at]))
        return path[::-1]

    def mirror(self) -> ExplorerPosition:
        """Return the same, seen by the other player."""
        rounds = tuple(played.mirror() for played in self.rounds)
        return ExplorerPosition(self.place.mirror(), self.prize, rounds)

    def build_matrix(self, solved: Solution) -> Float64Array:
        """Return the game for the prize that is up: rows are my bids, columns theirs."""
        return solved.build_stage(self.place, self._get_prize())

    def find_strategy(self, solved: Solution) -> Strategy:
        """Return the strategies of both players for the prize that is up."""
        return find_equilibrium(self.build_matrix(solved))

    def find_likeliest_bids(self, solved: Solution) -> tuple[int, int]:
        """Return the likeliest bid of each player; of several the lowest."""
        place, found = self.place, self.find_strategy(solved)
        return place.mine[found.weights.argmax()], place.theirs[found.theirs.argmax()]

    def _get_prize(self) -> int:
        if self.prize is None:
            raise UserError(f"no prize is up; {self.due}")
        return self.prize


@frozen
class PlayedRound:
    """A prize and the bids for it."""

    prize: int
    mine: int
    theirs: int

    def mirror(self) -> PlayedRound:
        """Return the same, seen by the other player."""
        return PlayedRound(self.prize, self.theirs, self.mine)


@frozen
class ExplorerCommand:
    """A typed command; the name is "" for numbers alone."""

    name: str
    numbers: tuple[int, ...] = ()


def parse_command(line: str) -> ExplorerCommand:
    """Parse a line (`3 4`, `likeliest`, `prize 3`); raise UserError if it is not a command."""
    words = line.lower().replace(",", " ").split()
    if not words or _is_number(words[0]):
        return ExplorerCommand("", _parse_numbers(words))
    name, numbers = _find_name(words[0]), _parse_numbers(words[1:])
    numbers_due = int(name == "prize")
    if len(numbers) != numbers_due:
        raise UserError(
            "name one prize, such as: prize 3" if numbers_due else f"{name} takes no numbers"
        )
    return ExplorerCommand(name, numbers)


def _find_name(word: str) -> str:
    """Return the command that begins with these letters."""
    for name in COMMANDS:  # their first letters all differ
        if name.startswith(ALIASES.get(word, word)):
            return name
    raise UserError(f"{word[:20]!r} is not a number or a command ({', '.join(COMMANDS)})")


def _parse_numbers(words: Iterable[str]) -> tuple[int, ...]:
    for word in words:
        if not _is_number(word):
            raise UserError(f"{word[:20]!r} is not a card")
    return tuple(map(int, words))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS
