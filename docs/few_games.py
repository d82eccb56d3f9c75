"""A plugin for the pytest that pages start: contracts try few games, which is as good to read."""


def pytest_configure() -> None:
    """Set it once the arena's own plugin, which has to come before the contract, is loaded."""
    from arena.testing import Contract
    from arena.testing.harness import hash_seeds

    Contract.max_examples = 3
    hash_seeds.INTERPRETER_COUNT = 1
