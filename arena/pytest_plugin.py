"""What pytest loads by itself where the arena is installed: the contract shows its reasons.

It lies beside `arena.testing`, not in it, so that a run without games imports nothing of it.
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("arena.testing")
