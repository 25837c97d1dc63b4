"""The lobby's record holds what the room's own table said, and nothing else."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from casino.attack.attacks.reply import Depth, Reply
from casino.attack.bindings import BINDINGS
from casino.attack.target import Agent
from casino_agentkit import ANYONE
from casino_agentkit import Agent as KitAgent
from casino_contracts import RoomSnapshot
from pydantic import BaseModel
from support.attack.undefended import OpenLobby
from support.casino.keyed_casino import FLEET_KEY, OPERATOR_KEY, KeyedCasino, keyed_town
from support.table.table_side import CONFIG

LOBBY = Agent("the lobby", "http://lobby")
RULES = {name: value for name, value in CONFIG.items() if name != "seed"}
WON = {"playerId": "player-1", "stack": 999_999}
FORGED: dict[str, tuple[str, dict[str, Any]]] = {
    "stacks": (
        "hand_completed",
        {
            "handNumber": 777,
            "communityCards": [],
            "pots": [],
            "shown": [],
            "stacks": [WON, {"playerId": "player-2", "stack": 1}],
        },
    ),
    "a departure": ("table_status", {"status": "idle", "kind": "left", "playerId": "player-1"}),
    "an end": ("table_status", {"status": "idle", "kind": "closed"}),
    "a given seat": (
        "player_registered",
        {
            "playerId": "player-1",
            "seatNumber": 0,
            "displayName": "Mallory",
            "stack": 200,
            "agentCardUrl": "http://mallory/",
        },
    ),
}


def _event(kind: str, room_id: str = "r1", **more: Any) -> dict[str, Any]:
    event_type, payload = FORGED[kind]
    return {
        "tableId": room_id,
        "eventType": event_type,
        "message": "Mallory was here",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "payload": payload,
        **more,
    }


def _numberings(town: KeyedCasino, kind: str) -> dict[str, Any]:
    """Return an event in every way of numbering it."""
    last = town.stored().last_sequence
    follows = _event(kind, epoch=1, sequence=last + 1)
    return {
        "without numbers": _event(kind),
        "that follows": follows,
        "far ahead": _event(kind, epoch=1, sequence=last + 1000),
        "known already": _event(kind, epoch=1, sequence=1),
        "of the next epoch": _event(kind, epoch=2, sequence=1),
        "without an epoch": _event(kind, sequence=last + 1),
        "in a batch": {"events": [follows]},
        "behind an event of another table": {"events": [_event(kind, "r2"), follows]},
    }


@pytest.fixture
async def town() -> AsyncIterator[KeyedCasino]:
    """Run two rooms that have played."""
    async with keyed_town() as running:
        await _play(running)
        yield running


async def _play(town: KeyedCasino) -> None:
    await town.play("r1", 1, "ada", "bob", maxHands=2)
    await town.play("r2", 2, "cleo", "dan", maxHands=2)


async def _room(town: KeyedCasino) -> RoomSnapshot:
    return await town.operator().room()


def _agents(town: KeyedCasino) -> set[str]:
    return {agent.card_url for agent in town.stored().agents.values()}


class TestForgedEvents:
    """Whatever they tell, and however they are numbered."""

    @pytest.mark.parametrize("kind", FORGED)
    async def test_they_are_refused(self, town: KeyedCasino, kind: str) -> None:
        """From strangers, players, other rooms' tables; over every binding."""
        before, agents = await _room(town), _agents(town)
        tokens = {
            "nobody": None,
            "a player": town.seat_token("player-1"),
            "another room's table": town.key("r2").events,
            "the room's lobby": town.key().table,
            "the fleet": FLEET_KEY,
            "the operator": OPERATOR_KEY,
            "garbage": "sesame",
        }
        for how, event in _numberings(town, kind).items():
            for name, token in tokens.items():
                for binding in BINDINGS if token is None else BINDINGS[:1]:
                    reply = await town.call(LOBBY, "recordGameEvent", event, token, binding)
                    where = (how, name, binding.name, reply)
                    is_own = how.startswith("behind") and name == "another room's table"
                    if reply.depth is not Depth.ABSENT:
                        assert is_own == (reply.reason == "UNKNOWN_TABLE"), where
                        assert is_own or reply.depth is Depth.DENIED, where
        assert await _room(town) == before
        assert _agents(town) == agents

    @pytest.mark.parametrize("kind", ["stacks", "a departure", "an end"])
    async def test_without_the_rule_they_are_believed(self, kind: str) -> None:
        """So it is the rule that refuses them."""
        async with keyed_town(lobby_rules=OpenLobby("recording")) as town:
            await _play(town)
            before = await _room(town)
            event = _numberings(town, kind)["that follows"]
            reply = await town.call(LOBBY, "recordGameEvent", event)
            assert reply.depth is Depth.ANSWERED
            after = await _room(town)
            assert after.summary is not None
            assert before.summary is not None
            assert after.summary.players != before.summary.players

    async def test_even_a_table_cannot_put_another_agent_into_a_seat(
        self, town: KeyedCasino
    ) -> None:
        """Whom the lobby invited it keeps: the event may come from the right table."""
        agents = _agents(town)
        event = _numberings(town, "a given seat")["that follows"]
        reply = await town.call(LOBBY, "recordGameEvent", event, town.key().events)
        assert reply.depth is Depth.ANSWERED
        assert _agents(town) == agents

    async def test_our_tables_number_their_events(self, town: KeyedCasino) -> None:
        """With the right, too."""
        for how in ("without numbers", "without an epoch"):
            event = _numberings(town, "stacks")[how]
            reply = await town.call(LOBBY, "recordGameEvent", event, town.key().events)
            assert reply.reason == "SEQUENCE_MISSING", how


class TestClosedRooms:
    """A room that is over takes nothing."""

    async def test_not_even_from_its_own_table(self, town: KeyedCasino) -> None:
        """Hands that were played are what they were."""
        last = town.stored().last_sequence
        await town.operator().post("/v1/rooms/r1/close")
        await town.until("r1", "closed")
        before = await _room(town)
        for how, event in _numberings(town, "stacks").items():
            for token in (None, town.key("r2").events):
                reply = await town.call(LOBBY, "recordGameEvent", event, token)
                assert not _was_recorded(reply), (how, reply)
            reply = await town.call(LOBBY, "recordGameEvent", event, town.key().events)
            assert not _was_recorded(reply), (how, reply)
        assert await _room(town) == before
        assert town.stored().last_sequence > last


def _was_recorded(reply: Reply) -> bool:
    return reply.depth is Depth.ANSWERED


class TestReplays:
    """A call that was recorded on its way."""

    async def test_without_its_header_it_is_refused(self, town: KeyedCasino) -> None:
        """The body alone is no right."""
        sent = town.wire.to("http://lobby/a2a/jsonrpc")
        deliveries = [one for one in sent if b"recordGameEvent" in one.body]
        assert deliveries
        for one in deliveries:
            assert one.token
            answer = await town.traffic.send(
                "POST", one.url, headers={"A2A-Version": "1.0"}, content=one.body
            )
            error = orjson.loads(answer.body)["error"]
            assert error["data"][0]["metadata"]["reason"] == "UNAUTHORIZED"

    async def test_with_it_nothing_happens_twice(self, town: KeyedCasino) -> None:
        """The lobby knows these events already."""
        before = await _room(town)
        for one in town.wire.to("http://lobby/a2a/jsonrpc"):
            if b"recordGameEvent" in one.body:
                answer = await town.traffic.send(
                    "POST", one.url, headers=dict(one.headers), content=one.body
                )
                assert "result" in orjson.loads(answer.body)
        assert await _room(town) == before

    async def test_at_a_table_it_ends_with_its_room(self, town: KeyedCasino) -> None:
        """The key that opened it opens nothing any more."""
        commands = [
            one
            for one in town.wire.to("http://tables/tables/1/")
            if b"startGame" in one.body or b"registerPlayer" in one.body
        ]
        assert len(commands) == 3
        await town.operator().post("/v1/rooms/r1/close")
        await town.until("r1", "closed")
        await town.play("r3", 1, "ada", "bob", maxHands=1)
        for one in commands:
            answer = await town.traffic.send(
                "POST", one.url, headers=dict(one.headers), content=one.body
            )
            error = orjson.loads(answer.body)["error"]
            assert error["data"][0]["metadata"]["reason"] == "FORBIDDEN"


class Loose(BaseModel, extra="allow"):
    """Any object."""


class DocumentTable:
    """A table that knows only the protocol document: it keeps the callback that it was given."""

    def __init__(self) -> None:
        self.configured: dict[str, Any] = {}
        self.seats: list[dict[str, Any]] = []

    def agent(self) -> KitAgent:
        """Return it as an agent."""
        agent = KitAgent("Document table", "Knows only the document.")

        @agent.entrypoint("configureTable", who=ANYONE)
        async def configure(given: Loose) -> Loose:
            self.configured = given.model_dump()
            return self.summary()

        @agent.entrypoint("registerPlayer", who=ANYONE)
        async def register(given: Loose) -> Loose:
            player = given.model_dump()
            seat = {
                "playerId": player["playerId"],
                "displayName": player["displayName"],
                "seatNumber": len(self.seats),
                "stack": player["startingStack"],
            }
            self.seats.append(seat)
            return Loose.model_validate(seat)

        @agent.entrypoint("tableSummary", who=ANYONE)
        async def summary(_given: Loose) -> Loose:
            return self.summary()

        return agent

    def summary(self) -> Loose:
        """Return a summary of the document."""
        told = {"tableId": "d1", "status": "waiting", "handCount": 0, "players": self.seats}
        return Loose.model_validate(told)


class TestPeersOfTheDocument:
    """They cannot show a token in a header: it stands in the address that they were given."""

    async def test_it_plays_on_and_others_cannot_guess_its_address(self) -> None:
        """Its events are recorded by the address alone."""
        async with keyed_town() as town:
            table = DocumentTable()
            card = town.agent("document", table.agent())
            town.player("ada")
            body = {"roomId": "d1", "tableAgentCardUrl": card, "config": RULES}
            opened = await town.operator().post("/v1/rooms", body)
            assert opened.status_code == 201, opened.text
            await town.operator().seat("ada", "d1")
            callback = table.configured["casinoCallback"]
            assert "secret" not in callback
            card_of_lobby = orjson.loads(
                (await town.traffic.send("GET", callback["agentCardUrl"])).body
            )
            url = card_of_lobby["supportedInterfaces"][0]["url"]
            assert url.startswith("http://lobby/t/")
            event = _event("stacks", "d1")
            for guess in (
                "http://lobby/a2a/jsonrpc",
                "http://lobby/t//a2a/jsonrpc",
                "http://lobby/t/guess/a2a/jsonrpc",
                url.replace(town.key("d1").events, town.key("d1").table),
                url.replace(town.key("d1").events, town.key("d1").events.upper()),
                url.replace(town.key("d1").events, town.key("d1").events[:-1]),
                url.replace(town.key("d1").events, town.seat_token("player-1", "d1")),
            ):
                assert await _recorded_at(town, guess, event) is False, guess
            before = town.stored("d1").last_sequence
            assert await _recorded_at(town, url, event) is True
            assert town.stored("d1").last_sequence == before + 1
            assert {agent.card_url for agent in town.stored("d1").agents.values()} == {
                "http://ada/.well-known/agent-card.json"
            }


async def _recorded_at(town: KeyedCasino, url: str, event: dict[str, Any]) -> bool:
    """Send an event to an address, with no token; tells whether it was recorded."""
    body = BINDINGS[0].body("recordGameEvent", event)
    answer = await town.traffic.send(
        "POST",
        url,
        headers={"A2A-Version": "1.0", "content-type": "application/json"},
        content=orjson.dumps(body),
    )
    return answer.status == 200 and "result" in orjson.loads(answer.body)
