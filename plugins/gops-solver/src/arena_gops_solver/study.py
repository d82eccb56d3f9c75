"""A walk through the solved game as pages: both strategies as bars, and where each step leads."""

from __future__ import annotations

from collections.abc import Mapping

from arena import Bar, Chart, Study, UserError
from arena_gops_solver.positions import Place, Solved, listed
from arena_gops_solver.table_cache import finished, solved
from arena_gops_solver.walk import Spot

BY = "points"
USUAL = 5  # cards, if nothing is asked for
MOST = 20  # cards that can be asked for
AT_ONCE = 8  # cards of a game that is solved when somebody asks
SMALLEST = 2  # cards of a game that is solved
HAND = "mine", "theirs", "prizes"
Query = Mapping[str, str]


def look(query: Query) -> Study:
    """Return the page of a position; raise UserError for what is none, or is not solved.

    The query has `cards`, or the hands and the prizes that are left (`mine`, `theirs`, `prizes`:
    numbers with blanks between them), `prize` if one is up, and `difference`, by how many points I
    am ahead.
    """
    spot = _spot(query)
    game = _game(_cards_of(spot.place))
    if spot.over:
        return _over(spot)
    return _turned_up(game, spot) if spot.prize is None else _bidding(game, spot)


def query_to(spot: Spot) -> dict[str, str] | None:
    """Return the query that leads to a position, or None where its game is not solved."""
    cards = _cards_of(spot.place)
    known = cards <= AT_ONCE or finished(BY, cards) is not None
    return _query(spot) if known else None


def _cards_of(place: Place) -> int:
    return max((SMALLEST, *place.mine, *place.theirs, *place.prizes))


def _game(cards: int) -> Solved:
    """Return a game that was solved before, or a small one now: whoever asks is a visitor."""
    found = finished(BY, cards)
    if found is None and cards > AT_ONCE:
        raise UserError(
            f"GOPS with {cards} cards is not solved here yet: arena gops solve --cards {cards}"
        )
    return found or solved(BY, cards)


def _spot(query: Query) -> Spot:
    known = {"cards", "prize", "difference", *HAND}
    unknown = sorted(query.keys() - known)
    if unknown:
        raise UserError(f"{unknown[0]}: there is nothing of this name here")
    cards = _number(query, "cards", USUAL)
    if not 1 <= cards <= MOST:
        raise UserError(f"cards: {cards} is not from 1 to {MOST}")
    suit = tuple(range(1, cards + 1))
    mine, theirs, prizes = (_cards(query, name, suit) for name in HAND)
    spot = Spot(Place(mine, theirs, prizes, _number(query, "difference", 0)))
    return spot.turned_up(_number(query, "prize", 0)) if query.get("prize") else spot


def _number(query: Query, name: str, usual: int) -> int:
    typed = query.get(name, "").strip()
    if not typed:
        return usual
    sign, digits = (-1, typed[1:]) if typed.startswith("-") else (1, typed)
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len("999")):
        raise UserError(f"{name}: {typed[:20]!r} is no number")
    return sign * int(digits)


def _cards(query: Query, name: str, suit: tuple[int, ...]) -> tuple[int, ...]:
    if name not in query:
        return suit
    words = query[name].split()
    if len(words) > MOST:
        raise UserError(f"{name}: more than {MOST} cards")
    return tuple(_number({name: word}, name, 0) for word in words)


def _query(spot: Spot) -> dict[str, str]:
    """Return the query that leads here."""
    place = spot.place
    found = {name: " ".join(map(str, getattr(place, name))) for name in HAND}
    up = {} if spot.prize is None else {"prize": str(spot.prize)}
    return {**found, **up, "difference": str(place.difference)}


def _words(spot: Spot, value: float) -> tuple[str, ...]:
    place = spot.place
    up = f"; {spot.prize} is up" if spot.prize else ""
    return (
        f"My hand: {listed(place.mine)}. Theirs: {listed(place.theirs)}.",
        f"Prizes left: {listed(place.prizes)}{up}. I am {place.difference:+d} points ahead."
        if place.difference
        else f"Prizes left: {listed(place.prizes)}{up}. It stands level.",
        f"With the best play of both I can expect to end {_ahead(place.difference + value)}.",
    )


def _points(value: float) -> str:
    """Return a value as it is shown: what rounds to 0 has no sign."""
    text = f"{value:+z.2f}"
    return "0" if text == "+0.00" else text


def _ahead(value: float) -> str:
    points = _points(value)
    return "level" if points == "0" else f"{points} points ahead"


def _study(spot: Spot, value: float, *charts: Chart) -> Study:
    steps = {"from the other side": _query(spot.mirrored())}
    if spot.prize is not None:
        steps["another prize"] = _query(Spot(spot.place))
    return Study(words=_words(spot, value), fields=_query(spot), charts=charts, steps=steps)


def _over(spot: Spot) -> Study:
    return Study(words=(f"All prizes are gone: {spot.place.difference:+d} points.",))


def _turned_up(game: Solved, spot: Spot) -> Study:
    """Return the page before a prize is turned up: what each of them would be worth."""
    bars = [
        Bar(str(prize), 1 / len(spot.place.prizes), _points(value), _query(up))
        for prize in spot.place.prizes
        for up in [spot.turned_up(prize)]
        for value in [up.strategy(game).value]
    ]
    title = "The prize that comes up, and what it is worth to me, in points"
    return _study(spot, game.value(spot.place), Chart(title, bars))


def _bidding(game: Solved, spot: Spot) -> Study:
    """Return the page of a prize that is up: how often each card is bid, and what it is worth."""
    found, matrix = spot.strategy(game), spot.matrix(game)
    mine, theirs = spot.likeliest(game)
    worth = (-found.weights @ matrix).tolist()
    sides = (
        ("My", "me", spot.place.mine, found.weights.tolist(), found.worth.tolist(), theirs, 0),
        ("Their", "them", spot.place.theirs, found.theirs.tolist(), worth, mine, 1),
    )
    charts = [
        Chart(
            f"{whose} bids, and what each is worth to {who}, in points",
            [
                Bar(
                    str(card), share, _points(value),
                    _query(spot.after(*((card, other) if side == 0 else (other, card)))),
                )
                for card, share, value in zip(cards, shares, values, strict=True)
            ],
        )
        for whose, who, cards, shares, values, other, side in sides
    ]  # fmt: skip
    return _study(spot, found.value, *charts)
