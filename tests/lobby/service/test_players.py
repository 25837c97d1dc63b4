"""Registration of players: invitation, then a seat at a real table."""

import asyncio
from typing import Any

import pytest
from casino_agentkit import ANYONE, Agent
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    PlayerSeat,
    SignupInvitation,
    SignupResponse,
    seat_token,
)
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_fold import begin_epoch
from support.casino.casino_side import CasinoHarness, Operator
from support.processes import run_until
from support.table.table_side import SOON, calling, seating


async def test_a_player_is_invited_and_seated(network: CasinoHarness, operator: Operator) -> None:
    await operator.open()
    network.player("ada", buyIn=300)
    reply = await operator.seat("ada", preferredSeat=4)
    assert reply.status_code == 201
    assert reply.json() == {
        "roomId": "r1",
        "playerId": "player-1",
        "seatNumber": 4,
        "displayName": "ada",
        "stack": 300,
    }
    (invitation,) = network.players["ada"].invited
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
        game_type="texas-holdem",
    )
    summary = (await operator.room()).summary
    assert summary is not None
    assert [seat.player_id for seat in summary.players] == ["player-1"]


async def test_a_guest_is_marked_and_keeps_its_clock(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open(maxActionTimeoutMs=30_000)
    network.player("ada", clockMs=90_000, playerType="human")
    network.player("bot", playerType="ai")
    network.player("old")
    replies = [(await operator.seat(name)).json() for name in ("ada", "bot", "old")]
    assert [reply.get("playerType") for reply in replies] == ["human", "ai", None]
    summary = (await operator.room()).summary
    assert summary is not None
    assert [seat.player_type for seat in summary.players] == ["human", "ai", None]
    room = network.store.room("r1")
    assert room is not None
    await run_until(lambda: len(room.reported_ids) == 3)
    seats, _ = begin_epoch(Room.from_json(room.to_json()))
    assert [(seat.clock_ms, seat.player_type) for seat in seats] == [
        (90_000, "human"),
        (None, "ai"),
        (None, None),
    ]


async def test_a_wrong_clock_is_refused_with_its_field(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open()
    agent = Agent("Odd", "Wants no time.")

    @agent.entrypoint("signup", who=ANYONE)
    async def signup(_invitation: SignupInvitation) -> dict[str, Any]:
        return {"displayName": "Odd", "clockMs": 0}

    network.agent("odd", agent)
    reply = (await operator.seat("odd")).json()
    assert reply["reason"] == "AGENT_CONTRACT_VIOLATION"
    assert "clockMs" in reply["detail"]


@pytest.mark.parametrize(
    ("buy_in", "stack"), [(39, 40), (0.5, 40), (40, 40), (400, 400), (400.5, 400), (2**53 - 1, 400)]
)
async def test_a_buy_in_is_limited_to_what_the_room_allows(
    network: CasinoHarness, operator: Operator, buy_in: float, stack: int
) -> None:
    """The reply and the room state the stack."""
    await operator.open()
    network.player("ada", buyIn=buy_in)
    reply = await operator.seat("ada")
    assert reply.status_code == 201, reply.text
    assert reply.json()["stack"] == stack
    summary = (await operator.room()).summary
    assert summary is not None
    assert [seat.stack for seat in summary.players] == [stack]


async def test_a_buy_in_of_parts_of_a_chip_is_refused(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open()
    network.player("ada", buyIn=99.5)
    reply = await operator.seat("ada")
    assert (reply.status_code, reply.json()["reason"]) == (422, "INVALID_AMOUNT")


async def test_a_seat_that_the_room_does_not_have_is_refused(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open(maxSeats=3)
    network.player("ada")
    refused = await operator.seat("ada", preferredSeat=3)
    assert (refused.status_code, refused.json()["reason"]) == (422, "SEAT_OUT_OF_RANGE")
    assert refused.json()["errors"] == [{"pointer": "#/preferredSeat", "detail": "must be 0 to 2"}]
    assert network.players["ada"].invited == []
    for expected in (2, 0):
        assert (await operator.seat("ada", preferredSeat=2)).json()["seatNumber"] == expected


async def test_an_agent_that_refuses_is_quoted(network: CasinoHarness, operator: Operator) -> None:
    await operator.open()
    agent = Agent("No", "Refuses.")

    @agent.entrypoint("signup", who=ANYONE)
    async def signup(_invitation: SignupInvitation) -> SignupResponse:
        answer: Any = {"displayName": ""}
        return answer  # type: ignore[no-any-return]

    network.agent("no", agent)
    reply = await operator.seat("no")
    assert reply.json()["reason"] == "AGENT_REFUSED"
    assert "the fault is not in the call" in reply.json()["detail"]


async def test_other_skill_names_are_used(network: CasinoHarness, operator: Operator) -> None:
    """The skill of the registration precedes that of the signup, which precedes `act`."""
    await operator.open(maxSeats=2, maxHands=1)
    called: list[str] = []
    agent = Agent("Odd", "Has other names.")

    @agent.entrypoint("join", who=ANYONE)
    async def join(_invitation: SignupInvitation) -> SignupResponse:
        return SignupResponse(display_name="Odd", action_skill="play")

    for skill in ("play", "move"):

        @agent.entrypoint(skill, who=ANYONE)
        async def decide(request: ActionRequest, _skill: str = skill) -> ActionResponse:
            called.append(_skill)
            return calling(request)

    network.agent("odd", agent)
    await operator.seat("odd", signupSkill="join")
    await operator.seat("odd", signupSkill="join", actionSkill="move")
    await operator.idle_room()
    assert set(called) == {"play", "move"}


async def test_a_full_room_starts_once_and_refuses_other_players(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open(maxHands=5)
    for number in range(50):
        network.player(f"bot{number}")
    replies = await asyncio.gather(*(operator.seat(f"bot{n}") for n in range(50)))
    seated = [reply.json()["seatNumber"] for reply in replies if reply.status_code == 201]
    refused = [reply.json() for reply in replies if reply.status_code != 201]
    assert sorted(seated) == [0, 1, 2, 3, 4, 5]
    assert {problem["type"] for problem in refused} == {"/problems/room-full"}
    assert len(refused) == 44
    room = await operator.idle_room()
    started = [e for e in room.events if (e.payload or {}).get("kind") == "started"]
    assert len(started) == 1
    assert room.summary is not None
    assert room.summary.hand_count == 5
    assert sum(seat.stack for seat in room.summary.players) == 1200


async def test_a_player_that_registered_at_the_table_plays(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open(maxSeats=2, maxHands=3)
    network.player("ada")
    card = network.player("direct")
    await operator.seat("ada")
    summary = (await operator.http.get("/v1/rooms")).json()["rooms"][0]
    table = await network.a2a().resolve(summary["tableAgentCardUrl"], timeout=SOON)
    joining = seating(7, card, playerId="direct-1", displayName="Direct")
    token = network.key().table
    await table.call("registerPlayer", joining, PlayerSeat, timeout=SOON, token=token)
    room = await operator.idle_room()
    assert room.summary is not None
    assert {seat.player_id for seat in room.summary.players} == {"player-1", "direct-1"}
    assert room.summary.hand_count == 3
    assert network.players["direct"].asked
    assert "http://direct" not in room.model_dump_json()


async def test_a_player_id_in_use_at_the_table_is_skipped(
    network: CasinoHarness, operator: Operator
) -> None:
    await operator.open()
    card = network.player("direct")
    table = await network.a2a().resolve(network.table_card(), timeout=SOON)
    joining = seating(7, card, playerId="player-1")
    token = network.key().table
    await table.call("registerPlayer", joining, PlayerSeat, timeout=SOON, token=token)
    network.player("ada")
    assert (await operator.seat("ada")).json()["playerId"] == "player-2"
