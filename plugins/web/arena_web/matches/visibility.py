"""What is public of a match, and when: its result at once, its hands once nobody can use them.

The rotations of a deal share its hands. So what a match was played with is nobody's business until
the last of them is settled; who won, and how, is everybody's at once.

A seed that stands in a tournament's file may be short. From the seed of one deal, which its
transcripts hold, it could then be searched, and with it the hands of all that is to come: so
nothing of such a tournament is shown before all is played.
"""

from __future__ import annotations

from arena.records import Transcript, parse_text
from arena.tournament.store import Store
from arena_web.matches.redaction import redact_transcript

WAITING_MESSAGE = (
    "The hands are shown once all rotations of this deal are over, as they share the cards."
)


def is_public(store: Store, deal: int) -> bool:
    """Whether everything about this deal's matches is public.

    Yes, when each of its rotations is settled, and the tournament is not held back as a whole.
    """
    return not withholds_hands(store) and store.deals.is_deal_over(deal)


def withholds_hands(store: Store) -> bool:
    """Whether a tournament hides all hands until it is over, as its seed could be guessed."""
    return store.settings.seed is not None and not store.facts.is_over


def explain_waiting(store: Store, deal: int) -> str:
    """Return the reason why the hands of a deal are not public yet, or ""."""
    if withholds_hands(store):
        return (
            "The hands are shown once the whole tournament is over: its seed was set by hand, and"
            " could be found by search."
        )
    return "" if store.deals.is_deal_over(deal) else WAITING_MESSAGE


def load_public_transcript(store: Store, deal: int, rotation: int) -> Transcript | None:
    """Return the public transcript of a match, or None.

    Raises UnreadableTranscriptError.
    """
    text = store.transcripts.load(deal, rotation) if is_public(store, deal) else None
    if text is None:
        return None
    transcript = parse_text(text.decode(), ahead=False)
    return redact_transcript(
        transcript, store.entrant_directory.mask_name, store.entrant_directory.label_name
    )
