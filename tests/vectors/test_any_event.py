"""No payload makes a fold raise: room, ledger, projection, table, match, score, history.

Payloads are those of real events with parts replaced, and any JSON under the names of fields.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import pytest
from casino.attack.question_attacks import last_question
from casino.hand_history import hand_history
from casino.up.session_score import Score
from casino.watch.watched_table import WatchedTable
from casino.watch.watching import LobbyState
from casino_contracts import (
    HandDetail,
    HandSummary,
    LobbyStreamSnapshot,
    StreamedEvent,
    TableEvent,
    Unit,
)
from casino_contracts.events.content import EventType, content_of
from casino_gateway.domain.match import Match
from casino_lobby.domain.room_books import Ledger
from casino_lobby.domain.room_fold import apply
from casino_lobby.domain.room_views import room_summary
from casino_lobby.store.projection import rows_of
from hypothesis import given, settings
from hypothesis import strategies as st
from support.casino.store_side import new_room

VECTORS = json.loads((Path(__file__).parent / "table_events.json").read_text())
EVENTS = [event for vector in VECTORS for event in vector["events"] if event["payload"]]


def names_in(value: Any) -> Iterator[str]:
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            yield from names_in(item)
    if isinstance(value, dict):
        yield from value


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from paths_in(item, (*path, key))


NAMES = sorted(set(names_in([event["payload"] for event in EVENTS])))
WORDS = ["a", "fold", "left", "rebought", "closed", "hand_cancelled", "street_dealt"]
HOSTILE = ["\0", "\u202e", " a", "a\n", "\x1b[2J", "x" * 200]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-1e15, 1e15)
    | st.text(max_size=8)
    | st.sampled_from(WORDS + HOSTILE),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


@st.composite
def changed_payloads(draw: st.DrawFn) -> dict[str, Any]:
    """Return an event of the vectors with some parts of its payload replaced or removed."""
    event = deepcopy(draw(st.sampled_from(EVENTS)))
    for _ in range(draw(st.integers(0, 3))):
        *path, last = draw(st.sampled_from(list(paths_in(event["payload"])) or [("new",)]))
        within = event["payload"]
        for key in path:
            within = within[key]
        if isinstance(within, dict) and draw(st.booleans()):
            within.pop(last, None)
        else:
            within[last] = draw(JSON)
    return {"eventType": event["eventType"], "payload": event["payload"]}


FOREIGN = changed_payloads() | st.fixed_dictionaries(
    {
        "eventType": st.sampled_from(get_args(EventType)),
        "payload": st.none() | st.dictionaries(st.sampled_from(NAMES), JSON),
    }
)


@pytest.mark.full
@settings(deadline=None, max_examples=300)
@given(st.lists(FOREIGN, min_size=1, max_size=6))
def test_no_fold_raises(parts: list[dict[str, Any]]) -> None:
    """And every number of an event is one that JSON holds exactly."""
    events = [
        TableEvent.model_validate(
            {
                **part,
                "tableId": "t1",
                "message": f"event {number}",
                "timestamp": "2026-11-20T19:43:00.123Z",
                "sequence": number,
                "epoch": 1,
            }
        )
        for number, part in enumerate(parts, 1)
    ]
    room, score, ledger = new_room(), Score(), Ledger()
    table, match = WatchedTable("r1"), Match("r1")
    lobby = LobbyState.of(LobbyStreamSnapshot(cursor=1, rooms=(room_summary(room),)))
    rows = rows_of(room, events)
    for event in events:
        apply(room, event)
        table = table.after(event)
        assert match.apply(event)
        lobby = lobby.after(StreamedEvent(cursor=1, room_id="r1", event=event))
        score.add(event)
        content = content_of(event)
        entries = ledger.book(content, Unit(decimals=2))
        assert sum(entry.chips for entry in entries) == 0
        for value in vars(content).values() if content else ():
            assert not isinstance(value, float) or abs(value) <= 2**53 - 1
    assert len(rows.events) == len(events)
    assert table.news[0] == events[-1].message
    hand = HandSummary(
        hand_id="t1/1", hand_number=1, epoch=1, last_sequence=1, timestamp="", message=""
    )
    last_question([event.model_dump(mode="json") for event in events], "a", "t1")
    detail = HandDetail(room_id="r1", hand=hand, events=tuple(events))
    assert all(line.isprintable() for line in hand_history(detail))
