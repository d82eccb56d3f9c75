"""Helpers for several formats: checks of the field, and the score of a match."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules import UserError
from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, PlayedMatch


def check_field(field: Sequence[Id], terms: FormatTerms) -> None:
    """Raise UserError if the field cannot fill a table; an empty field checks the terms alone."""
    seats = terms.seats_per_match
    if field and len(field) < seats:
        raise UserError(f"a table of {seats} needs at least {seats} entrants, not {len(field)}")


def check_opponents(terms: FormatTerms, name: str) -> None:
    """Raise UserError for a table of one."""
    if terms.seats_per_match < 2:  # noqa: PLR2004
        raise UserError(f"{name} needs opponents, but a table of 1 has none")


def score_match(played: PlayedMatch) -> tuple[float, ...]:
    """Return each seat's score: the share of the other seats that it finished ahead of.

    So for two a win is 1 and a draw 1/2; for more, places are spread evenly from 1 to 0, and a seat
    that shares a place gets half for each other one there. A void match counts 1/2 for all.

    >>> score_match(PlayedMatch(0, 0, "", ("a", "b", "c"), (1, 2, 2), None))
    (1.0, 0.25, 0.25)
    """
    places, others = played.places, len(played.seats) - 1
    if places is None or not others:
        return (0.5,) * len(played.seats)
    return tuple(
        (sum(place < other for other in places) + (places.count(place) - 1) / 2) / others
        for place in places
    )


def count_newcomers(field: Sequence[Id], past: PastMatches, terms: FormatTerms) -> int:
    """Return the number of entrants that entered after the first deal, in any version."""
    return max(0, len({*field, *past.plays}) - terms.first)
