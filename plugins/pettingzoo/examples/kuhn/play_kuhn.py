"""Plays Kuhn poker by the policy that `train_kuhn.py` has learned."""  # noqa: INP001  # two programs

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.bot import run
from arena_pettingzoo import Observation, PolicyBot

POLICY_FILE = Path(__file__).with_name("policy.json")


def load_bot(path: Path = POLICY_FILE) -> PolicyBot:
    """Return a bot that plays by this file, and at random in situations that it lacks."""
    chances: dict[str, list[float]] = json.loads(path.read_text("utf-8"))

    def policy(observation: Observation) -> Any:
        known = observation["observation"].tobytes().hex()
        return chances.get(known, observation["action_mask"])

    return PolicyBot("kuhn", policy)


if __name__ == "__main__":
    run(load_bot)
