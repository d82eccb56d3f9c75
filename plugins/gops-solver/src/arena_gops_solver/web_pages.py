"""The explorer's pages: both strategies as bars, with links to the next positions."""

from __future__ import annotations

from collections.abc import Mapping

from arena import ExplorerPage, ShareBar, ShareChart, UserError
from arena_gops_solver.explorer import ExplorerPosition
from arena_gops_solver.positions import SolvedGame, SolverPosition, format_cards
from arena_gops_solver.table_cache import find_finished_solution, find_solution

BY = "points"
DEFAULT_CARDS = 5  # cards by default
MAX_SHOWN = 20  # the range of cards of a request
MAX_CARDS_SOLVED_AT_ONCE = 8  # the most cards of a game that is solved on demand
SMALLEST = 2  # the cards of a solved game
HAND = "mine", "theirs", "prizes"
Query = Mapping[str, str]


def build_page(query: Query) -> ExplorerPage:
    """Return the page of a position; raise UserError if it is not valid, or not solved.

    The query has `cards`, or the hands and the prizes that are left (`mine`, `theirs`, `prizes`:
    numbers with blanks between them), `prize` if one is up, and `difference`, by how many points I
    am ahead.
    """
    spot = _parse_spot(query)
    game = _find_game(_count_cards(spot.place))
    if spot.over:
        return _build_end_page(spot)
    return _build_prizes_page(game, spot) if spot.prize is None else _build_bids_page(game, spot)


def build_query(spot: ExplorerPosition) -> dict[str, str] | None:
    """Return the query of a position, or None if its game is not solved."""
    cards = _count_cards(spot.place)
    known = cards <= MAX_CARDS_SOLVED_AT_ONCE or find_finished_solution(BY, cards) is not None
    return _build_spot_query(spot) if known else None


def _count_cards(place: SolverPosition) -> int:
    return max((SMALLEST, *place.mine, *place.theirs, *place.prizes))


def _find_game(cards: int) -> SolvedGame:
    """Return a solved game; only small games are solved now, as visitors ask for them."""
    found = find_finished_solution(BY, cards)
    if found is None and cards > MAX_CARDS_SOLVED_AT_ONCE:
        raise UserError(
            f"GOPS with {cards} cards is not solved here yet; the host can run: "
            f"arena gops solve --cards {cards}"
        )
    return found or find_solution(BY, cards)


def _parse_spot(query: Query) -> ExplorerPosition:
    known = {"cards", "prize", "difference", *HAND}
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


def _build_spot_query(spot: ExplorerPosition) -> dict[str, str]:
    """Return the query of a spot."""
    place = spot.place
    found = {name: " ".join(map(str, getattr(place, name))) for name in HAND}
    up = {} if spot.prize is None else {"prize": str(spot.prize)}
    return {**found, **up, "difference": str(place.difference)}


def _describe(spot: ExplorerPosition, value: float) -> tuple[str, ...]:
    place = spot.place
    up = f"; {spot.prize} is up" if spot.prize else ""
    lead = _describe_lead(place.difference + value)
    return (
        f"My hand: {format_cards(place.mine)}. Theirs: {format_cards(place.theirs)}.",
        f"Prizes left: {format_cards(place.prizes)}{up}. I am {place.difference:+d} points ahead."
        if place.difference
        else f"Prizes left: {format_cards(place.prizes)}{up}. The score is level.",
        f"If both play optimally, I can expect to end {lead}.",
    )


def _format_points(value: float) -> str:
    """Format a value, without a sign if it rounds to 0."""
    text = f"{value:+z.2f}"
    return "0" if text == "+0.00" else text


def _describe_lead(value: float) -> str:
    points = _format_points(value)
    return "level" if points == "0" else f"{points} points ahead"


def _build_page(spot: ExplorerPosition, value: float, *charts: ShareChart) -> ExplorerPage:
    steps = {"the other player's side": _build_spot_query(spot.mirror())}
    if spot.prize is not None:
        steps["another prize"] = _build_spot_query(ExplorerPosition(spot.place))
    return ExplorerPage(
        words=_describe(spot, value), fields=_build_spot_query(spot), charts=charts, steps=steps
    )


def _build_end_page(spot: ExplorerPosition) -> ExplorerPage:
    return ExplorerPage(words=(f"The game is over: {spot.place.difference:+d} points.",))


def _build_prizes_page(game: SolvedGame, spot: ExplorerPosition) -> ExplorerPage:
    """Return the page before a prize is turned up, with the value of each prize."""
    bars = [
        ShareBar(
            str(prize), 1 / len(spot.place.prizes), _format_points(value), _build_spot_query(up)
        )
        for prize in spot.place.prizes
        for up in [spot.turn_up(prize)]
        for value in [up.find_strategy(game).value]
    ]
    title = "Each prize that may come up, and its value for me, in points"
    return _build_page(spot, game.compute_value(spot.place), ShareChart(title, bars))


def _build_bids_page(game: SolvedGame, spot: ExplorerPosition) -> ExplorerPage:
    """Return the page for a prize, with the frequency and the value of each bid."""
    found, matrix = spot.find_strategy(game), spot.build_matrix(game)
    mine, theirs = spot.find_likeliest_bids(game)
    worth = (-found.weights @ matrix).tolist()
    sides = (
        ("My", "me", spot.place.mine, found.weights.tolist(), found.worth.tolist(), theirs, 0),
        ("Their", "them", spot.place.theirs, found.theirs.tolist(), worth, mine, 1),
    )
    charts = [
        ShareChart(
            f"{whose} bids, and the value of each for {who}, in points",
            [
                ShareBar(
                    str(card), share, _format_points(value),
                    _build_spot_query(spot.after(*((card, other) if side == 0 else (other, card)))),
                )
                for card, share, value in zip(cards, shares, values, strict=True)
            ],
        )
        for whose, who, cards, shares, values, other, side in sides
    ]  # fmt: skip
    return _build_page(spot, found.value, *charts)
