"""The faults of players and the ends of matches: two small, closed sets."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """The faults of a player: a small, closed set."""

    TIMEOUT = "timeout"  #: no answer within its time
    ILLEGAL = "illegal"  #: an answer that the rules do not allow
    MALFORMED = "malformed"  #: a line that is no answer in its protocol
    CRASHED = "crashed"  #: it did not start, or closed its output, or raised an exception
    FLOODED = "flooded"  #: a line too long, or too much before it was asked


class End(StrEnum):
    """The end of a match."""

    FINISHED = "finished"  #: by the rules
    FORFEITED = "forfeited"  #: too few seats were left without a verdict
    VOID = "void"  #: the host's or the rules' own fault: nobody's result
