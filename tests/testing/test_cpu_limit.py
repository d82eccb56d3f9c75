"""Rules without end are interrupted, whatever happens to be running when their time is over."""

from __future__ import annotations

import re
from time import process_time
from types import FunctionType

import pytest

from arena.testing.harness.cases import CpuLimitExceededError, cpu_limit


def spin(seconds: float) -> None:
    began = process_time()
    while process_time() - began < seconds:
        pass


def test_it_comes_once_more() -> None:
    """Where it came amid a callback, which would have swallowed it, the rules are found later."""
    module = {"__name__": "hypothesis.internal", "process_time": process_time}
    callback = FunctionType(spin.__code__, module)  # as that of the garbage collector
    through = []

    def rules() -> None:
        callback(0.1)
        through.append(callback)
        while True:
            pass

    reason = "the game has not ended after 0.02 seconds of processor time: in rules, "
    with pytest.raises(CpuLimitExceededError, match=re.escape(reason)), cpu_limit(0.02):
        rules()
    assert through == [callback]
