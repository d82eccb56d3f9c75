"""Standings, which are computed from the stored matches on demand and never stored.

With them come the summary of a tournament, computed from one read of its store, the history of its
ratings, fitted again for growing numbers of deals, and the records of bots against each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from math import isfinite, isnan, nan
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from arena.plugins import build_named, get_plugins
from arena.rules import UnknownNameError, UserError
from arena.tournament.departed import choose_entrants, find_departed, select_counted
from arena.tournament.formats.seating import Evenness, compute_evenness
from arena.tournament.models import (
    Anchor,
    Entry,
    Format,
    Id,
    State,
    hide_name,
    shorten_version,
)
from arena.tournament.places import FormatStanding, rank_entrants
from arena.tournament.rating_input import Floats, Ints, Results
from arena.tournament.ratings import (
    RATING,
    AnchoredModel,
    HeadToHead,
    Opponents,
    RatingModel,
    Ratings,
    compute_head_to_head,
    compute_mean_places,
    compute_mean_scores,
    estimate_share,
    find_connectivity,
    find_dominance,
    is_ranking_certain,
)
from arena.tournament.store import EntrantTotals, Store, StoredSettings

MIN_FAIR_MATCHES = 10
"""The number of matches without a verdict that an excluded entrant needs for a rating.

Its other matches show its failures and not its play: it lost them against anybody, so a fit puts it
a thousand points away, shifts the mean, and widens all intervals. From about ten matches on,
intervals reach their nominal coverage (see `ratings/bradley_terry.py`); with fewer, a rating has no
meaning.
"""

DEFAULT_MODEL = "bradley-terry"
COOPERATIVE_MODEL = "games-won"
"""The model of a tournament in which nobody plays against anybody, instead of the default."""
DEFAULT_LEVEL = 0.95
CYCLE_ERROR_RATE = 0.05  # the probability that a reported cycle is due to chance


@frozen
class Estimate:
    """A value with its interval."""

    value: float  #: the value
    low: float  #: the lower end of the interval
    high: float  #: the upper end of the interval

    @classmethod
    def at(cls, value: Floats, low: Floats, high: Floats, index: int) -> Estimate:
        """Return the estimate of one entrant from arrays."""
        return cls(float(value[index]), float(low[index]), float(high[index]))

    @property
    def reach(self) -> float:
        """How far the farther end of the interval is from the value, for people."""
        return max(self.high - self.value, self.value - self.low)

    def __str__(self) -> str:
        """Format the value with its interval, such as `225 ±229`."""
        if isnan(self.value):
            return "unknown"
        half = self.reach
        largest = max(abs(self.value), half if isfinite(half) else 0)
        digits = sum(largest < bound for bound in (100, 10))
        return f"{self.value:z.{digits}f} ±{half:.{digits}f}"


@frozen
class Standing:
    """An entrant's rating, means and verdicts."""

    entry: Entry  #: the version of the entrant
    place: int  #: 1 is the best
    rating: Estimate  #: by the tournament's model; more is better
    mean_score: Estimate  #: in the game's points
    mean_place: Estimate  #: 1 is the best
    matches: int  #: without void ones
    verdicts: Mapping[str, int]  #: the number of each kind
    many_games: bool = False  #: whether its process plays match after match, so that it may learn
    measure: str = RATING  #: what `rating` is: Elo points, or the share of games won in per cent
    seconds: float = 0.0  #: that all its answers took in a match, on average
    has_left: bool = False  #: whether it was replaced or withdrawn, or failed and has a successor

    @property
    def name(self) -> str:
        """The entrant's name, without its version."""
        return self.entry.name

    @property
    def score(self) -> float:
        """The mean score in a match, in the game's points."""
        return self.mean_score.value

    @property
    def low(self) -> float:
        """The lower end of the interval of the mean score."""
        return self.mean_score.low

    @property
    def high(self) -> float:
        """The upper end of the interval of the mean score."""
        return self.mean_score.high

    @property
    def has_rating(self) -> bool:
        """Whether it has a rating: not without matches, or if set aside after a few."""
        return isfinite(self.rating.value)

    @property
    def is_on_scale(self) -> bool:
        """Whether charts scale to it; an entrant that was set aside would flatten all others."""
        return self.has_rating and self.entry.state is not State.ASIDE

    def pack(self) -> dict[str, Any]:
        """Return the standing as JSON."""
        measure = {} if self.measure == RATING else {"measure": self.measure}
        return {
            "name": self.entry.name,
            "title": self.entry.title,
            "version": self.entry.version,
            "state": self.entry.state,
            "left": self.has_left,
            "place": self.place,
            "rating": round_value(self.rating.value),
            "low": round_value(self.rating.low),
            "high": round_value(self.rating.high),
            "matches": self.matches,
            "verdicts": dict(self.verdicts),
            "many_games": self.many_games,
            "mean_score": pack_estimate(self.mean_score),
            "mean_place": pack_estimate(self.mean_place),
            **measure,
        }


def pack_estimate(estimate: Estimate) -> dict[str, float | None]:
    """Return an estimate as JSON."""
    return {
        "value": round_value(estimate.value),
        "low": round_value(estimate.low),
        "high": round_value(estimate.high),
    }


def round_value(value: float) -> float | None:
    """Return a rounded number for JSON, or None if it is not finite."""
    return round(value, 4) if isfinite(value) else None


def fit_ratings(store: Store, results: Results) -> Ratings:
    """Fit the ratings to a tournament's results, without an anchor; excluded ones have no deals."""
    model = choose_model(store.settings)
    return model.fit(exclude_set_aside(store, results), load_level(store))


def load_level(store: Store) -> float:
    """Return the level of the last run, or the default if it has just begun and set none yet."""
    return store.facts.level or DEFAULT_LEVEL


def choose_model(settings: StoredSettings) -> RatingModel:
    """Return the rating model that a tournament's settings name, or the usual one."""
    if settings.rating is None:
        return build_usual_model(cooperative=settings.is_cooperative)
    return _build_model(settings.rating)


def build_usual_model(*, cooperative: bool) -> RatingModel:
    """Return the rating model for where nobody plays against anybody, or for other games."""
    return _build_model(COOPERATIVE_MODEL if cooperative else DEFAULT_MODEL)


def _build_model(name: str) -> RatingModel:
    return build_named("rating", name, get_plugins().ratings)


def load_anchor(store: Store, entries: Iterable[Entry]) -> Anchor | None:
    """Return the anchor of a tournament's last run; None without one, or if it has not entered."""
    text = store.facts.anchor
    if text is None:
        return None
    anchor = Anchor.parse(text)
    name = store.mask_name(anchor.name)
    return Anchor(name, anchor.rating) if name in {entry.name for entry in entries} else None


def find_anchor(entries: Iterable[Entry], anchor: Anchor) -> Id:
    """Return the version that an anchor stands for: the one that plays, or else the last one.

    Raises:
        UnknownNameError: where there is no such entrant.
    """
    entries = [*entries]
    named = [entry for entry in entries if entry.name == anchor.name]
    if not named:
        raise UnknownNameError("entrant", anchor.name, sorted({entry.name for entry in entries}))
    return ([entry for entry in named if entry.state.is_current] or named)[-1].id


def exclude_set_aside(store: Store, results: Results) -> Results:
    """Return the results without entrants that were set aside after a few matches.

    Their seats become empty, so the results of the others at the same table still count.
    """
    aside = [entry.id for entry in store.list_entries() if entry.state is State.ASIDE]
    tallies = store.count_totals() if aside else {}
    few = [
        entrant
        for entrant in aside
        if tallies[entrant].fair_matches < MIN_FAIR_MATCHES and entrant in results.entrants
    ]
    if not few:
        return results
    return clear_seats(results, np.isin(results.seats, [*map(results.entrants.index, few)]))


def clear_seats(results: Results, seats: NDArray[np.bool_]) -> Results:
    """Return the results with these seats (matches, table) empty."""
    return evolve(
        results,
        seats=np.where(seats, -1, results.seats),
        places=np.where(seats, 0, results.places),
        scores=np.where(seats, np.nan, results.scores),
    )


def label_versions(standings: Sequence[Standing]) -> dict[Id, str]:
    """Return what people call each entrant; with its version if its name has several."""
    names = Counter(row.entry.name for row in standings)
    return {
        row.entry.id: f"{row.entry.label} {shorten_version(row.entry.version)}"
        if names[row.entry.name] > 1
        else row.entry.label
        for row in standings
    }


UNKNOWN = Estimate(nan, nan, nan)


def build_standings(
    entries: Iterable[Entry], totals: Mapping[Id, EntrantTotals], results: Results, fit: Ratings
) -> list[Standing]:
    """Return the standings of all versions, the best first.

    Those without matches come last, and behind them those that have left; at the end those whose
    results do not count any more, in the order of entry.
    """
    entries = [*entries]
    known, departed = {entry.id: entry for entry in entries}, find_departed(entries)
    met = Opponents.of(results)
    scores = compute_mean_scores(results, fit.level, met)
    places = compute_mean_places(results, fit.level, met)
    rating = np.where(fit.deals > 0, fit.rating, np.nan)
    present = [float(entrant not in departed) for entrant in fit.entrants]
    # who won as many games as others comes by its score
    others = () if fit.measure == RATING else (scores.mean,)
    keys = zip(present, rating, *others, strict=True)
    ranked = rank_entrants(dict(zip(fit.entrants, keys, strict=True)))
    index_of = {entrant: index for index, entrant in enumerate(fit.entrants)}
    rated = [
        Standing(
            known[fit.entrants[index]],
            place,
            Estimate.at(rating, fit.low, fit.high, index),
            Estimate.at(scores.mean, scores.low, scores.high, index),
            Estimate.at(places.mean, places.low, places.high, index),
            totals[fit.entrants[index]].matches,
            totals[fit.entrants[index]].verdicts,
            totals[fit.entrants[index]].many_games,
            fit.measure,
            totals[fit.entrants[index]].seconds,
            fit.entrants[index] in departed,
        )
        for place, entrant in ranked
        for index in [index_of[entrant]]
    ]
    counted = {*fit.entrants}
    return rated + [
        Standing(
            entry, len(rated) + 1, UNKNOWN, UNKNOWN, UNKNOWN, totals[entry.id].matches,
            totals[entry.id].verdicts, totals[entry.id].many_games, fit.measure,
            totals[entry.id].seconds, has_left=True,
        )
        for entry in entries
        if entry.id not in counted
    ]  # fmt: skip


def is_order_certain(store: Store) -> bool:
    """Return whether the order of the active entrants is certain, at the tournament's level."""
    results = store.load_results(_list_active(store))
    fit = fit_ratings(store, results)
    return len(fit.deals) > 1 and bool((fit.deals > 1).all()) and is_ranking_certain(fit, fit.level)


def compute_format_ranking(store: Store) -> list[FormatStanding]:
    """Return the format's own ranking, if it has one and a run has begun."""
    form, terms = load_format(store), store.facts.terms
    if terms is None or not hasattr(form, "ranking"):
        return []
    past = store.load_past()
    past.results = store.list_results()
    ranking: list[FormatStanding] = form.ranking(_list_active(store), past, terms)
    return ranking


def measure_evenness(store: Store) -> Evenness:
    """Return the evenness of the active entrants' seating."""
    return compute_evenness(store.load_past(), _list_active(store))


def _list_active(store: Store) -> list[Id]:
    return [entry.id for entry in store.list_active()]


def load_format(store: Store) -> Format:
    """Return the format of a tournament."""
    return build_named("format", store.settings.format, get_plugins().formats)


@frozen(eq=False)
class Summary:
    """The results, ratings and standings of a tournament."""

    game: str  #: the name of the game
    level: float  #: of the intervals, such as 0.95
    matches: int  #: without void ones
    results: Results  #: the results behind the ratings
    model: RatingModel  #: the rating model
    ratings: Ratings  #: the ratings of all entrants
    head_to_head: HeadToHead  #: the results of each pair
    standings: Sequence[Standing]  #: the standings, best first
    #: the ranking of the format itself, if it has one
    format_ranking: Sequence[FormatStanding] = ()
    #: the entrant with a fixed rating; None: the mean is 0
    anchor: Anchor | None = None

    @classmethod
    def of(cls, store: Store, anchor: Anchor | None = None) -> Summary:
        """Compute the summary from all stored matches, with this anchor or that of the last run.

        Raises:
            UnknownNameError: where no entrant has the name of the anchor.
        """
        everybody = store.list_entries()
        entries = [entry for entry in everybody if entry.state is not State.ARCHIVED]
        anchor = anchor or load_anchor(store, entries)
        results, totals = store.load_results_and_totals()
        counted = _select_counted(results, everybody, anchor)
        return cls.rate(
            store.settings.game, entries, totals, counted,
            rated=exclude_set_aside(store, counted),
            model=choose_model(store.settings),
            level=load_level(store),
            anchor=anchor,
            format_ranking=compute_format_ranking(store),
            matches=len(results.deal),
        )  # fmt: skip

    @classmethod
    def rate(
        cls,
        game: str,
        entries: Sequence[Entry],
        totals: Mapping[Id, EntrantTotals],
        results: Results,
        *,
        rated: Results,
        model: RatingModel,
        level: float = DEFAULT_LEVEL,
        anchor: Anchor | None = None,
        format_ranking: Sequence[FormatStanding] = (),
        matches: int | None = None,
    ) -> Summary:
        """Rate results of any origin; `rated` are those that count for ratings.

        `matches` is the number of all, with those that count no more.

        Raises:
            UnknownNameError: where no entrant has the name of the anchor.
            UserError: where nobody plays against anybody, and so has a rating.
        """
        if anchor and model.name == COOPERATIVE_MODEL:
            raise UserError(
                f"anchor: {anchor.name} cannot have a rating: {model.name} has the games won"
            )
        if anchor:
            fixed = find_anchor(entries, anchor)
            model = AnchoredModel(model, fixed, anchor.rating)
        fit = model.fit(rated, level)
        if anchor and not fit.deals[fit.entrants.index(fixed)]:
            anchor = None  # it has no matches that count, so nobody is relative to it
        return cls(
            game, fit.level, len(results.deal) if matches is None else matches,
            rated, model, fit, compute_head_to_head(results),
            build_standings(entries, totals, results, fit), format_ranking, anchor,
        )  # fmt: skip

    def hide(self, aliases: Mapping[str, str]) -> Summary:
        """Return the summary with the names of `aliases` hidden, which may be newer than it."""
        if aliases.keys().isdisjoint(standing.entry.name for standing in self.standings):
            return self

        def hide_all(entrants: Iterable[Id]) -> tuple[Id, ...]:
            return tuple([hide_name(entrant, aliases) for entrant in entrants])

        def hide_entry(entry: Entry) -> Entry:
            alias = aliases.get(entry.name)
            return evolve(entry, name=alias, title="") if alias else entry

        anchor = self.anchor
        return evolve(
            self,
            results=evolve(self.results, entrants=hide_all(self.results.entrants)),
            ratings=evolve(self.ratings, entrants=hide_all(self.ratings.entrants)),
            head_to_head=evolve(self.head_to_head, entrants=hide_all(self.head_to_head.entrants)),
            standings=[evolve(row, entry=hide_entry(row.entry)) for row in self.standings],
            format_ranking=[
                evolve(row, entrant=hide_name(row.entrant, aliases)) for row in self.format_ranking
            ],
            anchor=anchor and evolve(anchor, name=aliases.get(anchor.name, anchor.name)),
        )

    @cached_property
    def labels(self) -> Mapping[Id, str]:
        """What people call each entrant: its title or name, with a version if there are several."""
        return label_versions(self.standings)

    @cached_property
    def standings_by_bot(self) -> Mapping[str, list[Standing]]:
        """The standings of each bot's versions, best first, by its name and by `NAME@VERSION`."""
        by_bot = defaultdict[str, list[Standing]](list)
        for standing in self.standings:
            for word in {standing.entry.name, standing.entry.id}:
                by_bot[word].append(standing)
        return {**by_bot}

    @property
    def present(self) -> Sequence[Standing]:
        """The standings of those who have not left."""
        return [row for row in self.standings if not row.has_left]

    @property
    def origin(self) -> str:
        """What the ratings are relative to, such as `mean 0` or `random = 0`."""
        return str(self.anchor) if self.anchor else "mean 0"

    @property
    def has_opponents(self) -> bool:
        """Whether anybody plays against anybody, so that there are ratings."""
        return self.ratings.measure == RATING

    @property
    def unit(self) -> str:
        """The unit of the ratings, for charts."""
        if not self.has_opponents:
            return "games won, in %"
        return f"Elo points, {self.anchor}" if self.anchor else "Elo points above the mean"

    def describe_scale(self) -> str:
        """Return what a difference of ratings means, with the ties of this tournament."""
        if not self.has_opponents:
            return (
                "Nobody plays against anybody here: bots are ranked by the games that they won,"
                " and then by their scores."
            )
        level, met = self.head_to_head.level.sum(), self.head_to_head.matches.sum()
        ties = f"; {100 * level / met:.0f} % of all meetings here were ties" if met else ""
        teams = " A team is as strong as its members on average." if self.results.teams else ""
        return (
            "A bot rated 100 points higher gets 64 % of the points against the other"
            f" (200 points: 76 %, 400: 91 %). A tie is half a point for each{ties}.{teams}"
        ) + (f" Ratings and intervals are relative to {self.anchor}." if self.anchor else "")

    def list_remarks(self) -> Iterator[str]:
        """Yield remarks on facts that a ranking cannot show."""
        aside = [
            row for row in self.standings if row.entry.state is State.ASIDE and not row.has_rating
        ]
        for row in aside:
            many = "1 match" if row.matches == 1 else f"{row.matches} matches"
            yield f"{row.entry.label} was set aside after {many} and is not rated."
        groups = [group for group in find_connectivity(self.results).groups if len(group) > 1]
        if len(groups) > 1:
            listed = " | ".join(", ".join(map(self.labels.__getitem__, group)) for group in groups)
            yield f"These groups never met, so ratings compare only within a group: {listed}"
        pairs = max(1, len(self.head_to_head.entrants) * (len(self.head_to_head.entrants) - 1) // 2)
        confidence = 1 - CYCLE_ERROR_RATE / pairs  # among many pairs some differ by chance
        cycle = find_dominance(self.head_to_head, confidence).cycle
        if cycle:
            names = map(self.labels.__getitem__, (*cycle, cycle[0]))
            yield f"The order is not transitive: {' beats '.join(names)}."


def find_uncounted(store: Store) -> list[Id]:
    """Return the versions that have left and whose results count no more, in the order of entry."""
    entries = store.list_entries()
    anchor = load_anchor(store, entries)
    counted = {*_select_counted(store.load_results(), entries, anchor).entrants}
    return [
        entry.id
        for entry in entries
        if entry.id not in counted and entry.state is not State.ARCHIVED
    ]


def _select_counted(results: Results, entries: Sequence[Entry], anchor: Anchor | None) -> Results:
    """Return the results that count, of entrants that are not archived.

    Those of an anchor do, since all are relative to it.
    """
    departed = {*find_departed(entries)}
    if anchor:
        departed.discard(find_anchor(entries, anchor))
    there = np.array([entry.state is not State.ARCHIVED for entry in entries], bool)
    return select_counted(choose_entrants(results, there), departed)


@frozen(eq=False)
class RatingHistory:
    """The ratings of all entrants after the first N deals, for several N; nan if not rated."""

    entrants: tuple[Id, ...]  #: whom the columns are about; others may have entered since
    deals: Ints  #: (points,) numbers of deals
    rating: Floats  #: (points, entrants)
    low: Floats  #: (points, entrants) the lower end of the interval
    high: Floats  #: (points, entrants) the upper end of the interval
    digests: tuple[bytes, ...] = ()  #: (points,) of all that each point was fitted to

    def find_point(self, digest: bytes, entrants: int) -> tuple[Floats, ...] | None:
        """Return the ratings and intervals that were fitted to the same results, or None.

        Those who have entered since, of so many `entrants` in all, have played none of them.
        """
        if digest not in self.digests:
            return None
        row, more = self.digests.index(digest), (0, entrants - len(self.entrants))
        curves = (self.rating, self.low, self.high)
        return tuple([np.pad(curve[row], more, constant_values=nan) for curve in curves])

    def hide(self, aliases: Mapping[str, str]) -> RatingHistory:
        """Return the history with the names of `aliases` hidden, which may be newer than it."""
        return evolve(self, entrants=tuple([hide_name(id_, aliases) for id_ in self.entrants]))


HISTORY_FITS = 4000  # entrants times points: a fit to many entrants takes long
MIN_HISTORY_POINTS = 10


def compute_rating_history(
    results: Results,
    model: RatingModel,
    level: float,
    points: int,
    before: RatingHistory | None = None,
) -> RatingHistory:
    """Fit the ratings again at up to this number of points in time; at fewer for many entrants.

    Each point is fitted to all earlier deals, so that no curve depends on the order of opponents.
    Points stand at multiples of a power of two, so that most are those of the history `before`,
    which had fewer deals: what was fitted to the same results is taken from there.
    """
    points = min(points, max(MIN_HISTORY_POINTS, HISTORY_FITS // max(1, len(results.entrants))))
    played = np.unique(results.deal)
    step = 1
    while len(played) > points * step:
        step *= 2
    sizes = [size for size in (*range(step, len(played), step), len(played)) if size]
    rows, digests, entrants = [], [], len(results.entrants)
    for size in sizes:
        some = _limit_deals(results, played[size - 1])
        digest = _compute_digest(some, model, level)
        row = before.find_point(digest, entrants) if before else None
        rows.append(row or _fit_point(some, model, level))
        digests.append(digest)
    rating, low, high = np.reshape([*zip(*rows, strict=True)], (3, len(sizes), entrants))
    deals = np.array(sizes, np.int64)
    return RatingHistory(results.entrants, deals, rating, low, high, tuple(digests))


def _fit_point(results: Results, model: RatingModel, level: float) -> tuple[Floats, ...]:
    """Return the ratings and the ends of their intervals; nan for who has played no deal."""
    fit = model.fit(results, level)
    return tuple([np.where(fit.deals > 0, part, nan) for part in (fit.rating, fit.low, fit.high)])


def _compute_digest(results: Results, model: RatingModel, level: float) -> bytes:
    """Return what is equal where a fit has the same results, players, model and level."""
    players = results.entrants[: int(results.seats.max(initial=-1)) + 1]
    digest = blake2b(repr((players, results.teams, model, level)).encode())
    for column in (results.deal, results.seats, results.places):
        digest.update(column.tobytes())
    return digest.digest()


def _limit_deals(results: Results, last: Any) -> Results:
    """Return the results of the deals up to a number."""
    some = results.deal <= last
    columns = ("deal", "seats", "places", "scores")
    return evolve(results, **{name: getattr(results, name)[some] for name in columns})


@frozen
class PairRecord:
    """The matches of a bot against another one."""

    opponent: str  #: its id or its name
    ahead: int  #: matches in which the bot finished ahead
    level: int  #: matches in which they shared a place
    behind: int  #: matches in which the bot finished behind
    interval: tuple[float, float]  #: the 95 % interval of the share, each deal one observation

    @property
    def matches(self) -> int:
        """The number of matches that they played together."""
        return self.ahead + self.level + self.behind

    @property
    def share(self) -> float:
        """The share in which the bot finished ahead; a shared place counts half."""
        return (self.ahead + self.level / 2) / self.matches

    def reverse(self, name: str) -> PairRecord:
        """Return the same matches from the side of the opponent; `name` is that of the bot."""
        low, high = self.interval
        return PairRecord(name, self.behind, self.level, self.ahead, (1 - high, 1 - low))

    def format(self) -> str:
        """Return the share and its interval for people.

        >>> PairRecord("b", 30, 20, 10, (0.54, 0.77)).format()
        '67 % (54 to 77)'
        """
        low, high = self.interval
        return f"{100 * self.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        low, high = self.interval
        return {
            "opponent": self.opponent, "ahead": self.ahead, "level": self.level,
            "behind": self.behind, "share": round(self.share, 6), "low": round(low, 6),
            "high": round(high, 6),
        }  # fmt: skip


def label_bot(summary: Summary, bot: str) -> str:
    """Return what people call a bot that is named, or is `NAME@VERSION`: its title instead."""
    found = find_versions(summary, bot)
    return f"{found[0].entry.label}{bot.removeprefix(found[0].entry.name)}" if found else bot


def find_versions(summary: Summary, bot: str) -> list[Standing]:
    """Return the standings of a bot's versions, best first, by its name or `NAME@VERSION`."""
    return summary.standings_by_bot.get(bot, [])


def list_pair_records(summary: Summary, ids: Collection[Id]) -> list[PairRecord]:
    """Return the records of some versions of a bot against each other entrant, worst first."""
    meetings, entrants = _list_meetings_of(summary, ids), summary.head_to_head.entrants
    records = [
        _build_record(meetings, meetings.opponent == index, entrants[index])
        for index in np.unique(meetings.opponent).tolist()
        if entrants[index] not in ids
    ]
    met = [record for record in records if record]
    return sorted(met, key=lambda record: (record.share, -record.matches, record.opponent))


def compute_pair_record(
    summary: Summary, ids: Collection[Id], others: Collection[Id], name: str
) -> PairRecord | None:
    """Return the record of a bot's versions against those of another one; None: they never met."""
    meetings = _list_meetings_of(summary, ids)
    opponents = _find_indices(summary.head_to_head.entrants, others)
    return _build_record(meetings, np.isin(meetings.opponent, opponents), name)


@frozen(eq=False)
class _BotMeetings:
    """The meetings of a bot's versions with others; all arrays are (meetings,)."""

    deal: Ints
    opponent: Ints
    margin: Ints  # 1 where the bot finished ahead, 0 level, -1 behind


def _list_meetings_of(summary: Summary, ids: Collection[Id]) -> _BotMeetings:
    met, own = summary.head_to_head.meetings, _find_indices(summary.head_to_head.entrants, ids)
    first, second = np.isin(met.first, own), np.isin(met.second, own)
    return _BotMeetings(
        np.concatenate([met.deal[first], met.deal[second]]),
        np.concatenate([met.second[first], met.first[second]]),
        np.concatenate([met.margin[first], -met.margin[second]]),
    )


def _find_indices(entrants: Sequence[Id], ids: Collection[Id]) -> list[int]:
    return [index for index, id_ in enumerate(entrants) if id_ in ids]


def _build_record(
    meetings: _BotMeetings, chosen: NDArray[np.bool_], name: str
) -> PairRecord | None:
    margin, deal = meetings.margin[chosen], meetings.deal[chosen]
    if not len(margin):
        return None
    ahead, level, behind = (int((margin == sign).sum()) for sign in (1, 0, -1))
    which = np.unique(deal, return_inverse=True)[1]
    shares = np.bincount(which, (1 + margin) / 2) / np.bincount(which)
    found = estimate_share(shares)
    return PairRecord(name, ahead, level, behind, (found.low, found.high))
