"""All attacks, in the order of the table in `docs/reference/sandboxes.md`, and the innocents beside them."""

from __future__ import annotations

from tests.sandbox.attacks.programs import calls, innocent, reaching, resources, speaking, uncounted

ATTACKS = (
    *resources.ATTACKS,
    *uncounted.ATTACKS,
    *speaking.ATTACKS,
    *reaching.ATTACKS,
    *calls.ATTACKS,
)
PROGRAMS = {attack.name: attack for attack in (*ATTACKS, *innocent.INNOCENTS)}
"""By name: all programs that are played against a scene."""
