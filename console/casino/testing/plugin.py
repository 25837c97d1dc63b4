"""Plugin of pytest: the fixture `casino_table`, for the tests of a bot."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from casino.testing.table import CasinoTable


@pytest.fixture(scope="session")
def casino_table() -> "CasinoTable":
    """Return a table of the casino, in this process: it asks, plays and judges as every table.

    Fails where the extras `match` and `table` of the package are not installed.
    """
    try:
        from casino.testing.table import CasinoTable  # noqa: PLC0415  every run loads this plugin
    except ModuleNotFoundError as error:
        needed = "pip install 'a2a-casino[console,match,table]'"
        pytest.fail(f"{error.name} is not installed: {needed}", pytrace=False)
    return CasinoTable()
