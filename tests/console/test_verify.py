"""`casino verify`: rooms that real tables dealt, with the lobby's part in each block."""

import json
import runpy
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from casino.commands.verify import NOTHING_TO_VERIFY
from casino_histories.fair_check import checked
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import casino
from support.histories.fair_room import FairRoom
from support.players.holdem_players import lively
from support.players.recorded import played_any
from support.requirements import unavailable

pytestmark = pytest.mark.asyncio(loop_scope="module")

HANDS = 8
NODE_VERIFIER = Path(__file__).parents[1] / "histories" / "verify_fair_deal.mjs"
REFERENCE = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "verify_fair_deal.py"))
GAMES = ("kuhn_poker", "leduc_poker", "roulette", "blackjack", "simple_card")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def network() -> AsyncIterator[CasinoHarness]:
    """Run a casino with a room of each game, a seeded one and one whose table deals by itself."""
    async with casino_harness() as network:
        operator = Operator(network)
        rooms: dict[str, dict[str, Any]] = {
            "fair": {"seed": None, "dealBlock": 3, "maxSeats": 3},
            "seeded": {"seed": "s", "maxSeats": 3},
            "alone": {"seed": None, "fairDeal": False, "maxSeats": 3},
        }
        for table, (room, rules) in enumerate(rooms.items(), start=1):
            await operator.open(room, table, maxHands=HANDS, **rules)
            for number in range(3):
                name = f"p{number}-{room}"
                network.player(name, lively(name))
                assert (await operator.seat(name, room)).status_code == 201
        for room in rooms:
            await operator.idle_room(room)
        yield network


async def verified(network: CasinoHarness, *arguments: str) -> tuple[int, dict[str, Any]]:
    transport = httpx.ASGITransport(network.transport.apps[LOBBY])
    ended = await casino("verify", "--json", *arguments, to=transport)
    return ended.exit_code, json.loads(ended.stdout.splitlines()[0])


async def test_a_room_is_fair(network: CasinoHarness) -> None:
    code, said = await verified(network, "fair")
    assert (code, said["fault"], said["hands"]) == (0, None, HANDS)
    assert said["blocks"] == 3
    assert said["contributors"] == {"lobby": HANDS}


async def test_a_room_without_a_fair_deal_has_nothing_to_verify(network: CasinoHarness) -> None:
    code, said = await verified(network, "seeded")
    assert (code, said["nothingToVerify"]) == (NOTHING_TO_VERIFY, "its cards follow from its seed")
    code, said = await verified(network, "alone")
    assert (code, said["hands"], said["dealtByTable"]) == (NOTHING_TO_VERIFY, 0, HANDS)


async def test_a_changed_card_in_a_file_of_the_room_is_named(
    network: CasinoHarness, tmp_path: Path
) -> None:
    transport = httpx.ASGITransport(network.transport.apps[LOBBY])
    async with httpx.AsyncClient(transport=transport, base_url=LOBBY) as http:
        events = (await http.get("/v1/rooms/fair/events?limit=1000")).json()["events"]
    file = tmp_path / "events.json"
    file.write_text(json.dumps({"events": events}))
    assert REFERENCE["check"](events) == f"{HANDS} hands are fair, 0 have no block here"
    assert (await casino("verify", str(file))).stdout.startswith(f"fair         {file}: {HANDS} ha")
    ended = next(one["payload"] for one in events if "opening" in one.get("payload", ()))
    ended["opening"]["audit"] = ended["opening"]["audit"][::-1]
    file.write_text("\n".join(map(json.dumps, events)))
    result = await casino("verify", str(file))
    assert result.exit_code == 1
    assert f"UNFAIR       {file}: hand 1: it was not dealt from the decks" in result.stdout
    assert REFERENCE["check"](events).startswith("UNFAIR from hand 1 on")


@pytest.mark.full
async def test_a_verifier_of_another_language_takes_the_room_and_its_proofs(
    network: CasinoHarness, tmp_path: Path
) -> None:
    node = shutil.which("node")
    if node is None:
        unavailable("Node is not installed")
    transport = httpx.ASGITransport(network.transport.apps[LOBBY])
    async with httpx.AsyncClient(transport=transport, base_url=LOBBY) as http:
        paths = ("events?limit=1000", "hands/1/proof", f"hands/{HANDS}/proof")
        documents = [(await http.get(f"/v1/rooms/fair/{path}")).text for path in paths]
    file = tmp_path / "fair.json"
    for document, hands in zip(documents, (HANDS, 1, 1), strict=True):
        file.write_text(document)
        done = subprocess.run(  # noqa: ASYNC221  nothing else runs
            [node, NODE_VERIFIER, file], check=False, capture_output=True, text=True
        )
        assert done.stdout == f"fair: {hands}\n"


async def test_own_cards_come_from_the_log(tmp_path: Path) -> None:
    room = FairRoom()
    file, log = tmp_path / "events.jsonl", tmp_path / "bot.jsonl"
    file.write_text("\n".join(map(json.dumps, room.events())))
    lines = [{"event": "asked"}, *room.log]
    log.write_text("\n".join(map(json.dumps, lines)))
    result = await casino("verify", str(file), "--log", str(log))
    assert (result.exit_code, "own cards right in 4 hands" in result.stdout) == (0, True)
    room.log[3]["cards"] = ["As", "Ah"]
    log.write_text("\n".join(map(json.dumps, lines)))
    result = await casino("verify", str(file), "--log", str(log))
    assert (result.exit_code, "hand 4: ada got other cards" in result.stdout) == (1, True)
    assert (await casino("verify", str(log))).exit_code == 1


async def test_a_link_names_lobby_and_room(network: CasinoHarness) -> None:
    transport = httpx.ASGITransport(network.transport.apps[LOBBY])
    ended = await casino("verify", f"{LOBBY}/rooms/fair?player=x", to=transport, url="http://other")
    assert ended.exit_code == 0
    assert "contributors by hands: lobby 8" in ended.stdout


class Forgetful(httpx.AsyncBaseTransport):
    """A lobby that has deleted the events before the fifth hand, within its block."""

    def __init__(self, network: CasinoHarness) -> None:
        self._lobby = httpx.ASGITransport(network.transport.apps[LOBBY])

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer as the lobby, without what is deleted."""
        reply = await self._lobby.handle_async_request(request)
        document = json.loads(await reply.aread())
        if request.url.path.endswith("/events"):
            numbers = [one for one in document["events"] if one.get("handId") == "fair/5"]
            first = min((one["sequence"] for one in numbers), default=0)
            document["events"] = [one for one in document["events"] if one["sequence"] >= first]
        return httpx.Response(reply.status_code, json=document)


async def test_a_deleted_block_is_taken_from_a_hand_of_it(network: CasinoHarness) -> None:
    ended = await casino("verify", "--json", "fair", to=Forgetful(network))
    said = json.loads(ended.stdout.splitlines()[0])
    assert (ended.exit_code, said["fault"], said["hands"], said["skipped"]) == (0, None, 4, 0)
    assert said["blocks"] == 2


@pytest.mark.parametrize("game", GAMES)
async def test_openings_of_other_games_follow(game: str) -> None:
    """Nobody contributes here, which is said; a changed result is found."""
    events = await played_any(game, 2, hands=6, seed=None, dealBlock=4)
    report = checked(events)
    assert (report.fault, report.checked, report.alone) == (None, 6, 6)
    assert REFERENCE["check"](events).startswith("6 hands are fair")
    ended = [one["payload"] for one in events if one["eventType"] == "hand_completed"]
    public = ended[-1]["result"]["public"]
    match game:
        case "roulette":
            public["pocket"] = (public["pocket"] + 1) % 37
        case "blackjack":
            public["dealer"]["cards"].append("As")
        case "simple_card":
            public["tricks"][0]["cards"][0]["card"] += 1
        case _:
            public["shown"].reverse()
            for one, other in zip(public["shown"], public["players"], strict=False):
                one["player_id"] = other["player_id"]
    is_seen = game not in {"kuhn_poker", "leduc_poker"} or public["shown"]
    assert bool(checked(events).fault) is bool(is_seen)
