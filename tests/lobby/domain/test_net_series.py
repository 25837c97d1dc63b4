"""The series of nets: bounded, without a lost peak, and what the hands alone say."""

from typing import Any

from casino_lobby.domain.player_results import STEPS, NetSeries
from casino_lobby.domain.room_views import series_of
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from support.table.played_session import PlayedSession

NETS = st.one_of(st.none(), st.integers(-9, 9), st.floats(-1e6, 1e6))
ADAPTER = TypeAdapter(NetSeries)


def series_after(hands: list[dict[str, float]], first: int = 1) -> NetSeries:
    series = NetSeries()
    for number, nets in enumerate(hands, start=first):
        series.add(number, nets)
    return series


def extremes(nets: list[float]) -> list[float]:
    """Return the lowest and the highest of some nets, in the order in which they first occurred."""
    return sorted((min(nets), max(nets)), key=nets.index)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3_000), st.lists(st.tuples(NETS, NETS), min_size=1, max_size=40))
def test_steps_are_those_of_a_recount(count: int, cycle: list[tuple[Any, Any]]) -> None:
    """Each has its extremes, whatever was put together since; also after it was stored."""
    pairs = [cycle[number * number % len(cycle)] for number in range(count)]
    hands = [
        {key: net for key, net in zip("ab", pair, strict=True) if net is not None} for pair in pairs
    ]
    series = series_after(hands)
    stored = ADAPTER.dump_json(series)
    assert ADAPTER.validate_json(stored) == series
    length = series.hands_per_step
    assert series.hands == count
    assert len(series.last_hands) == -(-count // length) <= STEPS
    assert length == 1 or len(series.last_hands) >= STEPS // 2
    assert series.last_hands == [min(count, n) for n in range(length, count + length, length)]
    for player_id in "ab":
        expected: list[float | None] = []
        for begin in range(0, count, length):
            nets = [hand[player_id] for hand in hands[begin : begin + length] if player_id in hand]
            expected += extremes(nets) if nets else [None, None]
        while expected and expected[-1] is None:
            expected.pop()
        assert series.nets.get(player_id, []) == expected


def test_a_reader_gets_the_nets_of_a_session() -> None:
    """Chips that were bought are none; who comes late has no nets before."""
    session = PlayedSession()
    session.sit("p1")
    session.sit("p2")
    session.hand(2, p1=30, p2=-30)
    session.buy("p2", 30)
    session.hand(2, p1=-50.5, p2=50.5)
    session.leave("p2")
    session.sit("p3")
    session.hand(2, p1=5, p3=-5)
    session.restart()
    document = series_of(session.room).model_dump(mode="json")
    assert document == {
        "roomId": "r1",
        "hands": 3,
        "firstHand": 1,
        "handsPerStep": 1,
        "lastHands": [1, 2, 3],
        "players": [
            {
                "playerId": "p1",
                "displayName": "P1",
                "net": -15.5,
                "nets": [30, 30, -20.5, -20.5, -15.5, -15.5],
            },
            {"playerId": "p2", "displayName": "P2", "net": 20.5, "nets": [-30, -30, 20.5, 20.5]},
            {"playerId": "p3", "displayName": "P3", "net": -5, "nets": [None] * 4 + [-5, -5]},
        ],
    }
