"""For tests of games: the contract that every game holds to, cases, golden playthroughs.

It needs pytest and hypothesis: `pip install cardbot-arena[testing]`.
"""

from arena.testing.cases import Case
from arena.testing.contract import Contract
from arena.testing.laws import LAWS, hold
from arena.testing.secrets import Secret

__all__ = ["LAWS", "Case", "Contract", "Secret", "hold"]
