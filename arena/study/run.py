"""A study: which bots play which series, and what figures come of them.

How many matches there are follows from the seed and from how long the game's matches are, never
from how fast the machine is. So the same command always gives the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from statistics import fmean
from typing import Any

from attrs import define, evolve, field, frozen

from arena.host import (
    AnyBot,
    Entrant,
    HostConfig,
    Limits,
    ProgramPool,
    Result,
    Seated,
    Series,
    build_entrants,
    check_seat_count,
    check_whole_number,
    configure,
    host,
    make_names_unique,
    play_matches,
    raise_on_shortage,
)
from arena.players import RandomBot
from arena.plugins import Game, MatchSpec, build_variant, format_pairs, get_plugins
from arena.records import InMemoryFile, Recorder
from arena.rules import (
    Seed,
    UserError,
    Variant,
    derive_seed,
    find_sides,
    generate_seed,
    join_words,
    read_seed,
)
from arena.search import MAX_ASKS, ChanceBot
from arena.study.estimates import (
    FEWEST_DEALS,
    estimate_duplicate_worth,
    estimate_matches_to_tell_apart,
    estimate_mean_over_deals,
    estimate_part,
    estimate_share_over_deals,
    estimate_typical,
)
from arena.study.measures import AnswerPattern, MatchMeasures, measure_match, measure_shares
from arena.study.report import PERCENT, Figure, Study
from arena.study.subjects import build_search, build_seeing_search, restrict
from arena.tournament import Estimate, load_bot_strengths

PILOT_MATCHES = 12  # by which the length of the others is known
SERIES_ASKS = 16_000  # in the matches of one series of bots
SERIES_MATCHES = range(30, 401)
SEARCH_ASKS = 600_000  # answered in all playouts of one series of searching bots
SEARCH_MATCHES = range(4, 201)
WORTHWHILE_MATCHES = 8  # of a search that sees all
DEFAULT_PLAYOUTS = 24
WEAK_SHARE = 4  # the weaker of two searches has one playout in so many
UNHURRIED = Limits(move=86_400.0)
RANDOM, CHANCE = "random", "chance"
TESTED, OTHER = "tested", "other"
RANKING_MATCHES = 60  # of each two bots of a game whose bots were not measured
MAX_SEATS = 8  # whose shares are listed
MAX_NAMES = 30  # that a message lists
Progress = Callable[[str, int, int], object]


def study_game(
    game: str | Game,
    bots: Sequence[AnyBot] = (),
    *,
    options: Mapping[str, Any] | None = None,
    vary: Mapping[str, Sequence[Any]] | None = None,
    without: Sequence[str] = (),
    table: int | None = None,
    matches: int | None = None,
    playouts: int = DEFAULT_PLAYOUTS,
    seed: Seed | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Study a game by self-play, and return its figures.

    Args:
        game: its name, or the game itself.
        bots: from the weakest to the strongest, at least two; none: `random`, a middle one and the
            best of the game's own, or `search` with two budgets where it has none.
        options: parameters of the game.
        vary: one parameter of the game with the values that are studied side by side.
        without: kinds of answers that the best bot does without in one series, each as a pattern
            of what the answer, its class or one of its cards is called.
        table: the seats of a match; None: the fewest.
        matches: of each series; None: by the length of a match, fewer where bots search.
        playouts: of each answer of `search`.
        seed: of all deals; None: a random one.
        workers: processes that play at once, which change no figure.
        progress: called after each match with the series, how many are over, and how many it has.

    Returns the study; after an interrupt with the figures that were complete until then.

    Raises:
        UserError: where a bot cannot play this, or where what is to be avoided never came up.

    >>> few = {"matches": 40, "playouts": 2}
    >>> study = study_game("gops", ["random", "match"], options={"cards": 5}, seed="1", **few)
    >>> [(figure.value, figure.interval) for figure in study.find("skill")]
    [('89 %', '75 to 96')]
    """
    for name, number in (("matches", matches), ("playouts", playouts), ("workers", workers)):
        if number is not None:
            check_whole_number(name, number, 1)
    rules = get_plugins().find_game(game)
    seed = generate_seed() if seed is None else read_seed(seed)
    sessions = list[Session]()
    for varied, chosen in _list_variants(options or {}, vary or {}):
        variant = build_variant(rules, chosen)
        seats = min(rules.seats) if table is None else table
        check_seat_count(rules, seats)
        stage = Stage(rules, variant, seats, seed, workers, progress)
        sessions.append(
            Session(stage, varied, tuple(bots), AnswerPattern(tuple(without)), matches, playouts)
        )
    figures, interrupted = list[Figure](), False
    try:
        for session in sessions:
            for figure in session.iter_figures():
                figures.append(figure)  # an interrupt leaves what is there
    except KeyboardInterrupt:
        interrupted = True
    first = sessions[0]
    ladder = [bot.name for bot in first.ladder]
    written = f" ({', '.join(format_pairs(options))})" if options and not vary else ""
    title = f"{rules.title}{written}, {first.stage.table} seats: {', '.join(ladder)}"
    names = [*dict.fromkeys(figure.name for figure in figures)]
    figures.sort(key=lambda figure: names.index(figure.name))
    return Study(
        title,
        figures,
        bots=ladder,
        void=sum(session.stage.void for session in sessions),
        interrupted=interrupted,
        remarks=[*dict.fromkeys(remark for session in sessions for remark in session.remarks)],
    )


def _list_variants(
    options: Mapping[str, Any], vary: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the options of each variant, and what to call it."""
    if not vary:
        yield "", options
        return
    if len(vary) > 1:
        raise UserError(f"vary one option at a time, not {join_words(vary)}")
    ((name, values),) = vary.items()
    if name in options:
        raise UserError(f"{name}: it is varied, so leave it out of the options")
    for value in values:
        varied = {name: value}
        yield " ".join(format_pairs(varied)), {**options, **varied}


@frozen
class SelfPlay(Series):
    """A series of like bots: each deal is played once, as rotations would bring nothing new."""

    def iter_matches(self, games: int) -> Iterator[tuple[MatchSpec, Seated]]:
        """Yield each match's setting, and its entrants in seat order."""
        for number in range(games):
            seed = derive_seed(self.seed, "deal", number)
            yield from Series(
                self.game, self.variant, self.entrants, seed, self.table
            ).iter_matches(1)


@define
class Stage:
    """Where the series of a study are played, and how many matches of them were void."""

    game: Game
    variant: Variant
    table: int
    seed: str
    workers: int
    progress: Progress | None
    void: int = 0

    @property
    def sides(self) -> int:
        """How many sides a match has."""
        return len(find_sides(self.variant, self.table))

    def play_alike(self, bot: Entrant, matches: int, pattern: AnswerPattern) -> list[MatchMeasures]:
        """Play matches of a bot among itself, each of another deal, and measure them."""
        label, entrants = f"{bot.name} among itself", make_names_unique([bot] * self.sides)
        seed = derive_seed(self.seed, label)
        series = SelfPlay(self.game, self.variant, entrants, seed, self.table)
        played = self._play(series, label, matches, record=True)
        return [measure_match(result, pattern) for result in played if result.places]

    def play_against(self, tested: Entrant, other: Entrant, deals: int) -> list[list[float]]:
        """Play a bot against others of one kind; return its share in each match of each deal."""
        label = f"{tested.name} against {other.name}"
        seated = make_names_unique(
            [evolve(tested, name=TESTED), *[evolve(other, name=OTHER)] * (self.sides - 1)]
        )
        seed = derive_seed(self.seed, label)
        series = Series(self.game, self.variant, seated, seed, self.table)
        shares = list[list[float]]()
        played = self._play(series, label, deals * self.sides, record=False)
        for number, result in enumerate(played):
            if number % self.sides == 0:
                shares.append([])
            if result.places:
                seat = result.seats_by_player[TESTED][0]
                by_side = zip(
                    result.sides, measure_shares(result.places, result.sides), strict=True
                )
                shares[-1].append(next(share for side, share in by_side if seat in side))
        return [deal for deal in shares if len(deal) == self.sides]

    def _play(self, series: Series, label: str, matches: int, *, record: bool) -> Iterator[Result]:
        """Yield the results of a series; a deal with a void match counts for nothing."""

        def play(_: int, spec: MatchSpec, seated: Seated, programs: ProgramPool) -> Result:
            file = InMemoryFile()
            observers = [Recorder(spec, file)] if record else []
            config = HostConfig(UNHURRIED, programs=programs)
            result = raise_on_shortage(host(spec, seated, config, observers))
            return evolve(result, transcript_text=file.text if record else "")

        with play_matches(series, matches, play, self.workers) as results:
            for over, result in enumerate(results, 1):
                self.void += result.places is None
                if self.progress:
                    self.progress(label, over, matches)
                yield result


@define
class Session:
    """The figures of one variant."""

    stage: Stage
    varied: str
    bots: Sequence[AnyBot]
    pattern: AnswerPattern
    matches: int | None
    playouts: int
    ladder: Sequence[Entrant] = ()  # from the weakest bot to the strongest
    remarks: list[str] = field(factory=list)
    asks: float = 0.0  # of a match among bots that play at random
    longest: float = 0.0  # the asks of a match in the series that had the longest so far

    def iter_figures(self) -> Iterator[Figure]:
        """Play, and yield the figures as they are complete."""
        pilot = build_random(self.stage.game)
        self.asks = self._measure_length(pilot)
        self._measure_length(build_chance(self.stage.game))  # as searches play on
        self.ladder = self._choose_bots(pilot)
        weakest, *_, best = self.ladder
        has_opponents = self.stage.sides > 1
        for bot in (weakest, best) if has_opponents else self.ladder:
            measures = self.stage.play_alike(bot, self.count_matches(bot), self.pattern)
            self._note_length(measures)
            if bot is weakest and has_opponents:
                self._check_pattern(measures)
            yield from self._describe_matches(bot, measures)
        if has_opponents:
            yield from self._measure_skill()
            if self.pattern.patterns:
                yield from self._measure_restriction(best)
            yield from self._measure_hidden()
        else:
            self.remarks.append("The game is cooperative, so no bots were set against others.")

    def _measure_length(self, pilot: Entrant) -> float:
        """Return the asks of a match of a bot among itself, in a few matches."""
        played = self.stage.play_alike(pilot, PILOT_MATCHES, self.pattern)
        if not played:
            raise UserError(f"{self.stage.game.name}: all matches are void; try `arena fuzz` first")
        return self._note_length(played)

    def _note_length(self, played: Sequence[MatchMeasures]) -> float:
        """Return the asks of a match, at least one; note it if no series had longer matches."""
        asks = max(1.0, fmean(match.asks for match in played)) if played else 1.0
        self.longest = max(self.longest, asks)
        return asks

    def count_matches(self, *bots: Entrant) -> int:
        """Return how many matches a series of these bots has."""
        if self.matches is not None:
            return self.matches
        playouts = max(map(_get_playouts, bots))
        if not playouts:
            return _clamp(SERIES_ASKS / self.asks, SERIES_MATCHES)
        return _clamp(self._count_searched_matches(playouts), SEARCH_MATCHES)

    def _count_searched_matches(self, playouts: int) -> float:
        """Return for how many matches of searching bots there is time."""
        return SEARCH_ASKS / (self.longest * playouts * min(self.longest / 2, MAX_ASKS))

    def count_deals(self, *bots: Entrant) -> int:
        """Return how many deals a series of these bots has, each in all rotations."""
        return max(FEWEST_DEALS, self.count_matches(*bots) // self.stage.sides)

    def _choose_bots(self, weakest: Entrant) -> Sequence[Entrant]:
        """Return those that were named, or those of the game, from the weakest to the strongest."""
        stage = self.stage
        if self.bots:
            if len(self.bots) == 1:
                raise UserError("a study needs at least two bots, the weakest first")
            chosen = build_entrants(stage.game, self.bots)
            for bot in chosen:
                bot.check_support(stage.variant, stage.table)
            return chosen
        own = self._rank_own_bots(weakest)
        if not own:
            budgets = max(1, self.playouts // WEAK_SHARE), self.playouts
            return weakest, *map(build_search, budgets)
        *others, best = own
        return weakest, *([others[len(others) // 2]] if others else []), best

    def _rank_own_bots(self, weakest: Entrant) -> Sequence[Entrant]:
        """Return the game's able bots by their measured strengths, else by some matches."""
        stage = self.stage
        own = [bot for bot in _list_own_bots(stage.game) if self._can_play(bot)]
        stored = load_bot_strengths(stage.game)
        if stored and all(bot.name in stored.bots for bot in own):
            return sorted(own, key=lambda bot: stored.bots[bot.name].rating)
        if len(own) == 1 or stage.sides == 1:
            return own
        deals = max(FEWEST_DEALS, RANKING_MATCHES // stage.sides)
        sums = dict.fromkeys((bot.name for bot in own), 0.0)
        for bot, other in combinations([weakest, *own], 2):
            share = _estimate_share(stage.play_against(other, bot, deals)).value
            sums[other.name] += share
            if bot is not weakest:
                sums[bot.name] += 1 - share
        return sorted(own, key=lambda bot: sums[bot.name])

    def _can_play(self, bot: Entrant) -> bool:
        try:
            bot.check_support(self.stage.variant, self.stage.table)
        except UserError:
            return False
        return True

    def _describe_matches(self, bot: Entrant, found: Sequence[MatchMeasures]) -> Iterator[Figure]:
        """Yield what matches of a bot among itself say."""
        game, deals, name = self.stage.game, len(found), bot.name

        def build(figure: str, label: str, estimate: Estimate, unit: str = "") -> Figure:
            return Figure(figure, label, name, estimate, unit, deals, self.varied)

        sides = find_sides(self.stage.variant, self.stage.table)
        has_opponents = len(sides) > 1
        for at, side in enumerate(sides[: 1 if len(sides) == 2 else MAX_SEATS]):  # noqa: PLR2004
            share = estimate_share_over_deals([match.shares[at] for match in found])
            seats = ", ".join(str(seat + 1) for seat in side)
            label = f"share of seat {seats}" if has_opponents else "matches won"
            yield build("seat_share" if has_opponents else "won", label, share, PERCENT)
        if not has_opponents:
            scores = estimate_mean_over_deals([match.score for match in found])
            yield build("score", "score", scores, "points")
        rounds = estimate_mean_over_deals([match.rounds for match in found])
        yield build("rounds", "length", rounds, f"{game.unit}s")
        yield build(
            "options", "answers where there is a choice",
            estimate_typical([match.choices for match in found]),
        )  # fmt: skip
        forced = [(match.asks - len(match.choices), match.asks) for match in found]
        yield build("forced", "questions without a choice", estimate_part(forced), PERCENT)
        if has_opponents:
            settled = estimate_share_over_deals([match.settled for match in found])
            yield build("settled", "winner leads for good after", settled, PERCENT)
            changes = estimate_mean_over_deals([match.lead_changes for match in found])
            yield build("lead_changes", "lead changes", changes)
            ties = estimate_share_over_deals([match.is_tied for match in found])
            yield build("ties", "matches tied", ties, PERCENT)
        if self.pattern.patterns:
            use = estimate_part([(match.given, match.avoidable) for match in found])
            yield build("use", f"answers {self._kind}", use, PERCENT)

    @property
    def _kind(self) -> str:
        return ", ".join(self.pattern.patterns)

    def _check_pattern(self, found: Sequence[MatchMeasures]) -> None:
        """Raise UserError where what is to be avoided never came up beside other answers."""
        if not self.pattern.patterns or any(match.avoidable for match in found):
            return
        names = sorted({name for match in found for name in match.names})
        raise UserError(
            f"without {self._kind}: no such answer came up beside others in {len(found)} matches;"
            f" some that did: {', '.join(names[:MAX_NAMES])}"
        )

    def _measure_skill(self) -> Iterator[Figure]:
        """Yield how far each bot is ahead of the one below it, and what a match tells of that."""
        steps = [
            (
                stronger,
                weaker,
                self.stage.play_against(stronger, weaker, self.count_deals(stronger, weaker)),
            )
            for weaker, stronger in pairwise(self.ladder)
        ]
        for name, label, unit, estimate in (
            ("skill", "share of the stronger bot", PERCENT, _estimate_share),
            ("tell_apart", "to tell them apart", "matches", estimate_matches_to_tell_apart),
            (
                "duplicate_worth",
                "worth of a duplicate match",
                "",
                estimate_duplicate_worth,
            ),
        ):
            for stronger, weaker, deals in steps:
                bots = f"{stronger.name} against {weaker.name}"
                yield Figure(name, label, bots, estimate(deals), unit, len(deals), self.varied)

    def _measure_restriction(self, best: Entrant) -> Iterator[Figure]:
        """Yield the share of a bot that does without answers of a kind, against itself."""
        if best.make_bot is None:
            raise UserError(f"{best.name} cannot do without answers: it is no bot of this process")
        deals = self.stage.play_against(restrict(best, self.pattern), best, self.count_deals(best))
        label = f"share without {self._kind}"
        bots = f"{best.name} against itself"
        yield self._describe_share("restricted", label, bots, deals)

    def _describe_share(
        self, name: str, label: str, bots: str, deals: Sequence[Sequence[float]]
    ) -> Figure:
        share = _estimate_share(deals)
        return Figure(name, label, bots, share, PERCENT, len(deals), self.varied)

    def _measure_hidden(self) -> Iterator[Figure]:
        """Yield the share of a search that sees all against the same one that does not."""
        blind, seeing = build_search(self.playouts), build_seeing_search(self.playouts)
        if (
            self.matches is None
            and self._count_searched_matches(self.playouts) < WORTHWHILE_MATCHES
        ):
            self.remarks.append(
                "What is hidden was not measured: searching takes too long in matches of this"
                " length. Make them shorter by an option, or set the number of matches."
            )
            return
        deals = self.stage.play_against(seeing, blind, self.count_deals(blind))
        label = "share of a search that sees all"
        yield self._describe_share("hidden_worth", label, blind.name, deals)


def build_random(game: Game) -> Entrant:
    """Return the bot that plays at random."""
    (entrant,) = build_entrants(game, [configure(RandomBot, name=RANDOM)])
    return entrant


def build_chance(game: Game) -> Entrant:
    """Return the bot that plays on by chance in searches."""
    (entrant,) = build_entrants(game, [configure(ChanceBot, name=CHANCE)])
    return entrant


def _list_own_bots(game: Game) -> Sequence[Entrant]:
    """Return the bundled bots that neither play at random nor search."""
    names = [
        name
        for name, kind in game.bots.items()
        if name != RANDOM and not issubclass(kind, RandomBot) and not kind.searches
    ]
    return build_entrants(game, names)


def _get_playouts(bot: Entrant) -> int:
    """Return how many playouts a bot has for each answer; 0 for one that does not search."""
    if not bot.searches or bot.make_bot is None:
        return 0
    return int(getattr(bot.make_bot(), "playouts", DEFAULT_PLAYOUTS))


def _estimate_share(deals: Sequence[Sequence[float]]) -> Estimate:
    return estimate_share_over_deals([fmean(deal) for deal in deals])


def _clamp(number: float, allowed: range) -> int:
    return min(max(int(number), allowed.start), allowed.stop - 1)
