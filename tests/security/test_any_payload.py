"""Any payload that the contract allows is booked, folded, stored and read back.

An exception in any of it would be sent again for ever, or would stop the lobby's next start.
"""

import json
from typing import Any, get_args

from casino_contracts import MAX_SAFE, EventType, TableEvent
from casino_lobby.domain.reported_event import read
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import apply, fold
from casino_lobby.domain.room_views import late_snapshot, public, room_snapshot, room_summary
from casino_lobby.service.completed_hands import Hands
from casino_lobby.store import HandKey, MemoryStore, StoredHand
from casino_lobby.store.projection import rows_of
from hypothesis import given, settings
from hypothesis import strategies as st
from support.casino.store_side import new_room

NAMES = (
    "playerId", "displayName", "agentCardUrl", "actionSkill", "playsAnyGame", "seatNumber", "stack",
    "stacks", "handNumber", "handsLeft", "posted", "kind", "status", "amount", "pots", "winners",
    "communityCards", "rank", "suit", "shown", "cards", "house", "state", "message",
)  # fmt: skip
WORDS = (
    "p0", "p1", "started", "left", "closed", "rebought", "hand_cancelled", "finished", "running",
    "error", "big-blind", "T", "diamonds", "", "\0", "\u202e", "x" * 200,
)  # fmt: skip

numbers = (
    st.integers(-MAX_SAFE, MAX_SAFE)
    | st.sampled_from([0, 1, 2, 200, MAX_SAFE, -MAX_SAFE])
    | st.floats(-MAX_SAFE, MAX_SAFE)
)
scalars = st.none() | st.booleans() | numbers | st.sampled_from(WORDS) | st.text(max_size=5)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=6,
)
payloads = st.none() | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), values)
anything = st.tuples(st.sampled_from(get_args(EventType)), payloads)
players = st.sampled_from(["p0", "p1", "", " ", "p\u202e", "x" * 200])
seats = st.fixed_dictionaries(
    {"playerId": players, "seatNumber": numbers},
    optional={
        "displayName": st.sampled_from(WORDS),
        "stack": numbers,
        "agentCardUrl": st.sampled_from(["http://p0/", "x"]),
        "actionSkill": st.sampled_from(["act", "two words", 7]),
    },
)
ends = st.fixed_dictionaries(
    {
        "handNumber": st.integers(-1, 3),
        "stacks": st.lists(st.fixed_dictionaries({"playerId": players, "stack": numbers})),
    }
)
events = st.lists(
    anything
    | st.tuples(st.just("player_registered"), seats)
    | st.tuples(st.sampled_from(["hand_started", "hand_completed"]), ends),
    min_size=1,
    max_size=12,
)


def numbered(contents: list[tuple[str, Any]]) -> list[TableEvent]:
    return [
        TableEvent.model_validate(
            {
                "tableId": "t-r1",
                "eventType": kind,
                "message": "hm",
                "timestamp": "now",
                "payload": payload,
                "sequence": sequence,
                "epoch": 1,
            }
        )
        for sequence, (kind, payload) in enumerate(contents, start=1)
    ]


@settings(deadline=None)
@given(events)
def test_any_payload_is_booked_and_read_back(contents: list[tuple[str, Any]]) -> None:
    """Row by row; the accounts sum to zero."""
    room = new_room()
    given_events = numbered(contents)
    rows = rows_of(room, given_events)
    assert [read(row.content) for row in rows.events] == given_events
    booked = [entry for event in given_events for entry in apply(room, event)]
    assert sum(room.ledger.balances.values()) == 0
    assert all(len(entry.account) <= 135 for entry in booked)


@settings(deadline=None)
@given(events)
def test_a_room_with_any_payload_survives_a_restart(contents: list[tuple[str, Any]]) -> None:
    """It is folded, shown, saved and read back."""
    room = new_room()
    fold(room, numbered(contents))
    assert room.last_sequence == len(contents)
    for shown in (room_summary(room), room_snapshot(room), late_snapshot(room)):
        shown.wire()
    again = Room.from_json(json.loads(json.dumps(room.to_json())))
    again.recent.extend(room.recent)
    assert again.seats == room.seats


@settings(deadline=None)
@given(events)
async def test_hands_with_any_payload_can_be_listed(contents: list[tuple[str, Any]]) -> None:
    store, room = MemoryStore(100), new_room()
    await store.add(room)
    await store.record(room, numbered(contents))
    hands = Hands(store)
    for hand in await store.hands.best(room, None, 100, by="score"):
        hands.summary(room, hand).wire()
    for event in await store.events(room, 0, 100):
        public(event).wire()
        hands.summary(room, StoredHand(HandKey(1, 1), None, event)).wire()
