"""Tables that know only the protocol document: what the lobby takes from them, and asks of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from casino_agentkit import ANYONE, Agent, Service
from casino_contracts import RoomSnapshot, TableSummary
from casino_lobby.store import MemoryStore
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs
from support.attack.forged_calls import RULES, Loose, OtherTable, forged_event
from support.casino.casino_side import CasinoHarness, Operator, casino_harness

FORWARDED = {"x-forwarded-for": "203.0.113.7"}


async def _invoke(
    http: httpx.AsyncClient, event: dict[str, Any], skill: str = "recordGameEvent", **headers: str
) -> int:
    """Send an event as clients of version 1.9 of the original's framework do, to the root."""
    reply = await http.post(f"/entrypoints/{skill}/invoke", json={"input": event}, headers=headers)
    return reply.status_code


async def _open(casino: CasinoHarness) -> httpx.Response:
    card = casino.agent("document", OtherTable().agent())
    body = {"roomId": "d1", "tableAgentCardUrl": card, "config": RULES}
    return await casino.http(casino.operator_key).post("/v1/rooms", json=body)


class TestEventsWithoutToken:
    async def test_a_lobby_without_a_key_takes_them(self) -> None:
        async with casino_harness(launch_tables=False) as casino, casino.http() as http:
            assert (await _open(casino)).status_code == 201
            assert await _invoke(http, forged_event("stacks", "d1")) == 200
            assert casino.stored("d1").last_sequence == 1

    @pytest.mark.parametrize(
        ("settings", "headers", "status"),
        [
            ({}, FORWARDED, 401),
            ({}, {"authorization": "Bearer guess"}, 403),
            ({"operator_token": "an-operator-key"}, {}, 401),
        ],
    )
    async def test_they_are_refused(
        self, settings: dict[str, Any], headers: dict[str, str], status: int
    ) -> None:
        """Through a proxy, with another token, and where there is an operator's key."""
        async with casino_harness(launch_tables=False, **settings) as casino, casino.http() as http:
            assert (await _open(casino)).status_code == 201
            assert await _invoke(http, forged_event("stacks", "d1"), **headers) == status
            assert casino.stored("d1").last_sequence == 0

    @pytest.mark.parametrize("key", [None, "an-operator-key"])
    async def test_in_a_delivery_of_several_tables_too(self, key: str | None) -> None:
        async with casino_harness(launch_tables=False, operator_token=key) as casino:
            assert (await _open(casino)).status_code == 201
            parts = [{"events": [forged_event("stacks", room_id)]} for room_id in ("d1", "d2")]
            reply = await casino.http().post(
                "/entrypoints/recordTableEvents/invoke", json={"input": {"tables": parts}}
            )
            own, other = reply.json()["output"]["tables"]
            assert other["refused"]["reason"] == "UNKNOWN_TABLE"
            if key is None:
                assert own == {"sequence": 1}
            else:
                assert own["refused"]["reason"] == "UNAUTHORIZED"
                assert casino.stored("d1").refused == {"UNAUTHORIZED": 1}

    async def test_a_table_with_a_key_sends_its_token(self) -> None:
        async with casino_harness(launch_tables=False) as casino, casino.http() as http:
            body = {"roomId": "r1", "tableAgentCardUrl": casino.table_card(), "config": RULES}
            assert (await http.post("/v1/rooms", json=body)).status_code == 201
            before = casino.stored().last_sequence
            assert await _invoke(http, forged_event("stacks")) == 401
            assert casino.stored().last_sequence == before


class OriginalTable:
    """A table as the original one: it starts at once, and its events say as little as they may.

    Every event is sent to the lobby's root, without a token.
    """

    def __init__(self, http: httpx.AsyncClient, table_id: str = "d1") -> None:
        self.table_id, self.status, self.hands = table_id, "waiting", 0
        self.event_skill = ""
        self.plays_before_reply: tuple[tuple[float, float], ...] = ()
        self.message = "Waiting."
        self.stacks: dict[str, float] = {}
        self.names: dict[str, str] = {}
        self.asked = 0
        self.refused: list[int] = []
        self._http = http
        self._playing: asyncio.Future[None] | None = None

    def agent(self) -> Agent:
        """Return the agent with the document's four entrypoints."""
        agent = Agent("Original table", "Knows only the document.")

        @agent.entrypoint("configureTable", who=ANYONE)
        async def configure(given: Loose) -> Loose:
            callback = given.model_dump()["casinoCallback"]
            card = (await self._http.get(callback["agentCardUrl"])).json()
            self.event_skill = callback["eventSkill"]
            assert self.event_skill in {skill["id"] for skill in card["skills"]}
            self.stacks, self.names, self.hands = {}, {}, 0
            await self.tell("table_status")
            return self.summary()

        @agent.entrypoint("registerPlayer", who=ANYONE)
        async def register(given: Loose) -> Loose:
            player = given.model_dump()
            player_id, stack = player["playerId"], player["startingStack"]
            self.stacks[player_id], self.names[player_id] = stack, player["displayName"]
            seat = {"playerId": player_id, "seatNumber": len(self.stacks) - 1, "stack": stack}
            await self.tell("player_registered", **seat)
            return Loose.model_validate({**seat, "displayName": player["displayName"]})

        @agent.entrypoint("startGame", who=ANYONE)
        async def start(_given: Loose) -> Loose:
            self.status, self.message = "running", "Playing."
            if self.plays_before_reply:
                self._playing = asyncio.ensure_future(self.play(*self.plays_before_reply))
                await asyncio.shield(self._playing)  # whoever asked may hang up
            return self.summary()

        @agent.entrypoint("tableSummary", who=ANYONE)
        async def summary(_given: Loose) -> Loose:
            self.asked += 1
            return self.summary()

        return agent

    def summary(self) -> Loose:
        seats = [
            {"playerId": key, "seatNumber": number, "displayName": self.names[key], "stack": stack}
            for number, (key, stack) in enumerate(self.stacks.items())
        ]
        told = {"tableId": self.table_id, "status": self.status, "handCount": self.hands}
        return Loose.model_validate({**told, "players": seats, "message": self.message})

    async def tell(self, kind: str, **payload: Any) -> None:
        event: dict[str, Any] = {
            "tableId": self.table_id,
            "eventType": kind,
            "message": kind,
            "timestamp": "now",
        }
        event |= {"payload": payload} if payload else {}
        status = await _invoke(self._http, event, self.event_skill)
        if status != 200:
            self.refused.append(status)

    async def play(self, *nets: tuple[float, float]) -> None:
        """Play hands with these nets; then the run is over, and no further event says so."""
        first, second = self.stacks
        await self.tell("hand_started", maxHands=len(nets))
        for net in nets:
            await self.tell("action_taken", playerId=first, bettingRound="preflop", pot=20)
            await self.tell("hand_completed", winner=second, amount=20)
            self.hands += 1
            self.stacks[first] += net[0]
            self.stacks[second] += net[1]
            await self.tell("hand_completed", communityCards=["8C"], handNumber=self.hands)
        await self.tell("hand_completed", handsPlayed=len(nets))
        await asyncio.sleep(20)  # virtual: the lobby asks meanwhile
        self.status, self.message = "idle", f"Completed {len(nets)} hands."


class InvokedOnly:
    """Serves an agent whose card offers nothing but the invoke profile, at an origin's root."""

    def __init__(self, agent: Agent, url: str) -> None:
        skills = [{"id": skill} for skill in agent.entrypoints]
        self._app = Service({"": agent}).asgi()
        self._card = JSONResponse({"name": "original", "url": f"{url}/", "skills": skills})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the card, and the agent's other paths."""
        is_card = scope["path"] == "/.well-known/agent-card.json"
        await (self._card if is_card else self._app)(scope, receive, send)


@asynccontextmanager
async def _seated(**lobby: Any) -> AsyncIterator[tuple[CasinoHarness, Operator, OriginalTable]]:
    """Give a casino whose room d1 has two players at an original table."""
    async with casino_harness(launch_tables=False, **lobby) as casino, casino.http() as http:
        table, operator = OriginalTable(http), Operator(casino)
        for name in ("ada", "bob"):
            casino.player(name)
        card = casino.agent("document", table.agent())
        body = {"roomId": "d1", "tableAgentCardUrl": card, "config": RULES}
        await operator.open_room(body)
        for name in ("ada", "bob"):
            assert (await operator.seat(name, "d1")).status_code == 201
        yield casino, operator, table


def _of(room: RoomSnapshot) -> TableSummary:
    assert room.summary is not None
    return room.summary


def _is(status: str, hands: int) -> Any:
    return lambda room: (_of(room).status, _of(room).hand_count) == (status, hands)


class TestSummaries:
    async def test_a_run_whose_events_say_little_ends_at_the_lobby(self) -> None:
        """Its hands count once each, with the names of the signup and the table's stacks."""
        async with _seated() as (casino, operator, table):
            assert (await operator.post("/v1/rooms/d1/start")).status_code == 202
            await operator.until(_is("running", 0), "d1")
            await table.play((-2, 2), (-4, 4), (0, 0))
            room = _of(await operator.until(_is("idle", 3), "d1"))
            assert [(seat.display_name, seat.stack) for seat in room.players] == [
                ("ada", 194),
                ("bob", 206),
            ]
            assert room.message == "Completed 3 hands."
            stored = casino.stored("d1")
            assert stored.ledger.balances == {
                "player:player-1": 194,
                "player:player-2": 206,
                "cashier": -400,
            }
            standings = (await operator.http.get("/v1/rooms/d1/standings")).json()
            assert [(line["displayName"], line["net"]) for line in standings["players"]] == [
                ("bob", 6),
                ("ada", -6),
            ]
            assert standings["hands"] == 3
            assert table.refused == []

    async def test_a_start_that_is_answered_at_the_end_of_the_run(self) -> None:
        """As the original does: longer than a call may take, and the session is running."""
        async with _seated() as (_, operator, table):
            table.plays_before_reply = (-2, 2), (-1, 1)
            started = await operator.post("/v1/rooms/d1/start")
            assert (started.status_code, started.json()["status"]) == (202, "running")
            room = _of(await operator.until(_is("idle", 2), "d1"))
            assert [seat.stack for seat in room.players] == [197, 203]

    async def test_an_idle_table_is_not_asked(self) -> None:
        async with _seated() as (_, operator, table):
            await operator.until(lambda _room: table.asked, "d1")
            await asyncio.sleep(10)
            asked = table.asked
            await asyncio.sleep(1000)
            assert table.asked == asked

    async def test_players_of_the_table_itself_sit_in_the_room_until_they_leave(self) -> None:
        async with _seated() as (casino, operator, table):
            table.stacks["guest"], table.names["guest"] = 150, "Guest"
            await table.tell("table_status")
            room = _of(await operator.until(lambda room: len(_of(room).players) == 3, "d1"))
            assert (room.players[2].display_name, room.players[2].stack) == ("Guest", 150)
            assert casino.stored("d1").ledger.balances["player:guest"] == 150
            del table.stacks["guest"]
            table.stacks["player-1"] += 150  # won from the guest
            await table.tell("hand_completed")
            room = _of(await operator.until(lambda room: len(_of(room).players) == 2, "d1"))
            assert [seat.stack for seat in room.players] == [350, 200]
            assert casino.stored("d1").ledger.balances == {
                "player:player-1": 350,
                "player:player-2": 200,
                "cashier": -550,
            }

    async def test_a_lobby_that_was_away_asks_what_has_happened(self) -> None:
        store = MemoryStore(1_000)
        async with _seated(store=store) as (casino, operator, table):
            assert (await operator.post("/v1/rooms/d1/start")).status_code == 202
        table.status, table.hands = "idle", 9
        table.stacks = {"player-1": 150, "player-2": 250}
        later = CasinoHarness(store=store, transport=casino.transport, launch_tables=False)
        async with later.lobby.running():
            room = _of(await Operator(later).until(_is("idle", 9), "d1"))
        assert [(seat.display_name, seat.stack) for seat in room.players] == [
            ("ada", 150),
            ("bob", 250),
        ]

    async def test_a_table_that_has_forgotten_its_room_ends_it(self) -> None:
        """It takes no seats over; the room says so."""
        async with _seated() as (_, operator, table):
            assert (await operator.post("/v1/rooms/d1/start")).status_code == 202
            table.table_id, table.status = "", "waiting"
            room = _of(await operator.until(lambda room: room.state == "failed", "d1"))
            assert (room.status, len(room.players)) == ("error", 2)
            assert room.message is not None
            assert "forgotten" in room.message


class TestTokenInTheSkill:
    """A client that drops the path of its callback sends the token in the event skill's name."""

    async def test_an_original_table_plays_under_an_operator_with_a_key(self) -> None:
        async with casino_harness(launch_tables=False, operator_token="an-operator-key") as casino:
            table, operator = OriginalTable(casino.http()), Operator(casino)
            casino.transport.apps["http://original"] = InvokedOnly(table.agent(), "http://original")
            body = {"tableAgentCardUrl": "http://original/.well-known/agent-card.json"}
            await operator.open_room({"roomId": "d1", "config": RULES, **body})
            assert table.event_skill == f"recordGameEvent.{casino.key('d1').events}"
            for name in ("ada", "bob"):
                casino.player(name)
                assert (await operator.seat(name, "d1")).status_code == 201
            assert (await operator.post("/v1/rooms/d1/start")).status_code == 202
            await table.play((-2, 2), (3, -3))
            room = _of(await operator.until(_is("idle", 2), "d1"))
            assert [(seat.display_name, seat.stack) for seat in room.players] == [
                ("ada", 201),
                ("bob", 199),
            ]
            assert table.refused == []
            for guess in ("", ".", ".guess", f".{casino.key('d1').table}"):
                skill = f"recordGameEvent{guess}"
                status = await _invoke(casino.http(), forged_event("stacks", "d1"), skill)
                assert status in {401, 403}, guess
            event = forged_event("stacks", "d1")
            skill = f"listRooms.{casino.key('d1').events}"  # no other skill takes a token so
            assert await _invoke(casino.http(), event, skill) == 404
            public = (await casino.http().get("/.well-known/agent-card.json")).json()
            assert {skill["id"] for skill in public["skills"] if "." in skill["id"]} == set()


class TestRefusedEvents:
    """A table whose events are refused is seen; a stranger's calls write nobody's message."""

    async def test_a_room_is_not_opened_on_a_table_that_cannot_send_its_token(self) -> None:
        async with casino_harness(launch_tables=False, operator_token="an-operator-key") as casino:
            table, operator = OriginalTable(casino.http()), Operator(casino)
            card = casino.agent("document", table.agent())
            body = {"roomId": "d1", "tableAgentCardUrl": card, "config": RULES}
            refused = await operator.post("/v1/rooms", body)
            assert (refused.status_code, table.refused) == (409, [401])
            assert refused.json()["reason"] == "TABLE_UNPROVEN"
            assert "operator key" in refused.json()["detail"]
            assert (await operator.http.get("/v1/rooms")).json()["rooms"] == []
            metrics = (await operator.http.get("/metrics")).text
            assert 'casino_events_refused_total{reason="UNAUTHORIZED"} 1.0' in metrics

    async def test_events_that_are_refused_later_are_the_rooms_message(self) -> None:
        async with casino_harness(launch_tables=False, operator_token="an-operator-key") as casino:
            operator = Operator(casino)
            assert (await _open(casino)).status_code == 201
            with capture_logs() as log:
                for _ in range(12):
                    assert await _invoke(casino.http(), forged_event("stacks", "d1")) == 401
            message = "the table's events are refused: UNAUTHORIZED (12)"
            assert _of(await operator.room("d1")).message == message
            (listed,) = (await operator.http.get("/v1/rooms")).json()["rooms"]
            assert listed["message"] == message
            lines = [line for line in log if line["event"] == "events_refused"]
            assert [line["calls"] for line in lines] == [1, 10]
            token = casino.key("d1").events
            taken = {"authorization": f"Bearer {token}"}
            assert await _invoke(casino.http(), forged_event("stacks", "d1"), **taken) == 200
            told = _of(await operator.room("d1")).message
            assert await _invoke(casino.http(), forged_event("stacks", "d1")) == 401
            assert _of(await operator.room("d1")).message == told

    async def test_a_stranger_changes_no_message_of_a_table_with_a_key(self) -> None:
        async with casino_harness(launch_tables=False, operator_token="an-operator-key") as casino:
            operator = Operator(casino)
            before = _of(await operator.open()).message
            assert await _invoke(casino.http(), forged_event("stacks")) == 401
            assert "refused" not in str(_of(await operator.room()).message)
            assert before is not None
