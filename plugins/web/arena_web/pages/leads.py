"""The sentence on who leads a tournament, and how certain that is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arena.tournament import State, Summary

MAX_GAPS = 1000  # between neighbours, of which is said how many are decided
MAX_NAMES = 3  # of who may be as good, if there are many


def describe_lead(summary: Summary) -> str:
    """Describe who leads, and with what certainty; "" for fewer than two entrants."""
    fit, labels = summary.ratings, summary.labels
    active = {
        standing.entry.id for standing in summary.standings if standing.entry.state is State.ACTIVE
    }
    ranks = [place for place in summary.rank_indices() if fit.entrants[place[0]] in active]
    if not ranks[1:]:  # nobody is better than nobody
        return ""
    order = [index for index, _ in ranks]
    firsts = [labels[fit.entrants[index]] for index, place in ranks if place == ranks[0][1]]
    surely = fit.compare(order[0]) >= fit.level
    near = [labels[fit.entrants[index]] for index in order[len(firsts) :] if not surely[index]]
    best, steps = _join_names(firsts), [*pairwise(order)]
    gaps = [] if len(steps) > MAX_GAPS else steps
    decisions = sum(bool(fit.compare(better)[worse] >= fit.level) for better, worse in gaps)
    surety = f"{100 * fit.level:g} % confidence"
    lead, is_first = ("lead", "are first") if firsts[1:] else ("leads", "is first")
    if near:
        words = f"{best} {lead}, but {_join_names(near)} may be as good ({surety})."
    elif decisions == len(steps):
        return f"{best} {is_first}, and the whole order is decided ({surety})."
    else:
        words = f"{best} {is_first} ({surety})."
    if not gaps[1:]:
        return words
    verb = "is" if decisions == 1 else "are"
    return f"{words} {decisions} of the {len(steps)} gaps between neighbours {verb} decided."


def _join_names(names: Sequence[str]) -> str:
    """Join names into a phrase, shortened if there are many.

    >>> _join_names(["a"]), _join_names(["a", "b", "c"]), _join_names([*"abcdef"])
    ('a', 'a, b and c', 'a, b, c and 3 others')
    """
    more = len(names) - MAX_NAMES
    parts = [*names[:MAX_NAMES], f"{more} others"] if more > 1 else [*names]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)
