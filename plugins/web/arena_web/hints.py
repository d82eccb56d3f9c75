"""Sources of hints for a match: those of plugins, and behind them a search by the rules alone.

So every game has hints, also one that was written an hour ago.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

from attrs import evolve, frozen

from arena import Hint, HintedAnswer, HintSource, InformationState, UserError, format_share
from arena.plugins import get_plugins
from arena.rules import derive_seed
from arena.search import Comparison, Juncture, Substitutes, Worlds, compare, list_candidates
from arena_web.player_names import count_bots, find_levels

HINT_PLAYOUTS = 300  # of all answers together: one that takes 5 ms makes a hint of 1.5 seconds
CONFIDENCE = 1.96  # standard errors, within which a difference is chance in 19 of 20 cases
NO_CHOICE = "You have no other answer."


@frozen
class KnownState(InformationState):
    """What a seat knows when it is asked, also in a form from which the rules can play on."""

    juncture: Juncture


def find_hint_source(game: str, variant: Any, seats: int) -> HintSource | None:
    """Return the source of hints for a match, or None; of several, one asks them in turn."""
    sources = []
    for source in get_plugins().list_hint_sources(game):
        with suppress(UserError):
            source.check_support(variant, seats)
            sources.append(evolve(source, title=title_source(source)))
    return evolve(sources[0], compute_hint=partial(ask_in_turn, sources)) if sources else None


def title_source(source: HintSource) -> str:
    """Return the source of hints as people read it: of a bundled bot its level."""
    level = find_levels(source.game).get(source.bot)
    return count_bots(level, 1).capitalize() if level else source.title


def add_search(game: str, source: HintSource | None) -> HintSource:
    """Return a source that searches where the given one knows nothing."""
    search = HintSource(game, "A search", search_hint)
    if source is None:
        return search
    return evolve(source, compute_hint=partial(ask_in_turn, (source, search)))


def ask_in_turn(sources: Sequence[HintSource], state: InformationState) -> Hint:
    """Return the hint of the first source that knows the position.

    Raises:
        UserError: The last one knows nothing, either.
    """
    first, *others = sources
    try:
        return first.compute_hint(state)
    except UserError:
        if not others:
            raise
        hint = ask_in_turn(others, state)
        return evolve(hint, source=hint.source or others[0].title)


def build_random(juncture: Juncture, purpose: str) -> Random:
    """Return the source of all chance for what is said of a juncture: the same each time."""
    place = juncture.seat, juncture.number, len(juncture.asks)
    return Random(derive_seed(juncture.game.name, purpose, *place))


def search_hint(state: InformationState) -> Hint:
    """Return the answer that comes out best in worlds of the seat, and how sure that is."""
    if not isinstance(state, KnownState):
        raise UserError("a search needs the rules, and has only what the seat was told")
    juncture = state.juncture
    random = build_random(juncture, "hint")
    substitutes = Substitutes.of(juncture.game, juncture.position.variant, juncture.seats)
    suggestions = substitutes.list_answers(juncture, f"{random.getrandbits(64):016x}")
    answers = list_candidates(juncture.question, random, suggestions)
    if len(answers) == 1:
        return Hint(NO_CHOICE, (HintedAnswer(answers[0]),))
    comparison = compare(Worlds(juncture, substitutes, random), answers, HINT_PLAYOUTS)
    if comparison is None:
        raise UserError("no deal of the hidden cards was found that fits what you know")
    return Hint(describe_comparison(comparison), (HintedAnswer(comparison.best),))


def describe_comparison(comparison: Comparison) -> str:
    """Return the sentence on how much better the best answer is, and how sure that is."""
    best = comparison.best
    others = [comparison.answers[at] for at in comparison.live]
    next_best = max((other for other in others if other is not best), key=comparison.mean)
    gain, error, worlds = comparison.gain(best, next_best)
    sure = "more than chance explains" if gain > CONFIDENCE * error else "which may be chance"
    times = "once" if worlds == 1 else f"{worlds} times"
    return (
        f"Bots played on {times}, and it came out {format_share(gain)} better than the next"
        f" best answer, {sure}."
    )
