"""`python -P -m arena`: the command, where its script is not on the path.

Without `-P` Python looks for modules in the current folder first, which may be a bot's. Here at the
latest it stops to do so.
"""

import os
import sys

if not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109  # import nothing yet
    del sys.path[0]

from arena.cli import main

if __name__ == "__main__":
    main()
