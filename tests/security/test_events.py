"""The lobby records events of a room's own table only."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from casino.attack.attacks.reply import Depth, Reply
from casino.attack.bindings import BINDINGS
from casino.attack.target import Agent
from casino_contracts import RoomSnapshot
from support.attack.forged_calls import FORGED_EVENTS, forged_event
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_casino
from support.table.table_side import CONFIG

LOBBY = Agent("the lobby", "http://lobby")
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}


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
        await casino.play_two_rooms(hands=2)
        yield casino


async def _room(casino: KeyedCasino) -> RoomSnapshot:
    return await casino.operator().room()


def _agents(casino: KeyedCasino) -> set[str]:
    return {agent.card_url for agent in casino.stored().agents.values()}


class TestForgedEvents:
    """Events of other senders, in every numbering."""

    @pytest.mark.parametrize("kind", FORGED_EVENTS)
    async def test_forged_events_are_refused(self, casino: KeyedCasino, kind: str) -> None:
        """Without a token, from players, and from other rooms' tables, over every binding."""
        before, agents = await _room(casino), _agents(casino)
        tokens = {
            "nobody": None,
            "a player": casino.seat_token("player-1"),
            "another room's table": casino.key("r2").events,
            "the room's lobby": casino.key().table,
            "the fleet": FLEET_KEY,
            "the operator": OPERATOR_KEY,
            "garbage": "sesame",
        }
        for how, event in _numberings(casino, kind).items():
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

    @pytest.mark.parametrize("kind", ["stacks", "a departure", "an end"])
    async def test_without_the_rule_forged_events_are_recorded(self, kind: str) -> None:
        """The rule is what refuses them."""
        async with keyed_casino(lobby_rules=OpenLobby("recording")) as casino:
            await casino.play_two_rooms(hands=2)
            before = await _room(casino)
            event = _numberings(casino, kind)["that follows"]
            reply = await casino.call(LOBBY, "recordGameEvent", event)
            assert reply.depth is Depth.ANSWERED
            after = await _room(casino)
            assert after.summary is not None
            assert before.summary is not None
            assert after.summary.players != before.summary.players

    async def test_even_a_table_cannot_put_another_agent_into_a_seat(
        self, casino: KeyedCasino
    ) -> None:
        """The lobby keeps the agent that it invited."""
        agents = _agents(casino)
        event = _numberings(casino, "a given seat")["that follows"]
        reply = await casino.call(LOBBY, "recordGameEvent", event, casino.key().events)
        assert reply.depth is Depth.ANSWERED
        assert _agents(casino) == agents

    async def test_events_of_our_tables_need_numbers(self, casino: KeyedCasino) -> None:
        """Also with the right token."""
        for how in ("without numbers", "without an epoch"):
            event = _numberings(casino, "stacks")[how]
            reply = await casino.call(LOBBY, "recordGameEvent", event, casino.key().events)
            assert reply.reason == "SEQUENCE_MISSING", how


class TestClosedRooms:
    async def test_a_closed_room_takes_no_event(self, casino: KeyedCasino) -> None:
        """Not even from its own table."""
        last = casino.stored().last_sequence
        await casino.operator().post("/v1/rooms/r1/close")
        await casino.until("r1", "closed")
        before = await _room(casino)
        for how, event in _numberings(casino, "stacks").items():
            for token in (None, casino.key("r2").events):
                reply = await casino.call(LOBBY, "recordGameEvent", event, token)
                assert not _was_recorded(reply), (how, reply)
            reply = await casino.call(LOBBY, "recordGameEvent", event, casino.key().events)
            assert not _was_recorded(reply), (how, reply)
        assert await _room(casino) == before
        assert casino.stored().last_sequence > last


def _was_recorded(reply: Reply) -> bool:
    return reply.depth is Depth.ANSWERED


class TestReplays:
    """Calls that were recorded and are sent again."""

    async def test_a_replay_without_its_token_is_refused(self, casino: KeyedCasino) -> None:
        """The body alone is not enough."""
        sent = casino.wire.to("http://lobby/a2a/jsonrpc")
        deliveries = [one for one in sent if b"recordGameEvent" in one.body]
        assert deliveries
        for one in deliveries:
            assert one.token
            answer = await casino.traffic.send(
                "POST", one.url, headers={"A2A-Version": "1.0"}, content=one.body
            )
            error = orjson.loads(answer.body)["error"]
            assert error["data"][0]["metadata"]["reason"] == "UNAUTHORIZED"

    async def test_a_replay_with_its_token_changes_nothing(self, casino: KeyedCasino) -> None:
        """The lobby has these events already."""
        before = await _room(casino)
        for one in casino.wire.to("http://lobby/a2a/jsonrpc"):
            if b"recordGameEvent" in one.body:
                answer = await casino.traffic.send(
                    "POST", one.url, headers=dict(one.headers), content=one.body
                )
                assert "result" in orjson.loads(answer.body)
        assert await _room(casino) == before

    async def test_a_replay_at_a_table_is_refused_after_its_room(self, casino: KeyedCasino) -> None:
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
            answer = await casino.traffic.send(
                "POST", one.url, headers=dict(one.headers), content=one.body
            )
            error = orjson.loads(answer.body)["error"]
            assert error["data"][0]["metadata"]["reason"] == "FORBIDDEN"
