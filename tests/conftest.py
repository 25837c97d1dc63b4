"""Assertions of shared test code are rewritten, as in tests."""

import pytest

pytest.register_assert_rewrite("support", "fuzz")
