"""The explorer of a solved game: its positions, the commands that a user types, and its pages.

A page shows both strategies as bars, with links to the next positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, frozen

from arena import ChoiceShare, ExplorerPage, ShareChart, UserError
from arena_gops_solver.positions import (
    Float64Array,
    SolverPosition,
    Strategy,
    find_equilibrium,
    format_cards,
)
from arena_gops_solver.solver import SolvedGame
from arena_gops_solver.table_cache import find_finished_solution, find_solution
from arena_gops_solver.value_table import OBJECTIVES

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

# For the pages:
DEFAULT_CARDS = 5  # cards by default
MAX_SHOWN = 20  # the range of cards of a request
MAX_CARDS_SOLVED_AT_ONCE = 8  # the most cards of a game that is solved on demand
SMALLEST = 2  # the cards of a solved game
PURPOSES = {"points": "for points", "win": "for the chance to win"}  # labels of links
HAND = "mine", "theirs", "prizes"
Query = Mapping[str, str]


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

    def mirror(self) -> ExplorerPosition:
        """Return the same, seen by the other player."""
        rounds = tuple(played.mirror() for played in self.rounds)
        return ExplorerPosition(self.place.mirror(), self.prize, rounds)

    def build_matrix(self, solved: SolvedGame) -> Float64Array:
        """Return the game for the prize that is up: rows are my bids, columns theirs."""
        return solved.build_stage(self.place, self._get_prize())

    def find_strategy(self, solved: SolvedGame) -> Strategy:
        """Return the strategies of both players for the prize that is up."""
        return find_equilibrium(self.build_matrix(solved))

    def find_likeliest_bids(self, solved: SolvedGame) -> tuple[int, int]:
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


def build_page(query: Query) -> ExplorerPage:
    """Return the page of a position; raise UserError if it is not valid, or not solved.

    The query has `objective` (`points` or `win`), `cards`, or the hands and the prizes that are
    left (`mine`, `theirs`, `prizes`: numbers with blanks between them), `prize` if one is up, and
    `difference`, by how many points I am ahead.
    """
    spot, objective = _parse_spot(query), query.get("objective") or OBJECTIVES[0]
    if objective not in OBJECTIVES:
        raise UserError(f"objective: {objective[:20]!r} is not one of {', '.join(OBJECTIVES)}")
    game = _find_game(objective, _count_cards(spot.place))
    if spot.over:
        return _build_end_page(spot)
    return _build_prizes_page(game, spot) if spot.prize is None else _build_bids_page(game, spot)


def build_query(spot: ExplorerPosition) -> dict[str, str] | None:
    """Return the query of a position, or None if its game is not solved."""
    cards = _count_cards(spot.place)
    known = cards <= MAX_CARDS_SOLVED_AT_ONCE or find_finished_solution("points", cards)
    return _build_spot_query(spot, "points") if known else None


def _count_cards(place: SolverPosition) -> int:
    return max((SMALLEST, *place.mine, *place.theirs, *place.prizes))


def _find_game(objective: str, cards: int) -> SolvedGame:
    """Return a solved game; only small games are solved now, as visitors ask for them."""
    found = find_finished_solution(objective, cards)
    if found is None and cards > MAX_CARDS_SOLVED_AT_ONCE:
        raise UserError(
            f"GOPS with {cards} cards is not solved here yet",
            command=f"arena gops solve --cards {cards} --objective {objective}",
        )
    return found or find_solution(objective, cards)


def _parse_spot(query: Query) -> ExplorerPosition:
    known = {"objective", "cards", "prize", "difference", *HAND}
    unknown = sorted(query.keys() - known)
    if unknown:
        raise UserError(f"{unknown[0]}: unknown parameter")
    cards = _parse_number(query, "cards", DEFAULT_CARDS)
    if not 1 <= cards <= MAX_SHOWN:
        raise UserError(f"cards: {cards} is not between 1 and {MAX_SHOWN}")
    suit = tuple(range(1, cards + 1))
    mine, theirs, prizes = (_parse_cards(query, name, suit) for name in HAND)
    spot = ExplorerPosition(
        SolverPosition(mine, theirs, prizes, _parse_number(query, "difference", 0))
    )
    return spot.turn_up(_parse_number(query, "prize", 0)) if query.get("prize") else spot


def _parse_number(query: Query, name: str, usual: int) -> int:
    typed = query.get(name, "").strip()
    if not typed:
        return usual
    sign, digits = (-1, typed[1:]) if typed.startswith("-") else (1, typed)
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len("999")):
        raise UserError(f"{name}: {typed[:20]!r} is not a number")
    return sign * int(digits)


def _parse_cards(query: Query, name: str, suit: tuple[int, ...]) -> tuple[int, ...]:
    if name not in query:
        return suit
    words = query[name].split()
    if len(words) > MAX_SHOWN:
        raise UserError(f"{name}: more than {MAX_SHOWN} cards")
    return tuple(_parse_number({name: word}, name, 0) for word in words)


def _build_spot_query(spot: ExplorerPosition, objective: str) -> dict[str, str]:
    """Return the query of a spot."""
    place = spot.place
    found = {name: " ".join(map(str, getattr(place, name))) for name in HAND}
    up = {} if spot.prize is None else {"prize": str(spot.prize)}
    return {**found, **up, "difference": str(place.difference), "objective": objective}


def _build_page(
    objective: str, spot: ExplorerPosition, value: float, *charts: ShareChart
) -> ExplorerPage:
    (other,) = {*OBJECTIVES} - {objective}
    steps = {
        "the other player's side": _build_spot_query(spot.mirror(), objective),
        PURPOSES[other]: _build_spot_query(spot, other),
    }
    if spot.prize is not None:
        steps["another prize"] = _build_spot_query(ExplorerPosition(spot.place), objective)
    return ExplorerPage(
        words=_describe(objective, spot, value),
        fields=_build_spot_query(spot, objective),
        charts=charts,
        steps=steps,
    )


def _describe(objective: str, spot: ExplorerPosition, value: float) -> tuple[str, ...]:
    place = spot.place
    up = f"; {spot.prize} is up" if spot.prize else ""
    lead = (
        f"to end {_describe_lead(place.difference + value)}"
        if objective == "points"
        else f"{_format_wins(value)} wins less losses in 100 games"
    )
    return (
        f"My hand: {format_cards(place.mine)}. Theirs: {format_cards(place.theirs)}.",
        f"Prizes left: {format_cards(place.prizes)}{up}. I am {place.difference:+d} points ahead."
        if place.difference
        else f"Prizes left: {format_cards(place.prizes)}{up}. The score is level.",
        f"If both play optimally, I can expect {lead}.",
    )


def _describe_lead(value: float) -> str:
    points = _format_points(value)
    return "level" if points == "0" else f"{points} points ahead"


def _format_points(value: float) -> str:
    """Format a value, without a sign if it rounds to 0."""
    text = f"{value:+z.2f}"
    return "0" if text == "+0.00" else text


def _format_wins(value: float) -> str:
    """Format the wins less the losses in 100 games, without a sign if they round to 0."""
    text = f"{100 * value:+z.1f}"
    return "0" if text == "+0.0" else text


def _build_end_page(spot: ExplorerPosition) -> ExplorerPage:
    return ExplorerPage(words=(f"The game is over: {spot.place.difference:+d} points.",))


def _build_prizes_page(game: SolvedGame, spot: ExplorerPosition) -> ExplorerPage:
    """Return the page before a prize is turned up, with the value of each prize."""
    objective = game.table.objective
    format_value, unit = FORMATS[objective]
    bars = [
        ChoiceShare(
            str(prize),
            1 / len(spot.place.prizes),
            format_value(value),
            _build_spot_query(up, objective),
        )
        for prize in spot.place.prizes
        for up in [spot.turn_up(prize)]
        for value in [up.find_strategy(game).value]
    ]
    title = f"Each prize that may come up, and its value for me, in {unit}"
    return _build_page(objective, spot, game.compute_value(spot.place), ShareChart(title, bars))


def _build_bids_page(game: SolvedGame, spot: ExplorerPosition) -> ExplorerPage:
    """Return the page for a prize, with the frequency and the value of each bid."""
    objective = game.table.objective
    format_value, unit = FORMATS[objective]
    found, matrix = spot.find_strategy(game), spot.build_matrix(game)
    mine, theirs = spot.find_likeliest_bids(game)
    worth = (-found.weights @ matrix).tolist()
    sides = (
        ("My", "me", spot.place.mine, found.weights.tolist(), found.worth.tolist(), theirs, 0),
        ("Their", "them", spot.place.theirs, found.theirs.tolist(), worth, mine, 1),
    )
    charts = [
        ShareChart(
            f"{whose} bids, and the value of each for {who}, in {unit}",
            [
                ChoiceShare(
                    str(card), share, format_value(value),
                    _build_spot_query(
                        spot.after(*((card, other) if side == 0 else (other, card))), objective
                    ),
                )
                for card, share, value in zip(cards, shares, values, strict=True)
            ],
        )
        for whose, who, cards, shares, values, other, side in sides
    ]  # fmt: skip
    return _build_page(objective, spot, found.value, *charts)


FORMATS = {
    "points": (_format_points, "points"),
    "win": (_format_wins, "wins less losses in 100 games"),
}
