"""The units in which a hill counts what is used and for how long."""

from __future__ import annotations

MB = 1 << 20  #: bytes
DAY_SECONDS = 86400
