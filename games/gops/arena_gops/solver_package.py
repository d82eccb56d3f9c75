"""How to install the package that brings the command `arena gops`, and bots."""

from __future__ import annotations

INSTALL_SOLVER = (
    "install a C++ compiler (Debian: apt install g++), then, in a"
    " checkout, type ./run demo, or elsewhere pip install 'arena-gops[solver]'"
)
