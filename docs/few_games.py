"""A plugin for the pytest that pages start: contracts try few games, which is as good to read."""

from arena.testing import Contract
from arena.testing.harness import hash_seeds

Contract.max_examples = 3
hash_seeds.INTERPRETER_COUNT = 1
