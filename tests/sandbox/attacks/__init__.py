"""Programs that attack their host, and what becomes of them."""

import pytest

pytest.register_assert_rewrite("tests.sandbox.attacks.programs.scene")
