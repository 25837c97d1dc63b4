"""Plugin of pytest: the fixture `casino_table`, for the tests of a bot."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from casino.testing.table import CasinoTable


@pytest.fixture(scope="session")
def casino_table() -> "CasinoTable":
    """Return a table of the casino, in this process: it asks, plays and judges as every table."""
    from casino.testing.table import CasinoTable  # noqa: PLC0415  every run loads this plugin

    return CasinoTable()
