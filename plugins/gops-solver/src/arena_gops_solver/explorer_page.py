"""The pages of the solved game: a position as three rows of cards, each of which leads on.

A prize is turned up first, then both bids are chosen, in either order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat

from attrs import evolve, frozen

from arena import ChoiceShare, ExplorerField, ExplorerPage, MissingPage, ShareChart, UserError
from arena_gops import Gops, name_card, name_face
from arena_gops_solver.explorer import ExplorerPosition, PlayedRound
from arena_gops_solver.positions import Solution, SolverPosition
from arena_gops_solver.solver import MOST_CARDS, choose_subgame_size, solve_from
from arena_gops_solver.table_cache import (
    explain_absence,
    find_finished_solution,
    find_solution,
    solve_into_cache,
)
from arena_gops_solver.value_table import OBJECTIVES

DEFAULT_CARDS = 6  # of the first page
FIRST_PRIZE = 5  # on the first page: optimal players draw among many cards for it
FEWEST_CARDS = 2  # of a solved game
MAX_CARDS_SOLVED_AT_ONCE = 8  # the most cards of a game that is solved on demand
FULL_CARDS = 13  # of the game with a whole suit, whose highest cards have faces
PACE = 10  # the rest of a game is solved within this fraction of the usual time: under a second
MAX_CACHED_ENDGAMES = 16  # a few megabytes each
PURPOSES = {"points": "the most points", "win": "the chance to win"}  # labels of the objectives
HANDS = "mine", "theirs", "prizes"
BIDS = "bid", "reply"  # the bids that are chosen: yours, and the other player's
MEANING = (
    "Who plays optimally draws the bid by lot, as often as is written above each card, so that"
    " nobody can foresee it. All cards that are drawn bring the same, which is written below them;"
    " others bring no more."
)
UNSOLVED = "This position can be shown once the game is solved."
ROUND = 3  # cards: a prize, your bid and theirs
MINE, THEIRS, PRIZES = "C", "S", "D"  # the suits in which boards draw the cards
Query = Mapping[str, str]


@frozen
class _Request:
    """What a query asks for: a position, the bids that are chosen for its prize, an objective."""

    spot: ExplorerPosition
    objective: str = OBJECTIVES[0]
    bid: int | None = None
    reply: int | None = None

    @property
    def cards(self) -> int:
        """The size of the smallest game that has this position."""
        place = self.spot.place
        return max((FEWEST_CARDS, *place.mine, *place.theirs, *place.prizes))

    def lead_to(self, spot: ExplorerPosition) -> dict[str, str]:
        """Return the query of another position, for the same objective."""
        return _Request(spot, self.objective).pack()

    def pack(self) -> dict[str, str]:
        """Return the query of this request, or of the next position if both bids are chosen."""
        if self.bid is not None and self.reply is not None:
            return self.lead_to(self.spot.after(self.bid, self.reply))
        place = self.spot.place
        hands = {name: " ".join(map(str, getattr(place, name))) for name in HANDS}
        cards = {"prize": self.spot.prize, "bid": self.bid, "reply": self.reply}
        chosen = {name: str(card) for name, card in cards.items() if card is not None}
        rounds = [f"{each.prize}-{each.mine}-{each.theirs}" for each in self.spot.rounds]
        return {
            **hands,
            **chosen,
            "difference": str(place.difference),
            "objective": self.objective,
            **({"path": " ".join(rounds)} if rounds else {}),
        }

    def find_game(self) -> Solution:
        """Return a solution that has the position; solve it now only if that is quick.

        Raises UserError with the command that solves it, and how long that takes.
        """
        game = find_finished_solution(self.objective, self.cards)
        if game is not None:
            return game
        if self.cards <= MAX_CARDS_SOLVED_AT_ONCE:
            return find_solution(self.objective, self.cards)
        if len(self.spot.place.prizes) <= choose_subgame_size(self.objective, PACE):
            return _solve_endgame(self.spot.place, self.objective, self.cards)
        raise explain_absence(self.objective, self.cards)

    def has_game(self) -> bool:
        """Whether there is a solution, or it is quickly computed."""
        return (
            self.cards <= MAX_CARDS_SOLVED_AT_ONCE
            or len(self.spot.place.prizes) <= choose_subgame_size(self.objective, PACE)
            or find_finished_solution(self.objective, self.cards) is not None
        )


@lru_cache(MAX_CACHED_ENDGAMES)
def _solve_endgame(place: SolverPosition, objective: str, cards: int) -> Solution:
    before = sum(range(1, cards + 1)) - sum(place.prizes)
    return solve_from(place, objective, max(before, abs(place.difference)))


def build_page(query: Query) -> ExplorerPage:
    """Return the page of a position; raise UserError if it is not valid, or cannot be solved.

    The query has `objective` (`points` or `win`), `cards`, or the hands and the prizes that are
    left (`mine`, `theirs`, `prizes`: cards with blanks between them, such as `2 10 J Q K`),
    `prize` if one is up, `bid` or `reply` if one of the bids is chosen, `difference`, by how many
    points you are ahead, and `path`, the rounds that led there (`5-3-A`: prize and both bids).
    """
    if not query:
        return build_page({"prize": str(FIRST_PRIZE)})
    request = _read_request(query)
    if request.spot.over:
        end = _describe_end(request.spot.place.difference)
        return ExplorerPage(words=(end,), path=_list_path(request))
    if not request.has_game():
        return _build_unsolved_page(request)
    game = request.find_game()
    if request.spot.prize is None:
        value, charts = _show_prizes(request, game)
    else:
        value, charts = _show_bids(request, game)
    return ExplorerPage(
        words=_describe(request, value),
        fields=_build_fields(request),
        charts=charts,
        steps=_list_steps(request, game),
        options=_list_options(request),
        path=_list_path(request),
        missing=_list_missing(request),
    )


def _build_unsolved_page(request: _Request) -> ExplorerPage:
    """Return the page of a position that is not solved yet; raise UserError if it cannot be."""
    absence = explain_absence(request.objective, request.cards)
    if not absence.command:
        raise absence
    return ExplorerPage(
        words=(UNSOLVED,),
        fields=_build_fields(request),
        options=_list_options(request),
        path=_list_path(request),
        missing=_list_missing(request),
    )


def prepare_page(query: Query, report: Callable[[float], None]) -> None:
    """Solve the game of a position into the cache; raise UserError if that is not possible."""
    request = _read_request(query)
    solve_into_cache(request.objective, request.cards, lambda done: report(done.share))


def build_query(spot: ExplorerPosition) -> dict[str, str] | None:
    """Return the query of a position, or None if it is neither solved nor quickly solved."""
    request = _Request(spot)
    return request.pack() if request.has_game() else None


def build_start_query(variant: Gops) -> dict[str, str]:
    """Return the query of the start of a match; empty where it is not quickly solved."""
    if not FEWEST_CARDS <= variant.cards <= MOST_CARDS:
        return {}
    return {"cards": str(variant.cards)} if _begin(variant.cards, OBJECTIVES[0]).has_game() else {}


def _read_request(query: Query) -> _Request:
    known = ("objective", "cards", "prize", "difference", "path", *HANDS, *BIDS)
    if unknown := sorted(query.keys() - set(known)):
        raise UserError(f"{unknown[0]}: unknown parameter; there are {', '.join(known)}")
    objective = query.get("objective") or OBJECTIVES[0]
    if objective not in OBJECTIVES:
        raise UserError(f"objective: {objective[:20]!r} is not one of {', '.join(OBJECTIVES)}")
    cards = _read_number(query, "cards", DEFAULT_CARDS)
    if not 1 <= cards <= MOST_CARDS:
        raise UserError(f"cards: {cards} is not between 1 and {MOST_CARDS}")
    suit = tuple(range(1, cards + 1))
    mine, theirs, prizes = (
        _read_cards(query[name], name) if name in query else suit for name in HANDS
    )
    place = SolverPosition(mine, theirs, prizes, _read_number(query, "difference", 0))
    prize, bid, reply = (
        _read_card(query, name, among)
        for name, among in (("prize", place.prizes), ("bid", place.mine), ("reply", place.theirs))
    )
    spot = ExplorerPosition(place, prize, _read_rounds(query))
    _validate_path(spot)
    if prize is None:
        return _Request(spot, objective)
    request = _Request(spot, objective, bid, reply)
    return request if bid is None or reply is None else _read_request(request.pack())


def _read_number(query: Query, name: str, usual: int) -> int:
    typed = query.get(name, "").strip()
    if not typed:
        return usual
    sign, digits = (-1, typed[1:]) if typed.startswith("-") else (1, typed)
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len("999")):
        raise UserError(f"{name}: {typed[:20]!r} is not a number")
    return sign * int(digits)


def _read_card(query: Query, name: str, among: Sequence[int]) -> int | None:
    cards = _read_cards(query.get(name, ""), name)
    if len(cards) > 1:
        raise UserError(f"{name}: {_format_cards(cards)} are {len(cards)} cards, but one is asked")
    for card in cards:
        if card not in among:
            raise UserError(f"{name}: {_name(card)} is not one of {_format_cards(among)}")
    return cards[0] if cards else None


def _read_rounds(query: Query) -> tuple[PlayedRound, ...]:
    words = query.get("path", "").split()
    if len(words) > MOST_CARDS:
        raise UserError(f"path: more than {MOST_CARDS} rounds")
    rounds = [_read_cards(word.replace("-", " "), "path") for word in words]
    for word, cards in zip(words, rounds, strict=True):
        if len(cards) != ROUND:
            raise UserError(f"path: {word[:20]!r} is not a prize and two bids, such as 5-3-A")
    return tuple(PlayedRound(*cards) for cards in rounds)


def _validate_path(spot: ExplorerPosition) -> None:
    """Raise UserError for a card that was played and is still there."""
    for before in spot.list_path():
        for name in HANDS:
            cards = getattr(before.place, name)
            if len({*cards}) < len(cards):
                raise UserError(f"path: a card of {_format_cards(cards)} is played twice")


def _read_cards(text: str, name: str) -> tuple[int, ...]:
    words = text.replace(",", " ").upper().split()
    if len(words) > MOST_CARDS:
        raise UserError(f"{name}: more than {MOST_CARDS} cards")
    for word in words:
        if word not in CARDS:
            raise UserError(f"{name}: {word[:20]!r} is not a card: 1 to {MOST_CARDS}, A, J, Q or K")
    return tuple(CARDS[word] for word in words)


CARDS = {
    **{name_face(card, FULL_CARDS): card for card in range(1, FULL_CARDS + 1)},
    **{str(card): card for card in range(1, MOST_CARDS + 1)},
}
"""The cards by what people write for them."""


def _name(card: int) -> str:
    return name_face(card, FULL_CARDS)


def _format_cards(cards: Sequence[int]) -> str:
    return " ".join(map(_name, cards))


def _build_fields(request: _Request) -> Sequence[ExplorerField]:
    place, prize = request.spot.place, request.spot.prize
    return (
        ExplorerField("mine", "Your hand", _format_cards(place.mine)),
        ExplorerField("theirs", "Their hand", _format_cards(place.theirs)),
        ExplorerField("prizes", "Prizes left", _format_cards(place.prizes)),
        ExplorerField("prize", "Prize turned up", "" if prize is None else _name(prize)),
        ExplorerField("difference", "Points you are ahead", str(place.difference)),
        ExplorerField("objective", "Play for", request.objective, PURPOSES),
    )


def _list_steps(request: _Request, game: Solution) -> Mapping[str, Query]:
    """Return the queries to which links lead that are no cards."""
    spot = request.spot
    steps = {"the other player's side": request.lead_to(spot.mirror())}
    if spot.prize is not None:
        likeliest = spot.after(*spot.find_likeliest_bids(game))
        steps["both make their likeliest bid"] = request.lead_to(likeliest)
    return steps


def _list_options(request: _Request) -> Sequence[ShareChart]:
    """Return what can be chosen here: an objective, and at the start the number of cards."""
    sizes = [_list_sizes(request)] if _is_start(request.spot) else []
    return [_list_objectives(request), *sizes]


def _list_sizes(request: _Request) -> ShareChart:
    """Return the games that can be shown, and that of a whole suit, whether it can be or not."""
    starts = {
        size: _begin(size, request.objective) for size in range(FEWEST_CARDS + 1, FULL_CARDS + 1)
    }
    shown = {
        size: start.pack() if start.has_game() else None
        for size, start in starts.items()
        if size == FULL_CARDS or start.has_game()
    }
    size = len(request.spot.place.prizes)
    return ShareChart(
        "Cards each",
        [
            ChoiceShare(str(number), query=query, is_chosen=number == size)
            for number, query in shown.items()
        ],
    )


def _list_objectives(request: _Request) -> ShareChart:
    """Return the choice of an objective for this position; one that is not solved leads nowhere."""
    choices = [evolve(request, objective=objective) for objective in OBJECTIVES]
    return ShareChart(
        "Both play for",
        [
            ChoiceShare(
                PURPOSES[choice.objective],
                query=choice.pack() if choice.has_game() else None,
                is_chosen=choice == request,
            )
            for choice in choices
        ],
    )


def _list_missing(request: _Request) -> Sequence[MissingPage]:
    """Return what one may ask for here and is not solved: this position first, if it is not."""
    others = [request, *(evolve(request, objective=objective) for objective in OBJECTIVES)]
    if _is_start(request.spot):
        others += [_begin(FULL_CARDS, objective) for objective in OBJECTIVES]
    games = {(other.objective, other.cards): other for other in others if not other.has_game()}
    absences = [(explain_absence(*game), other) for game, other in games.items()]
    return [
        MissingPage(absence.message, other.pack() if absence.command else {})
        for absence, other in absences
    ]


def _list_path(request: _Request) -> Sequence[ChoiceShare]:
    """Return the rounds that were walked, each with the query that leads back to it."""
    spot = request.spot
    return [
        ChoiceShare(f"Round {number}", text=_describe_round(played), query=request.lead_to(before))
        for number, (played, before) in enumerate(
            zip(spot.rounds, spot.list_path(), strict=True), 1
        )
    ]


def _describe_round(played: PlayedRound) -> str:
    """Describe a round that was walked.

    >>> _describe_round(PlayedRound(5, 12, 1))
    'for the 5 you bid the queen, they the ace: yours'
    """
    prize, mine, theirs = (
        name_card(card, FULL_CARDS) for card in (played.prize, played.mine, played.theirs)
    )
    sign = (played.mine > played.theirs) - (played.mine < played.theirs)
    whose = {1: "yours", 0: "a tie", -1: "theirs"}[sign]
    return f"for the {prize} you bid the {mine}, they the {theirs}: {whose}"


def _is_start(spot: ExplorerPosition) -> bool:
    return not spot.rounds and spot.place == _build_start(len(spot.place.prizes))


def _begin(cards: int, objective: str) -> _Request:
    return _Request(ExplorerPosition(_build_start(cards)), objective)


def _build_start(cards: int) -> SolverPosition:
    suit = tuple(range(1, cards + 1))
    return SolverPosition(suit, suit, suit)


def _show_prizes(request: _Request, game: Solution) -> tuple[float, Sequence[ShareChart]]:
    """Return the value before a prize is turned up, and the cards, with what prizes are worth."""
    spot, (format_value, unit) = request.spot, FORMATS[request.objective]
    ups = [spot.turn_up(prize) for prize in spot.place.prizes]
    strategies = [up.find_strategy(game) for up in ups]
    queries = [request.lead_to(up) for up in ups]
    if spot.place.mine == spot.place.theirs and not spot.place.difference:
        texts = [f"{strategy.weights @ spot.place.mine:.1f}" for strategy in strategies]
        note = (
            "Both hold the same cards, so each prize is worth the same to both. Below each, how"
            " high a card is bid for it on average. Choose one to see how to bid for it"
        )
    else:
        texts = [format_value(strategy.value) for strategy in strategies]
        note = f"Below each, what you can expect, in {unit}"
    charts = (
        ShareChart(
            "Prizes: choose the one that is turned up",
            _list_cards(spot.place.prizes, PRIZES, texts=texts, queries=queries),
            note,
        ),
        ShareChart("Your hand", _list_cards(spot.place.mine, MINE)),
        ShareChart("Their hand", _list_cards(spot.place.theirs, THEIRS)),
    )
    return game.compute_value(spot.place), charts


def _show_bids(request: _Request, game: Solution) -> tuple[float, Sequence[ShareChart]]:
    """Return the value for a prize, and the cards, with how often each is bid and its worth."""
    spot, (format_value, unit) = request.spot, FORMATS[request.objective]
    place, strategy, stage = spot.place, spot.find_strategy(game), spot.build_matrix(game)
    mine, theirs = strategy.worth, -strategy.weights @ stage
    if request.reply is not None:
        mine = stage[:, place.theirs.index(request.reply)]
    if request.bid is not None:
        theirs = -stage[place.mine.index(request.bid)]
    charts = (
        ShareChart(
            "Prizes: the one that is turned up, and those that may be turned up instead",
            _list_cards(
                place.prizes,
                PRIZES,
                queries=[request.lead_to(spot.turn_up(prize)) for prize in place.prizes],
                chosen=spot.prize,
            ),
        ),
        ShareChart(
            "Your hand: choose your bid",
            _list_cards(
                place.mine,
                MINE,
                strategy.weights.tolist(),
                map(format_value, mine.tolist()),
                [evolve(request, bid=card).pack() for card in place.mine],
                request.bid,
            ),
            f"Above each, how often it is bid; below, what it brings you"
            f"{_name_opponent(request.reply)}, in {unit}",
        ),
        ShareChart(
            "Their hand: choose their bid",
            _list_cards(
                place.theirs,
                THEIRS,
                strategy.theirs.tolist(),
                map(format_value, theirs.tolist()),
                [evolve(request, reply=card).pack() for card in place.theirs],
                request.reply,
            ),
            f"Above each, how often it is bid; below, what it brings them"
            f"{_name_opponent(request.bid)}, in {unit}",
        ),
    )
    return strategy.value, charts


def _name_opponent(card: int | None) -> str:
    return "" if card is None else f" against the {name_card(card, FULL_CARDS)}"


def _list_cards(  # noqa: PLR0917  # a row of cards has so many columns
    cards: Sequence[int],
    suit: str,
    shares: Iterable[float | None] = repeat(None),
    texts: Iterable[str] = repeat(""),
    queries: Iterable[Query | None] = repeat(None),
    chosen: int | None = None,
) -> Sequence[ChoiceShare]:
    return [
        ChoiceShare(
            _name(card),
            share,
            text,
            query,
            is_chosen=card == chosen,
            card=f"{_name(card)}{suit}" if card <= FULL_CARDS else "",
        )
        for card, share, text, query in zip(cards, shares, texts, queries, strict=False)
    ]


def _describe(request: _Request, value: float) -> Sequence[str]:
    place = request.spot.place
    lead = (
        f"to end {_describe_lead(place.difference + value)}"
        if request.objective == "points"
        else _describe_wins(value)
    )
    words = [f"{_describe_score(place.difference)} If both play optimally, you can expect {lead}."]
    if request.spot.prize is not None:
        words.append(_describe_choice(request))
        if request.bid is None and request.reply is None:
            words.append(MEANING)
    return words


def _describe_choice(request: _Request) -> str:
    """Return a sentence on the bids that are still to be chosen."""
    assert request.spot.prize is not None
    prize, bid, reply = (
        "" if card is None else f"the {name_card(card, FULL_CARDS)}"
        for card in (request.spot.prize, request.bid, request.reply)
    )
    if bid:
        return f"You bid {bid} for {prize}: choose their bid."
    if reply:
        return f"They bid {reply} for {prize}: choose your bid."
    return f"The prize is {prize}: choose both bids."


def _describe_score(difference: int) -> str:
    if not difference:
        return "The score is level."
    points = "1 point" if abs(difference) == 1 else f"{abs(difference)} points"
    return f"You are {points} {'ahead' if difference > 0 else 'behind'}."


def _describe_end(difference: int) -> str:
    return f"The game is over. {_describe_score(difference)}"


def _describe_lead(value: float) -> str:
    points = f"{abs(value):.2f}"
    side = "ahead" if value > 0 else "behind"
    return "level" if points == "0.00" else f"{points} points {side}"


def _describe_wins(value: float) -> str:
    games = f"{abs(100 * value):.1f}"
    side = "more" if value > 0 else "fewer"
    return (
        "as many wins as losses"
        if games == "0.0"
        else f"{games} {side} wins than losses in 100 games"
    )


def _format_points(value: float) -> str:
    """Format a value, without a sign if it rounds to 0."""
    text = f"{value:+z.2f}"
    return "0" if text == "+0.00" else text


def _format_wins(value: float) -> str:
    """Format the wins less the losses in 100 games, without a sign if they round to 0."""
    text = f"{100 * value:+z.1f}"
    return "0" if text == "+0.0" else text


FORMATS = {
    "points": (_format_points, "points from here on"),
    "win": (_format_wins, "wins less losses in 100 games"),
}
"""By objective, how a value is written, and its unit."""
