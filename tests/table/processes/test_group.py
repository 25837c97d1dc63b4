"""How many processes share the tables, which has which, and where each listens."""

from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import InvalidSettings
from casino_table.process_group import TableGroup, TableShare
from casino_table.settings import TableSettings
from hypothesis import given
from hypothesis import strategies as st

KEY = "k" * 32
OPEN = {"host": "0.0.0.0", "fleet_key": KEY}
PUBLIC = {"public_url": "http://tables.example:4500", "fleet_key": KEY, "port": 4500}
CORES = 4


def group(**settings: Any) -> TableGroup:
    return TableGroup.of(TableSettings(**settings), CORES)


@given(st.integers(1, 1000), st.data())
def test_every_table_is_of_exactly_one_process(tables: int, data: st.DataObject) -> None:
    """All have as many, but for one; the number of processes changes no path and no name."""
    processes = data.draw(st.integers(1, tables))
    shares = [TableShare(tables, processes, number) for number in range(1, processes + 1)]
    numbers = [number for share in shares for number in share.numbers]
    assert sorted(numbers) == list(range(1, tables + 1))
    sizes = {len(share.numbers) for share in shares}
    assert max(sizes) - min(sizes) <= 1
    alone = TableShare(tables)
    for share in shares:
        for number in share.numbers:
            assert share.holder(number) == share.process
            assert share.path(number) == alone.path(number)
            assert share.name(number, "T") == alone.name(number, "T")
    assert shares[0].holder(0) is shares[0].holder(tables + 1) is None


def test_a_single_table_is_at_the_root() -> None:
    assert (TableShare().paths, TableShare().name(1, "T")) == ([""], "T")
    share = TableShare(5, 2, 2)
    assert (share.paths, share.name(4, "T")) == (["/tables/2", "/tables/4"], "T 4")


@pytest.mark.parametrize(
    ("settings", "processes"),
    [
        ({"count": 1}, 1),
        ({"count": 3}, 3),
        ({"count": 100}, CORES),
        ({"count": 100, "host": "localhost"}, CORES),
        ({"count": 100, "host": "::1"}, CORES),
        ({"count": 100, "data": Path("data")}, CORES),
        ({"count": 100, "data": Path("data/{slot}")}, 1),
        ({"count": 100, **OPEN}, 1),
        ({"count": 100, **PUBLIC}, 1),
        ({"count": 100, "public_url": "http://127.0.0.1:4500"}, 1),
        # Named, they are as many as that, wherever they listen.
        ({"count": 100, "processes": 1}, 1),
        ({"count": 100, "processes": 7}, 7),
        ({"count": 100, "processes": 3, "data": Path("data/{slot}")}, 3),
        ({"count": 100, "processes": 3, **OPEN}, 3),
        ({"count": 100, "processes": 3, **PUBLIC}, 3),
    ],
)
def test_all_cores_are_used_where_callers_reach_every_port(
    settings: dict[str, Any], processes: int
) -> None:
    """By default; elsewhere the operator has to say that several ports are reached."""
    assert group(**settings).processes == processes


def test_addresses_are_counted_up() -> None:
    counted = group(count=9, processes=3, grpc_port=5000, **PUBLIC)
    assert [counted.port(process) for process in (1, 2, 3)] == [4500, 4501, 4502]
    assert [counted.grpc_port(process) for process in (1, 2, 3)] == [5000, 5001, 5002]
    assert [counted.public_url(process) for process in (1, 2, 3)] == [
        "http://tables.example:4500",
        "http://tables.example:4501",
        "http://tables.example:4502",
    ]
    free = group(count=9, processes=3, grpc_port=0)
    assert [free.port(3), free.grpc_port(3), free.public_url(3)] == [0, 0, None]
    assert group(count=9, processes=3).grpc_port(3) is None
    six = group(count=2, processes=2, port=1, public_url="https://[::1]:444/casino")
    assert six.public_url(2) == "https://[::1]:445/casino"


def test_a_process_gets_keys_by_its_environment_only() -> None:
    counted = group(count=9, processes=3, grpc_port=5000, **PUBLIC)
    inherited = {"PATH": "/bin", "CASINO_TABLE_FLEET_KEY": KEY, "CASINO_TABLE_PUBLIC_URL": "first"}
    assert counted.environment(2, inherited) == {
        "PATH": "/bin",
        "CASINO_TABLE_FLEET_KEY": KEY,
        "CASINO_TABLE_PROCESSES": "3",
        "CASINO_TABLE_PUBLIC_URL": "http://tables.example:4501",
        "CASINO_TABLE_GRPC_PORT": "5001",
    }
    assert counted.arguments(2, "")[:4] == ["--process", "2", "--port", "4501"]
    assert counted.arguments(3, "7")[-2:] == ["--slot", "7"]


@pytest.mark.parametrize(
    ("settings", "field", "fix"),
    [
        ({"count": 3, "processes": 4}, "PROCESSES", "name at most 3, or more tables in"),
        ({"processes": 2}, "PROCESSES", "2 processes cannot share 1 table"),
        ({"count": 3, "processes": 3, "port": 65_534}, "PORT", "name at most 65533"),
        ({"count": 3, "port": 65_534}, "PORT", "or set CASINO_TABLE_PROCESSES=1"),
        ({"count": 2, "processes": 2, "grpc_port": 65_535}, "GRPC_PORT", "name at most 65534"),
        ({"count": 2, "processes": 2, **PUBLIC, "port": 0}, "PORT", "must be set"),
        (
            {"count": 2, "processes": 2, **PUBLIC, "public_url": "https://tables.example"},
            "PUBLIC_URL",
            "such as https://tables.example:4500",
        ),
        (
            {"count": 2, "processes": 2, **PUBLIC, "public_url": "https://tables.example:65535"},
            "PUBLIC_URL",
            "must name a port from which 2 processes count up",
        ),
    ],
)
def test_what_cannot_be_shared_is_refused(settings: dict[str, Any], field: str, fix: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        group(**settings)
    assert str(refused.value).startswith(f"CASINO_TABLE_{field}: ")
    assert fix in str(refused.value)
