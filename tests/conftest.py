"""What every test shares."""

import pytest

pytest.register_assert_rewrite("support", "fuzz")
