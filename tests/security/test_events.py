"""The lobby records events of a room's own table only."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import orjson
import pytest
from casino.attack.binding_calls import BINDINGS, Depth
from casino_contracts import RoomSnapshot
from support.attack.forged_calls import LOBBY, forged_event
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, Sent, keyed_casino


def _numberings(casino: KeyedCasino, kind: str) -> dict[str, Any]:
    """Return an event with each way of numbering it."""
    last = casino.stored().last_sequence
    follows = forged_event(kind, epoch=1, sequence=last + 1)
    return {
        "without numbers": forged_event(kind),
        "that follows": follows,
        "far ahead": forged_event(kind, epoch=1, sequence=last + 1000),
        "known already": forged_event(kind, epoch=1, sequence=1),
        "of the next epoch": forged_event(kind, epoch=2, sequence=1),
        "without an epoch": forged_event(kind, sequence=last + 1),
        "in a batch": {"events": [follows]},
        "behind an event of another table": {"events": [forged_event(kind, "r2"), follows]},
    }


@pytest.fixture
async def casino() -> AsyncIterator[KeyedCasino]:
    async with keyed_casino() as casino:
        await casino.play_two_rooms(hands=1)
        yield casino


async def _room(casino: KeyedCasino) -> RoomSnapshot:
    return await casino.operator().room()


def _agents(casino: KeyedCasino) -> set[str]:
    return {agent.card_url for agent in casino.stored().agents.values()}


class TestForgedEvents:
    async def test_forged_events_are_refused(self, casino: KeyedCasino) -> None:
        """Without a token over every binding, from players, and from other rooms' tables."""
        before, agents = await _room(casino), _agents(casino)
        tokens = {
            "nobody": None,
            "a player": casino.seat_token("player-1"),
            "another room's table": casino.key("r2").events,
            "the room's lobby": casino.key().table,
            "the fleet": FLEET_KEY,
            "the operator": OPERATOR_KEY,
        }
        for how, event in _numberings(casino, "stacks").items():
            for name, token in tokens.items():
                for binding in BINDINGS if token is None else BINDINGS[:1]:
                    reply = await casino.call(LOBBY, "recordGameEvent", event, token, binding)
                    where = (how, name, binding.name, reply)
                    is_own = how.startswith("behind") and name == "another room's table"
                    if reply.depth is not Depth.ABSENT:
                        assert is_own == (reply.reason == "UNKNOWN_TABLE"), where
                        assert is_own or reply.depth is Depth.DENIED, where
        assert await _room(casino) == before
        assert _agents(casino) == agents

    async def test_without_the_rule_forged_events_are_recorded(self) -> None:
        async with keyed_casino(lobby_rules=OpenLobby("recording")) as casino:
            await casino.play_two_rooms(hands=1)
            before = (await _room(casino)).summary
            event = _numberings(casino, "stacks")["that follows"]
            reply = await casino.call(LOBBY, "recordGameEvent", event)
            assert reply.depth is Depth.ANSWERED
            after = (await _room(casino)).summary
            assert before is not None
            assert after is not None
            assert after.players != before.players

    async def test_what_a_table_may_not_say_of_its_own_room(self, casino: KeyedCasino) -> None:
        """No event without a number; and the lobby keeps the agent that it invited."""
        right = casino.key().events
        for how in ("without numbers", "without an epoch"):
            event = _numberings(casino, "stacks")[how]
            reply = await casino.call(LOBBY, "recordGameEvent", event, right)
            assert reply.reason == "SEQUENCE_MISSING", how
        agents = _agents(casino)
        event = _numberings(casino, "seat")["that follows"]
        reply = await casino.call(LOBBY, "recordGameEvent", event, right)
        assert reply.depth is Depth.ANSWERED
        assert _agents(casino) == agents


async def test_a_closed_room_takes_no_event(casino: KeyedCasino) -> None:
    last = casino.stored().last_sequence
    await casino.operator().post("/v1/rooms/r1/close")
    await casino.until("r1", "closed")
    before = await _room(casino)
    for how, event in _numberings(casino, "stacks").items():
        for token in (None, casino.key("r2").events, casino.key().events):
            reply = await casino.call(LOBBY, "recordGameEvent", event, token)
            assert reply.depth is not Depth.ANSWERED, (how, reply)
    assert await _room(casino) == before
    assert casino.stored().last_sequence > last


async def _again(casino: KeyedCasino, one: Sent, headers: Mapping[str, str]) -> Any:
    """Send a recorded call once more; returns the reason of its refusal, or None."""
    answer = await casino.traffic.send("POST", one.url, headers=dict(headers), content=one.body)
    said = orjson.loads(answer.body)
    return said["error"]["data"][0]["metadata"]["reason"] if "error" in said else None


async def test_a_replayed_delivery_changes_nothing(casino: KeyedCasino) -> None:
    """Without its token it is refused; with it, the lobby has these events already."""
    before = await _room(casino)
    sent = casino.wire.to("http://lobby/a2a/jsonrpc")
    deliveries = [one for one in sent if b"recordGameEvent" in one.body]
    assert deliveries
    for one in deliveries:
        assert one.token
        assert await _again(casino, one, {"A2A-Version": "1.0"}) == "UNAUTHORIZED"
        assert await _again(casino, one, one.headers) is None
    assert await _room(casino) == before


async def test_a_replay_at_a_table_is_refused_after_its_room(casino: KeyedCasino) -> None:
    """The key of a closed room is refused."""
    commands = [
        one
        for one in casino.wire.to("http://tables/tables/1/")
        if b"startGame" in one.body or b"registerPlayer" in one.body
    ]
    assert len(commands) == 3
    await casino.operator().post("/v1/rooms/r1/close")
    await casino.until("r1", "closed")
    await casino.play("r3", 1, "ada", "bob", maxHands=1)
    for one in commands:
        assert await _again(casino, one, one.headers) == "FORBIDDEN"
