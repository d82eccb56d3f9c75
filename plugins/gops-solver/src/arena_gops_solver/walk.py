"""A walk through a solved game: where it is, how it came there, and what a typed line does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from arena import UserError
from arena_gops_solver.matrix import Numbers, Strategy, equilibrium
from arena_gops_solver.positions import Place, Solved, listed

BIDS = 2  # that two players make
MOST_DIGITS = 9  # Python refuses to read numbers without end
COMMANDS = {
    "likeliest": "both make their likeliest bid",
    "prize": "what if another prize were up, such as: prize 3",
    "matrix": "what each pair of bids is worth to me",
    "other": "see it from the other side",
    "back": "take the last step back",
    "start": "go to where the walk began",
    "help": "say what can be typed; the first letters will do",
    "quit": "end, as Ctrl-D does",
}
ALIASES = {"?": "help", "exit": "quit"}


@frozen
class Command:
    """What was typed: one of the commands or, as "", nothing but numbers."""

    name: str
    numbers: tuple[int, ...] = ()


def command(line: str) -> Command:
    """Read a line: `3 4`, `likeliest`, `prize 3`; raise UserError if it says nothing."""
    words = line.lower().replace(",", " ").split()
    if not words or _is_number(words[0]):
        return Command("", _numbers(words))
    name, numbers = _name(words[0]), _numbers(words[1:])
    numbers_due = int(name == "prize")
    if len(numbers) != numbers_due:
        raise UserError("which one? Such as: prize 3" if numbers_due else f"{name} stands alone")
    return Command(name, numbers)


def _name(word: str) -> str:
    """Return the command that begins with this."""
    for name in COMMANDS:  # no two of which begin with the same letter
        if name.startswith(ALIASES.get(word, word)):
            return name
    raise UserError(f"{word[:20]!r} is neither numbers nor one of: {' '.join(COMMANDS)}")


def _numbers(words: Iterable[str]) -> tuple[int, ...]:
    for word in words:
        if not _is_number(word):
            raise UserError(f"{word[:20]!r} is no card")
    return tuple(map(int, words))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS


@frozen
class Round:
    """A prize, and what was bid for it."""

    prize: int
    mine: int
    theirs: int

    def mirrored(self) -> Round:
        """Return the same as the other one sees it."""
        return Round(self.prize, self.theirs, self.mine)


@frozen
class Spot:
    """A place, the prize that is up there, or None before one is, and how it was come to."""

    place: Place
    prize: int | None = None
    rounds: tuple[Round, ...] = ()

    @property
    def over(self) -> bool:
        """Are all prizes gone?"""
        return not self.place.prizes

    @property
    def due(self) -> str:
        """Say what comes next."""
        if self.over:
            return "the game is over"
        if self.prize is None:
            return f"type the prize that is turned up, one of: {listed(self.place.prizes)}"
        return f"type both bids for prize {self.prize}, mine first"

    def turned_up(self, prize: int) -> Spot:
        """Return the same place with this prize up, whatever was up."""
        if prize not in self.place.prizes:
            raise UserError(f"{prize} is none of the prizes left: {listed(self.place.prizes)}")
        return evolve(self, prize=prize)

    def after(self, mine: int, theirs: int) -> Spot:
        """Return where these bids lead."""
        place, prize = self.place, self._up()
        for bid, hand, whose in ((mine, place.mine, "my"), (theirs, place.theirs, "their")):
            if bid not in hand:
                raise UserError(f"{bid} is not in {whose} hand: {listed(hand)}")
        rounds = (*self.rounds, Round(prize, mine, theirs))
        return Spot(place.after(prize, mine, theirs), rounds=rounds)

    def mirrored(self) -> Spot:
        """Return the same as the other one sees it."""
        rounds = tuple(played.mirrored() for played in self.rounds)
        return Spot(self.place.mirrored(), self.prize, rounds)

    def matrix(self, solved: Solved) -> Numbers:
        """Return the game for the prize that is up: rows are my bids, columns theirs."""
        return solved.stage(self.place, self._up())

    def strategy(self, solved: Solved) -> Strategy:
        """Return how both bid for the prize that is up."""
        return equilibrium(self.matrix(solved))

    def likeliest(self, solved: Solved) -> tuple[int, int]:
        """Return the likeliest bid of each, of several the lowest."""
        place, found = self.place, self.strategy(solved)
        return place.mine[found.weights.argmax()], place.theirs[found.theirs.argmax()]

    def _up(self) -> int:
        if self.prize is None:
            raise UserError(f"no prize is up; {self.due}")
        return self.prize


@frozen
class Walk:
    """The spots that a walk has come to, in order."""

    solved: Solved
    path: tuple[Spot, ...]

    @property
    def here(self) -> Spot:
        """Return where it is."""
        return self.path[-1]

    @property
    def due(self) -> str:
        """Say what comes next, and of bids which are the likeliest."""
        if self.here.prize is None:
            return self.here.due
        return f"{self.here.due}; the likeliest are: {listed(self.here.likeliest(self.solved))}"

    def step(self, typed: Command) -> Walk:
        """Do what was typed; what is no step stays. Raises UserError for what cannot be here."""
        match typed.name:
            case "back":
                return self._back()
            case "start":
                return evolve(self, path=self.path[:1])
            case "likeliest" | "other" | "prize":
                return self._to(self._next(typed))
            case "" if typed.numbers:
                return self._to(self._next(typed))
        return self

    def _next(self, typed: Command) -> Spot:
        match typed.name:
            case "likeliest":
                return self.here.after(*self.here.likeliest(self.solved))
            case "other":
                return self.here.mirrored()
            case "prize":
                return self.here.turned_up(*typed.numbers)
        return self._by(typed.numbers)

    def _to(self, spot: Spot) -> Walk:
        return evolve(self, path=(*self.path, spot))

    def _back(self) -> Walk:
        if len(self.path) == 1:
            raise UserError("this is where the walk began")
        return evolve(self, path=self.path[:-1])

    def _by(self, numbers: Sequence[int]) -> Spot:
        """Turn a prize up or make both bids, whichever is due."""
        if self.here.prize is None and len(numbers) == 1:
            return self.here.turned_up(*numbers)
        if self.here.prize is None or len(numbers) != BIDS:
            raise UserError(f"{listed(numbers)}: {self.due}")
        return self.here.after(*numbers)
