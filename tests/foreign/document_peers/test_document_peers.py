"""Peers written from the protocol's document alone play with ours, in all combinations.

Ours are real processes. The peers use nothing but Python's standard library: what the wires and the
document say is all they know. One of their tables plays as the original's did.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
import pytest_asyncio
from foreign.document_peers import shapes
from foreign.document_peers.document_agent import DocumentAgent, serving
from foreign.document_peers.lobby import DocumentLobby
from foreign.document_peers.player import DocumentPlayer, calling, varied
from foreign.document_peers.table import DocumentTable, Play
from foreign.document_peers.table_play import play_as_the_original, play_plainly
from foreign.document_peers.wires import WIRES, Wire
from support.casino.casino import ProcessCasino, path_of, process, process_casino
from support.processes import eventually

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="module"),
]

HANDS = 30
CONFIG: dict[str, Any] = {
    "startingStack": 20_000,
    "smallBlind": 1,
    "bigBlind": 2,
    "minBuyIn": 1_000,
    "maxBuyIn": 40_000,
    "maxHands": HANDS,
    "maxSeats": 2,
    "seed": "documents",  # nobody is out before the last hand
}
OUR_NAMES = ["Caller", "Tight"]


class Table(NamedTuple):
    """How a document table plays, and when it answers `startGame`."""

    play: Play
    answers_late: bool


TABLES = {
    "answers at once": Table(play_plainly, answers_late=False),
    "answers late": Table(play_plainly, answers_late=True),
    "the original's": Table(play_as_the_original, answers_late=True),
}


class Ours(NamedTuple):
    """A casino of ours, and the cards of two players."""

    casino: ProcessCasino
    players: list[str]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ours() -> AsyncIterator[Ours]:
    """Run a lobby, which launches tables, and two players, each at the root of an origin."""
    async with process_casino() as casino:
        players = [await casino.sample(name.lower(), name=name) for name in OUR_NAMES]
        yield Ours(casino, [player.cards[0] for player in players])


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]()


@contextmanager
def document_players(wire: Wire, table: Table | None = None) -> Iterator[list[DocumentPlayer]]:
    """Serve two document players; one names its own action skill and buy-in."""
    is_original = table is not None and table.play is play_as_the_original
    question = shapes.ORIGINAL_REQUEST if is_original else shapes.ACTION_REQUEST
    players = [
        DocumentPlayer("Plain", wire, calling, question=question),
        DocumentPlayer(
            "Müller's bot", wire, varied, action_skill="decide", buy_in=10_000, question=question
        ),
    ]
    with serving(*players):
        yield players
    assert violations(*players) == []
    assert all(player.asked > HANDS for player in players)


@contextmanager
def document_table(wire: Wire, table: Table) -> Iterator[DocumentTable]:
    """Serve a document table until its game is over."""
    agent = DocumentTable(wire, table.play, seed=7, answers_late=table.answers_late)
    with serving(agent):
        yield agent
        agent.join()
    assert violations(agent) == []
    assert agent.hands == HANDS
    assert sum(agent.stacks.values()) == pytest.approx(agent.brought_in, rel=1e-12)


def violations(*agents: DocumentAgent) -> list[str]:
    """Return what these peers have noted, at most the first ten."""
    return [violation for agent in agents for violation in agent.violations][:10]


def ask(agent: DocumentAgent, skill: str, **data: Any) -> asyncio.Future[dict[str, Any]]:
    """Call a document peer as an operator does, without blocking this loop."""
    return asyncio.ensure_future(asyncio.to_thread(agent.call, agent.card_url, skill, data))


async def play_at_document_lobby(
    lobby: DocumentLobby, room_id: str, table: str, players: list[str], names: list[str]
) -> list[dict[str, Any]]:
    """Play a room of a document lobby to its end; the last seat starts it. Returns its seats."""
    await ask(lobby, "createRoom", roomId=room_id, tableAgentCardUrl=table, config=CONFIG)
    for card in players:
        await ask(lobby, "registerPlayer", roomId=room_id, agentCardUrl=card)

    async def ended() -> dict[str, Any] | None:
        summary = await asyncio.to_thread(lobby.summary, room_id)
        is_over = summary["status"] != "running" and summary["handCount"] == HANDS
        return summary if is_over else None

    summary = await eventually(ended)
    assert summary is not None
    assert summary["status"] == "idle"
    room = lobby.rooms[room_id]
    seats: list[dict[str, Any]] = summary["players"]
    assert [seat["displayName"] for seat in seats] == names
    assert sum(seat["stack"] for seat in seats) == room.bought_in

    async def are_told() -> bool:  # behind all events of the table's room before
        kinds = [event["eventType"] for event in room.events]
        assert "table_error" not in kinds
        return kinds.count("player_registered") == len(players)

    await eventually(are_told)
    return seats


async def test_a_document_lobby_with_our_table(wire: Wire, ours: Ours) -> None:
    """Two rooms at one table, one after the other: of its own players, and of ours.

    Ours sit without a token, which the document does not have. The second room finds the table
    reset: the seats of the first are given back.
    """
    lobby = DocumentLobby(wire)
    async with process("table", "casino_table", ["--port", "0"]) as table:
        with serving(lobby):
            with document_players(wire) as players:
                cards = [player.card_url for player in players]
                names = [player.name for player in players]
                seats = await play_at_document_lobby(lobby, "theirs", table.cards[0], cards, names)
            await play_at_document_lobby(lobby, "ours", table.cards[0], ours.players, OUR_NAMES)

            async def is_told() -> bool:
                return all(room.hands() == HANDS for room in lobby.rooms.values())

            await eventually(is_told)
    assert violations(lobby) == []
    first, second = (lobby.rooms[room_id].events for room_id in ("theirs", "ours"))
    left = [event["payload"] for event in first if event["payload"].get("kind") == "left"]
    assert {seat["playerId"]: seat["stack"] for seat in left} == {
        seat["playerId"]: seat["stack"] for seat in seats
    }
    # By our own additional field every event was taken once and in order.
    sequences = [event["sequence"] for event in (*first, *second)]
    assert sequences == list(range(1, len(sequences) + 1))
    taken = [event["payload"] for event in first if event["eventType"] == "action_taken"]
    assert {payload["outcome"] for payload in taken} == {"ok"}
    assert {payload["action"] for payload in taken} >= {"check", "call", "raise", "bet"}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
async def test_a_document_lobby_with_a_document_table(wire: Wire, table: Table, ours: Ours) -> None:
    lobby = DocumentLobby(wire, follows_hands=table.play is play_plainly)
    with serving(lobby), document_players(wire, table) as players:
        cards = [player.card_url for player in players]
        with document_table(wire, table) as agent:
            await play_at_document_lobby(
                lobby, "theirs", agent.card_url, cards, [player.name for player in players]
            )
        with document_table(wire, table) as agent:
            await play_at_document_lobby(lobby, "ours", agent.card_url, ours.players, OUR_NAMES)
    assert violations(lobby) == []


async def play_at_our_lobby(
    casino: ProcessCasino, room_id: str, players: list[str], names: list[str], **room: Any
) -> dict[str, float]:
    """Play a room of our lobby until it is idle; returns the stacks there, by player id."""
    config = {**CONFIG, "maxSeats": len(players)}
    await casino.open_room({"roomId": room_id, "config": config, **room})
    for card in players:
        reply = await casino.seat(card, room_id)
        assert reply.status_code == 201, reply.text
    return await stacks_at_the_end(casino, room_id, names)


async def stacks_at_the_end(
    casino: ProcessCasino, room_id: str, names: list[str]
) -> dict[str, float]:
    """Return the stacks at our lobby once a room has played its hands, by player id."""

    async def is_over() -> bool:
        summary = (await casino.room(room_id)).summary
        return summary is not None and (summary.status, summary.hand_count) == ("idle", HANDS)

    try:
        await eventually(is_over)
    except TimeoutError:
        pytest.fail(f"the room at the end: {(await casino.room(room_id)).summary}")
    assert "table_error" not in {event.event_type for event in await casino.events(room_id)}
    summary = (await casino.room(room_id)).summary
    assert summary is not None
    assert [seat.display_name for seat in summary.players] == names
    stacks = {seat.player_id: seat.stack for seat in summary.players}
    standings = (await casino.http.get(f"{path_of(room_id)}/standings")).json()["players"]
    assert {line["playerId"]: line["stack"] for line in standings} == stacks
    return stacks


async def test_our_lobby_and_table_with_document_players(wire: Wire, ours: Ours) -> None:
    with document_players(wire) as players:
        room_id = type(wire).__name__
        cards, names = [player.card_url for player in players], [player.name for player in players]
        stacks = await play_at_our_lobby(ours.casino, room_id, cards, names)
    outcomes = await ours.casino.outcomes(room_id)
    assert {outcome for player in outcomes.values() for outcome in player} == {"ok"}
    audit = await ours.casino.audit(room_id)
    assert audit.stacks == stacks
    assert sum(stacks.values()) == audit.bought == 30_000


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
async def test_our_lobby_with_a_document_table(wire: Wire, table: Table, ours: Ours) -> None:
    """What the lobby says of chips is what the table has.

    Each room is closed before its table goes: the next table may be given the same port.
    """
    prefix = f"{type(wire).__name__} {list(TABLES.values()).index(table)}"
    with document_players(wire, table) as players:
        cards, names = [player.card_url for player in players], [player.name for player in players]
        for who, given, said in (
            ("theirs", cards, names),
            ("ours", ours.players, OUR_NAMES),
            ("both", [*cards, ours.players[0]], [*names, OUR_NAMES[0]]),
        ):
            with document_table(wire, table) as agent:
                room_id = f"{prefix} {who}"
                stacks = await play_at_our_lobby(
                    ours.casino, room_id, given, said, tableAgentCardUrl=agent.card_url
                )
                assert stacks == agent.stacks
                await ours.casino.close(room_id)


async def test_our_lobby_with_an_operator_key_and_the_originals_table(wire: Wire) -> None:
    """Its client sends no header, and in version 1.9 drops paths; its events are admitted."""
    table = TABLES["the original's"]
    async with process_casino(CASINO_LOBBY_OPERATOR_TOKEN="k" * 32) as casino:
        with document_players(wire, table) as players, document_table(wire, table) as agent:
            stacks = await play_at_our_lobby(
                casino,
                "main",
                [player.card_url for player in players],
                [player.name for player in players],
                tableAgentCardUrl=agent.card_url,
            )
            assert stacks == agent.stacks


async def test_document_players_join_at_our_table(wire: Wire, ours: Ours) -> None:
    """They sit down at the address that the room shows; the last seat starts it.

    A third party reads there what the lobby publishes.
    """
    room_id = f"{type(wire).__name__} direct"
    room = await ours.casino.open_room({"roomId": room_id, "config": CONFIG})
    card = room.table_agent_card_url
    with document_players(wire) as players:
        for number, player in enumerate(players):
            seat = {
                "playerId": f"own-id-{number}",
                "displayName": player.name,
                "agentCardUrl": player.card_url,
                "actionSkill": ("act", "decide")[number],
                "startingStack": 5_000,
            }
            reply = await asyncio.to_thread(wire.call, card, "registerPlayer", seat)
            assert (reply["seatNumber"], reply["stack"]) == (number, 5_000)
        stacks = await stacks_at_the_end(ours.casino, room_id, [one.name for one in players])
    summary = await asyncio.to_thread(wire.call, card, "tableSummary", {})
    assert {seat["playerId"]: seat["stack"] for seat in summary["players"]} == stacks
    assert summary["message"]
    audit = await ours.casino.audit(room_id)
    assert sum(stacks.values()) == audit.bought == 10_000
