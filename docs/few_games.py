"""A plugin for the pytest that pages start: contracts try few games, which is as good to read."""

from arena.testing import Contract

Contract.max_examples = 3
