"""The use cases of the lobby, with real tables and players in one process."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent, RemoteRefused
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    CreateRoomInput,
    NoInput,
    PlayerSeat,
    RecordGameEventOutput,
    RegisteredPlayer,
    RegisterPlayerInput,
    RoomList,
    RoomSnapshot,
    SignupInvitation,
    SignupResponse,
    StartRoomInput,
    TableEvent,
    TableEventBatch,
    TableSummary,
    seat_token,
)
from casino_lobby.store import MemoryStore
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_town
from support.table.table_side import CONFIG, SOON, calling, seating


@pytest.fixture
async def town() -> AsyncIterator[CasinoHarness]:
    """Run a casino."""
    async with casino_town() as town:
        yield town


@pytest.fixture
def operator(town: CasinoHarness) -> Operator:
    """Drive it."""
    return Operator(town)


async def until_idle(operator: Operator, room_id: str = "r1") -> RoomSnapshot:
    """Wait for the end of a session."""
    while True:
        room = await operator.room(room_id)
        assert room.summary is not None
        if room.summary.status == "idle":
            return room
        await asyncio.sleep(0)


class TestRooms:
    """Opening and closing."""

    async def test_a_room_is_open_when_its_table_is_configured(self, operator: Operator) -> None:
        """And the first event is not lost, though it comes before the answer."""
        room = await operator.open()
        assert (room.table_id, room.game_type, room.state) == ("r1", "texas-holdem", None)
        assert room.table_base_url == "http://tables/tables/1"
        while not (room := await operator.room()).events:
            await asyncio.sleep(0)
        assert room.events[0].payload == {"status": "waiting", "kind": "configured", "handCount": 0}
        assert room.config.seed is None

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"roomId": "r1"}, "ROOM_EXISTS"),
            ({"tableId": "r1"}, "TABLE_ID_TAKEN"),
            ({"table": 1}, "TABLE_IN_USE"),
        ],
    )
    async def test_nothing_is_taken_from_a_live_room(
        self, town: CasinoHarness, operator: Operator, change: dict[str, Any], reason: str
    ) -> None:
        """Not its name, not its table."""
        await operator.open()
        table = change.pop("table", 2)
        body = {"roomId": "r2", "tableAgentCardUrl": town.table_card(table), "config": CONFIG}
        reply = await operator.post("/v1/rooms", {**body, **change})
        assert (reply.status_code, reply.json()["reason"]) == (409, reason)
        assert len((await operator.http.get("/v1/rooms")).json()["rooms"]) == 1

    async def test_rooms_of_one_name_at_the_same_time_are_one(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """Whoever was quicker has it, and its table."""
        body = {"roomId": "r1", "config": CONFIG}
        replies = await asyncio.gather(
            *(
                operator.post("/v1/rooms", {**body, "tableAgentCardUrl": town.table_card(n)})
                for n in (1, 2, 3)
            ),
            operator.post(
                "/v1/rooms",
                {"roomId": "r4", "config": CONFIG, "tableAgentCardUrl": town.table_card(1)},
            ),
        )
        assert sorted(reply.status_code for reply in replies) in (
            [201, 409, 409, 409],
            [201, 201, 409, 409],
        )
        rooms = (await operator.http.get("/v1/rooms")).json()["rooms"]
        assert len({room["tableAgentCardUrl"] for room in rooms}) == len(rooms)

    async def test_a_failed_opening_leaves_nothing(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """The name is free again."""
        body = {"roomId": "r1", "tableAgentCardUrl": "http://nobody/", "config": CONFIG}
        reply = await operator.post("/v1/rooms", body)
        assert (reply.status_code, reply.json()["reason"]) == (502, "AGENT_UNREACHABLE")
        assert (await operator.http.get("/v1/rooms/r1")).status_code == 404
        player = town.player("ada")
        body["tableAgentCardUrl"] = player
        reply = await operator.post("/v1/rooms", body)
        assert reply.json()["reason"] == "AGENT_CONTRACT_VIOLATION"
        await operator.open()

    async def test_a_game_that_the_table_does_not_know(self, town: CasinoHarness) -> None:
        """The table's refusal keeps its field."""
        operator = Operator(town)
        body = {
            "tableAgentCardUrl": town.table_card(),
            "config": CONFIG,
            "gameType": "texas-holdem",
            "gameConfig": {"jokers": 2},
        }
        reply = await operator.post("/v1/rooms", body)
        assert reply.status_code == 422
        assert reply.json()["errors"][0]["pointer"] == "#/gameConfig/jokers"

    async def test_names_are_given_where_none_is_wished(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """And the table has the room's."""
        body = {"tableAgentCardUrl": town.table_card(), "config": CONFIG}
        room = (await operator.post("/v1/rooms", body)).json()
        assert room["roomId"] == room["tableId"] == "room-1"

    async def test_closing_finishes_the_hand(self, town: CasinoHarness, operator: Operator) -> None:
        """Then the room is closed, and its table is free."""
        await operator.open(maxSeats=2, maxHands=100_000)
        for name in ("ada", "bob"):
            town.player(name)
            await operator.seat(name)
        while not (await operator.room()).summary.hand_count:  # type: ignore[union-attr]
            await asyncio.sleep(0)
        reply = await operator.http.delete("/v1/rooms/r1")
        assert (reply.status_code, reply.json()["state"]) == (202, "closing")
        again = await operator.seat("ada")
        assert (again.status_code, again.json()["reason"]) == (409, "ROOM_CLOSED")
        while (room := await operator.room()).state != "closed":
            await asyncio.sleep(0)
        kinds = [event.event_type for event in room.events]
        assert kinds.count("hand_started") == kinds.count("hand_completed") or len(kinds) == 200
        await operator.open("r2")

    async def test_a_room_named_after_a_closed_one_is_refused(self, operator: Operator) -> None:
        """Its record is still there."""
        await operator.open()
        await operator.http.delete("/v1/rooms/r1")
        while (await operator.room()).state != "closed":
            await asyncio.sleep(0)
        body = {"roomId": "r1", "config": CONFIG}
        assert (await operator.post("/v1/rooms", body)).status_code == 409


class TestRegistration:
    """Signup, then a seat."""

    async def test_a_player_is_invited_and_seated(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """With the invitation of the protocol document."""
        await operator.open()
        town.player("ada", buyIn=300)
        reply = await operator.seat("ada", preferredSeat=4)
        assert reply.status_code == 201
        assert reply.json() == {
            "roomId": "r1",
            "playerId": "player-1",
            "seatNumber": 4,
            "displayName": "ada",
            "stack": 300,
        }
        (invitation,) = town.players["ada"].invited
        assert invitation == SignupInvitation(
            casino_name="A2A Casino",
            table_id="r1",
            room_id="r1",
            min_buy_in=40,
            max_buy_in=400,
            player_id="player-1",
            seat_token=seat_token("secret", "player-1"),
            small_blind=1,
            big_blind=2,
        )
        summary = (await operator.room()).summary
        assert summary is not None
        assert [seat.player_id for seat in summary.players] == ["player-1"]

    @pytest.mark.parametrize(
        ("buy_in", "reason"), [(39, "BUY_IN_OUT_OF_RANGE"), (99.5, "INVALID_AMOUNT")]
    )
    async def test_a_wrong_buy_in_is_refused(
        self, town: CasinoHarness, operator: Operator, buy_in: float, reason: str
    ) -> None:
        """By the lobby already."""
        await operator.open()
        town.player("ada", buyIn=buy_in)
        reply = await operator.seat("ada")
        assert (reply.status_code, reply.json()["reason"]) == (422, reason)

    async def test_an_agent_that_refuses_is_quoted(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """Its reason, not ours."""
        await operator.open()
        agent = Agent("No", "Refuses.")

        @agent.entrypoint("signup", who=ANYONE)
        async def signup(_invitation: SignupInvitation) -> SignupResponse:
            """Refuse by a wrong answer."""
            answer: Any = {"displayName": ""}
            return answer  # type: ignore[no-any-return]

        town.agent("no", agent)
        reply = await operator.seat("no")
        assert reply.json()["reason"] == "AGENT_REFUSED"
        assert "the fault is not in the call" in reply.json()["detail"]

    async def test_other_skill_names_are_used(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """The registration's wish before the signup's, and that before `act`."""
        await operator.open(maxSeats=2, maxHands=1)
        asked: list[str] = []
        agent = Agent("Odd", "Has other names.")

        @agent.entrypoint("join", who=ANYONE)
        async def join(_invitation: SignupInvitation) -> SignupResponse:
            return SignupResponse(display_name="Odd", action_skill="play")

        for skill in ("play", "move"):

            @agent.entrypoint(skill, who=ANYONE)
            async def decide(request: ActionRequest, _skill: str = skill) -> ActionResponse:
                asked.append(_skill)
                return calling(request)

        town.agent("odd", agent)
        await operator.seat("odd", signupSkill="join")
        await operator.seat("odd", signupSkill="join", actionSkill="move")
        await until_idle(operator)
        assert set(asked) == {"play", "move"}

    async def test_a_full_room_starts_exactly_once_and_refuses_the_rest(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """Fifty at once for six seats."""
        await operator.open(maxHands=5)
        for number in range(50):
            town.player(f"bot{number}")
        replies = await asyncio.gather(*(operator.seat(f"bot{n}") for n in range(50)))
        seated = [reply.json()["seatNumber"] for reply in replies if reply.status_code == 201]
        refused = [reply.json() for reply in replies if reply.status_code != 201]
        assert sorted(seated) == [0, 1, 2, 3, 4, 5]
        assert {problem["type"] for problem in refused} == {"/problems/room-full"}
        assert len(refused) == 44
        room = await until_idle(operator)
        started = [e for e in room.events if (e.payload or {}).get("kind") == "started"]
        assert len(started) == 1
        assert room.summary is not None
        assert room.summary.hand_count == 5
        assert sum(seat.stack for seat in room.summary.players) == 1200

    async def test_a_player_that_the_table_seated_itself_plays(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """The lobby learns of it and counts it for the start."""
        await operator.open(maxSeats=2, maxHands=3)
        town.player("ada")
        card = town.player("direct")
        await operator.seat("ada")
        summary = (await operator.http.get("/v1/rooms")).json()["rooms"][0]
        table = await town.a2a().resolve(summary["tableAgentCardUrl"], timeout=SOON)
        joining = seating(7, card, playerId="stranger", displayName="Stranger")
        right = town.key().table
        await table.call("registerPlayer", joining, PlayerSeat, timeout=SOON, token=right)
        room = await until_idle(operator)
        assert room.summary is not None
        assert {seat.player_id for seat in room.summary.players} == {"player-1", "stranger"}
        assert room.summary.hand_count == 3
        assert town.players["direct"].asked
        assert "http://direct" not in room.model_dump_json()

    async def test_a_name_taken_at_the_table_is_passed_over(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """The lobby tries the next id."""
        await operator.open()
        card = town.player("direct")
        table = await town.a2a().resolve(town.table_card(), timeout=SOON)
        joining = seating(7, card, playerId="player-1")
        right = town.key().table
        await table.call("registerPlayer", joining, PlayerSeat, timeout=SOON, token=right)
        town.player("ada")
        assert (await operator.seat("ada")).json()["playerId"] == "player-2"


class TestSessions:
    """Starting and running."""

    async def test_start_answers_at_once_with_running(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """With overrides, nested or flat."""
        await operator.open()
        for name in ("ada", "bob"):
            town.player(name)
            await operator.seat(name)
        reply = await operator.post("/v1/rooms/r1/start", {"maxHands": 2, "bigBlind": 4})
        assert (reply.status_code, reply.json()["status"]) == (202, "running")
        room = await until_idle(operator)
        assert room.summary is not None
        assert room.summary.hand_count == 2
        again = await operator.post("/v1/rooms/r1/start", {"overrides": {"maxHands": 1}})
        assert again.status_code == 202
        room = await until_idle(operator)
        assert room.summary is not None
        assert room.summary.hand_count == 3

    async def test_too_few_players(self, town: CasinoHarness, operator: Operator) -> None:
        """A failed start changes nothing."""
        await operator.open()
        town.player("ada")
        await operator.seat("ada")
        reply = await operator.post("/v1/rooms/r1/start")
        assert (reply.status_code, reply.json()["type"]) == (409, "/problems/not-enough-players")
        town.player("bob")
        await operator.seat("bob")
        assert (await operator.post("/v1/rooms/r1/start")).status_code == 202

    async def test_two_starts_are_one_session(
        self, town: CasinoHarness, operator: Operator
    ) -> None:
        """The second is told that it plays."""
        await operator.open(maxHands=100)
        for name in ("ada", "bob"):
            town.player(name)
            await operator.seat(name)
        replies = await asyncio.gather(*(operator.post("/v1/rooms/r1/start") for _ in range(5)))
        assert sorted(reply.status_code for reply in replies) == [202, 409, 409, 409, 409]


class TestIdempotency:
    """The same requestId gets the same answer and nothing twice."""

    async def test_every_command(self, town: CasinoHarness) -> None:
        """Over A2A, asked twice."""
        lobby = await town.a2a().resolve(LOBBY, timeout=SOON)
        create = CreateRoomInput.model_validate(
            {"config": CONFIG, "tableAgentCardUrl": town.table_card(), "requestId": "c"}
        )
        rooms = [await lobby.call("createRoom", create, RoomSnapshot, timeout=SOON) for _ in "12"]
        assert rooms[0].room_id == rooms[1].room_id
        for name in ("ada", "bob"):
            card = town.player(name)
            register = RegisterPlayerInput(
                room_id=rooms[0].room_id, agent_card_url=card, request_id=name
            )
            seats = await asyncio.gather(
                *(
                    lobby.call("registerPlayer", register, RegisteredPlayer, timeout=SOON)
                    for _ in range(3)
                )
            )
            assert len({seat.seat_number for seat in seats}) == 1
            assert len(town.players[name].invited) == 1
        start = StartRoomInput(room_id=rooms[0].room_id, request_id="s")
        for _ in range(2):
            summary = await lobby.call("startRoom", start, TableSummary, timeout=SOON)
            assert summary.status == "running"
        listed = await lobby.call("listRooms", NoInput(), RoomList, timeout=SOON)
        assert len(listed.rooms) == 1
        assert listed.rooms[0].player_count == 2


class TestEvents:
    """Each once, in order, from the table that reigns."""

    @staticmethod
    def event(sequence: int | None, message: str = "m", **more: Any) -> TableEvent:
        """Return an event of table r1."""
        return TableEvent.model_validate(
            {
                "tableId": "r1",
                "eventType": "table_status",
                "message": message,
                "timestamp": "now",
                "sequence": sequence,
                "epoch": 1,
                **more,
            }
        )

    @pytest.fixture
    async def lobby(self, town: CasinoHarness, operator: Operator) -> Any:
        """Open a room whose table has told its first event; returns a call of recordGameEvent."""
        await operator.open()
        while not (await operator.room()).events:
            await asyncio.sleep(0)
        peer = await town.a2a().resolve(LOBBY, timeout=SOON)

        async def record(*events: TableEvent) -> int | None:
            given: Any = events[0] if len(events) == 1 else TableEventBatch(events=events)
            right = town.key(epoch=events[0].epoch).events
            reply = await peer.call(
                "recordGameEvent", given, RecordGameEventOutput, timeout=SOON, token=right
            )
            return reply.sequence

        return record

    async def test_new_events_are_taken_in_order(self, lobby: Any) -> None:
        """One, or a batch."""
        assert await lobby(self.event(2)) == 2
        assert await lobby(self.event(3), self.event(4), self.event(5)) == 5

    async def test_known_events_are_ignored(self, lobby: Any, operator: Operator) -> None:
        """Delivered at least once, recorded exactly once."""
        batch = [self.event(2), self.event(3)]
        assert await lobby(*batch) == 3
        assert await lobby(*batch, self.event(4)) == 4
        page = (await operator.http.get("/v1/rooms/r1/events")).json()
        assert [event["sequence"] for event in page["events"]] == [1, 2, 3, 4]

    @pytest.mark.parametrize(
        ("events", "reason"),
        [
            ([event(2), event(3, "other")], "SEQUENCE_CONFLICT"),
            ([event(9)], "SEQUENCE_GAP"),
            ([event(4), event(6)], "SEQUENCE_GAP"),
            ([event(4, epoch=2)], "STALE_EPOCH"),
            ([event(4, tableId="nobody's")], "UNKNOWN_TABLE"),
            ([event(4), event(5, tableId="r2")], "UNKNOWN_TABLE"),
        ],
    )
    async def test_what_does_not_fit_is_refused_whole(
        self, lobby: Any, operator: Operator, events: list[TableEvent], reason: str
    ) -> None:
        """Nothing of the batch is taken."""
        await lobby(self.event(2), self.event(3))
        with pytest.raises(RemoteRefused) as refused:
            await lobby(*events)
        assert refused.value.reason == reason
        if reason == "SEQUENCE_GAP":
            assert refused.value.details["wanted"] in {"4", "5"}
        page = (await operator.http.get("/v1/rooms/r1/events")).json()
        assert page["lastSequence"] == 3

    async def test_a_table_that_numbers_its_events_numbers_all_of_them(self, lobby: Any) -> None:
        """An event without a number could be put between its own."""
        for event in (self.event(None), self.event(2, epoch=None), self.event(None, epoch=None)):
            with pytest.raises(RemoteRefused) as refused:
                await lobby(event)
            assert refused.value.reason == "SEQUENCE_MISSING"
        assert await lobby(self.event(2)) == 2

    async def test_a_peer_without_our_fields_is_numbered_by_arrival(
        self, lobby: Any, town: CasinoHarness, operator: Operator
    ) -> None:
        """It knows only the protocol document."""
        room = town.store.room("r1")
        assert room is not None
        room.is_keyed = False
        plain = self.event(None, epoch=None)
        assert await lobby(plain) == 2
        assert await lobby(plain) == 3
        page = (await operator.http.get("/v1/rooms/r1/events?after=1")).json()
        assert [(event["sequence"], event["epoch"]) for event in page["events"]] == [(2, 1), (3, 1)]

    async def test_events_come_in_pages(self, lobby: Any, operator: Operator) -> None:
        """After a sequence, so many at once."""
        await lobby(*(self.event(number) for number in range(2, 12)))
        page = (await operator.http.get("/v1/rooms/r1/events?after=3&limit=4")).json()
        assert [event["sequence"] for event in page["events"]] == [4, 5, 6, 7]
        assert page["lastSequence"] == 7
        page = (await operator.http.get("/v1/rooms/r1/events?after=11")).json()
        assert (page["events"], page["lastSequence"]) == ([], 11)


class TestDraining:
    """A closing casino takes no more commands."""

    async def test_commands_are_refused(self, town: CasinoHarness, operator: Operator) -> None:
        """With 503; reading still works."""
        await operator.open()
        await town.lobby.drain()
        for path in ("/v1/rooms", "/v1/rooms/r1/players", "/v1/rooms/r1/start"):
            body: dict[str, Any] = {"config": CONFIG} if path == "/v1/rooms" else {}
            body |= {"agentCardUrl": "http://x"} if path.endswith("players") else {}
            reply = await operator.post(path, body)
            assert (reply.status_code, reply.json()["reason"]) == (503, "DRAINING")
        assert (await operator.http.get("/v1/rooms/r1")).status_code == 200


async def test_a_seat_that_was_given_before_a_crash_is_not_given_again() -> None:
    """The lobby ended between the table's seat and its own answer; the player is away since."""
    store = MemoryStore(1000)
    town = CasinoHarness(store=store)
    async with town.tables.running(), town.lobby.running():
        operator = Operator(town)
        await operator.open()
        body, key = {"agentCardUrl": town.player("ada")}, {"Idempotency-Key": "k"}
        path = "/v1/rooms/r1/players"
        first = await operator.http.post(path, json=body, headers=key)
        assert first.status_code == 201
        (name,) = [name for name in store._commands if name.startswith("registerPlayer")]
        store._commands[name] = replace(store._commands[name], answer=None)
        anew = CasinoHarness(store=store)
        anew.transport.apps["http://tables"] = town.transport.apps["http://tables"]
        async with anew.lobby.running():
            while await store.pending():
                await asyncio.sleep(0)
            again = await anew.http().post(path, json=body, headers=key)
            assert again.json() == first.json()
            summary = (await Operator(anew).room()).summary
            assert summary is not None
            assert [seat.player_id for seat in summary.players] == ["player-1"]
