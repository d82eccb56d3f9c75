"""How to install the package that brings the command `arena gops`, and bots."""

from __future__ import annotations

INSTALL_SOLVER = (
    "install a C++ compiler and Python's headers (Debian: apt install g++ python3-dev), then, in a"
    " checkout, type ./run demo, or elsewhere pip install 'arena-gops[solver]'"
)
