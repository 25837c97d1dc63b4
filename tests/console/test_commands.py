"""The command line in front of a real lobby: what is asked, what is told, how it ends."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_contracts import HandDetail, RoomList, RoomSnapshot
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_town
from support.console_side import Ended, casino


@pytest.fixture
async def town() -> AsyncIterator[CasinoHarness]:
    """Run a casino with two players who have no room yet."""
    async with casino_town(launch_tables=False) as running:
        await running.announce(1, 2, 3)
        for name in ("ada", "bob"):
            running.player(name)
        yield running


async def run(town: CasinoHarness, *arguments: str) -> Ended:
    """Run a command."""
    lobby = httpx.ASGITransport(town.transport.apps[LOBBY], raise_app_exceptions=False)
    return await casino(*arguments, to=lobby)


async def right(town: CasinoHarness, *arguments: str) -> str:
    """Run a command that works; returns what it told."""
    ended = await run(town, *arguments)
    assert ended.exit_code == 0, ended.stderr
    assert "\x1b" not in ended.stdout
    return ended.stdout


async def data(town: CasinoHarness, *arguments: str) -> Any:
    """Run a command that works, for a program."""
    told = await right(town, *arguments, "--json")
    assert told.count("\n") == 1
    return json.loads(told)


def card(name: str) -> str:
    """Return a player's card URL."""
    return f"http://{name}/.well-known/agent-card.json"


async def test_an_operator_drives_a_room_from_its_opening_to_its_end(town: CasinoHarness) -> None:
    """In the words of a person."""
    assert await right(town, "rooms") == "no rooms\n"
    told = await right(town, "room", "create", "green", "--seats", "2", "--hands", "3")
    assert "room   green" in told
    assert "2 seats, stack 200, blinds 1/2, ante 0, buy-in 40 to 400, 3 hands, rebuy auto" in told
    told = await right(town, "room", "register", "green", card("ada"), "--seat", "1")
    assert told.startswith("seat 1   ada with 200   (player id ")
    player_id = told.rpartition(" ")[2].strip(")\n")
    assert f"ada     {'200':>5}  {player_id}" in await right(town, "room", "show", "green")
    await right(town, "room", "leave", "green", player_id)
    operator = Operator(town)
    while (await operator.room("green")).summary.players:  # type: ignore[union-attr]
        await asyncio.sleep(0)  # the table tells it soon
    await play(town)
    told = await right(town, "room", "start", "green", "--hands", "2")
    assert told.startswith("room green is running")
    assert (await right(town, "rooms")).splitlines()[1].startswith("green")
    told = await right(town, "room", "close", "green")
    assert told in {"room green is closing\n", "room green is closed\n"}


async def play(town: CasinoHarness) -> None:
    """Seat both players in a room of two, and wait until the session is over."""
    for name in ("ada", "bob"):
        await right(town, "room", "register", "green", card(name))
    while (await Operator(town).room("green")).summary.status != "idle":  # type: ignore[union-attr]
        await asyncio.sleep(0)


async def test_what_was_played_can_be_read(town: CasinoHarness) -> None:
    """As a list, and hand by hand as a story."""
    await right(town, "room", "create", "green", "--seats", "2", "--hands", "5", "--seed", "1")
    assert await right(town, "room", "hands", "green") == "no hand was completed yet\n"
    await play(town)
    lines = (await right(town, "room", "hands", "green")).splitlines()
    assert lines[0].split() == ["hand", "epoch", "pot", "board", "result"]
    assert [line.split()[0] for line in lines[1:]] == ["5", "4", "3", "2", "1"]
    assert "wins" in lines[1]
    few = (await right(town, "room", "hands", "green", "--limit", "2")).splitlines()
    assert (few[:3], few[3]) == (lines[:3], "there are more: --limit 4")
    oldest = await data(town, "room", "hands", "green", "--order", "oldest", "--limit", "3")
    assert [hand["handNumber"] for hand in oldest["hands"]] == [1, 2, 3]
    story = await right(town, "room", "hand", "green", "2")
    assert story.startswith("Hand 2 of room green, epoch 1, ")
    assert "Preflop\n  " in story
    assert "\nStacks\n  " in story
    detail = HandDetail.model_validate(await data(town, "room", "hand", "green", "2"))
    assert detail.hand.hand_number == 2
    missing = await run(town, "room", "hand", "green", "6")
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "hand" in missing.stderr


async def test_rooms_can_be_sifted_by_status(town: CasinoHarness) -> None:
    """And a narrow terminal still shows all of them."""
    for room in ("green", "blue"):
        await right(town, "room", "create", room, "--seats", "2", "--hands", "1")
    await play(town)
    waiting = await data(town, "rooms", "--status", "waiting")
    assert [room["roomId"] for room in waiting["rooms"]] == ["blue"]
    lobby = httpx.ASGITransport(town.transport.apps[LOBBY])
    narrow = await casino("rooms", to=lobby, width=30)
    lines = [line.rstrip() for line in narrow.stdout.splitlines()]
    assert max(map(len, lines)) <= 30
    assert lines[:4] == ["room     green", "state    idle", "hands    1", "players  2"]
    assert "room     blue" in lines


async def test_every_rule_is_an_option(town: CasinoHarness) -> None:
    """And they come back in the snapshot, all but the seed."""
    options = {
        "--seats": "4", "--stack": "50", "--small-blind": "0.25", "--big-blind": "0.5",
        "--ante": "0.05", "--min-buy-in": "20", "--max-buy-in": "75.5", "--hands": "7",
        "--rebuy": "none", "--timeout": "1.5s", "--max-timeouts": "2", "--seed": "seven",
        "--table": town.table_card(2),
    }  # fmt: skip
    arguments = [word for option in options.items() for word in option]
    room = RoomSnapshot.model_validate(await data(town, "room", "create", "green", *arguments))
    assert room.config.model_dump(mode="json") == {
        "startingStack": 50, "smallBlind": 0.25, "bigBlind": 0.5, "ante": 0.05, "minBuyIn": 20,
        "maxBuyIn": 75.5, "maxSeats": 4, "maxHands": 7, "rebuy": "none", "maxTimeouts": 2,
        "actionTimeoutMs": 1500,
    }  # fmt: skip
    assert room.table_agent_card_url == town.table_card(2)


@pytest.mark.parametrize(
    ("options", "bounds"),
    [
        ([], [40, 400]),
        (["--stack", "30"], [30, 60]),
        (["--big-blind", "0.07", "--small-blind", "0.03", "--stack", "7"], [1.4, 14]),
    ],
)
async def test_buy_ins_follow_from_the_other_rules(
    town: CasinoHarness, options: list[str], bounds: list[float]
) -> None:
    """20 big blinds to two stacks, and never a unit finer than the blinds'."""
    config = (await data(town, "room", "create", "green", *options))["config"]
    assert [config["minBuyIn"], config["maxBuyIn"]] == bounds


async def test_programs_get_the_lobbys_own_documents(town: CasinoHarness) -> None:
    """One JSON document on one line."""
    assert (await data(town, "room", "create", "green"))["roomId"] == "green"
    seat = await data(town, "room", "register", "green", card("ada"))
    assert (seat["displayName"], seat["roomId"]) == ("ada", "green")
    assert (await data(town, "room", "show", "green"))["summary"]["players"][0]["stack"] == 200
    rooms = RoomList.model_validate(await data(town, "rooms"))
    assert [room.player_count for room in rooms.rooms] == [1]
    assert (await data(town, "room", "leave", "green", seat["playerId"]))["players"] == []
    assert (await data(town, "room", "close", "green"))["roomId"] == "green"


async def test_the_same_request_twice_is_done_once(town: CasinoHarness) -> None:
    """When the answer of the first was lost."""
    for _ in range(2):
        await data(town, "room", "create", "green", "--request-id", "c1")
    again = ("room", "register", "green", card("ada"), "--request-id", "r1")
    first, second = await data(town, *again), await data(town, *again)
    assert first == second
    assert len((await data(town, "room", "show", "green"))["summary"]["players"]) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("room show nowhere", "casino room show: There is no such room: "),
        ("room show ../../secrets", "casino room show: There is no"),
        ("room start green", "casino room start: Too few players have chips: "),
        ("room create green", "casino room create: The room exists already: "),
        ("room register green http://nobody/", "casino room register: The other agent cannot be"),
        ("room leave green nobody", "casino room leave: There is no such player here: "),
        ("room create b --game chess", "chess"),
        ('room create b --game-config {"a":1}', "gameConfig"),
    ],
)
async def test_a_refusal_is_told_in_a_line_and_ends_with_1(
    town: CasinoHarness, arguments: str, told: str
) -> None:
    """On standard error, so that a pipe stays clean."""
    await right(town, "room", "create", "green")
    ended = await run(town, *arguments.split())
    assert ended.exit_code == 1, ended.stderr
    assert told in ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("room create --seats 11", "--seats"),
        ("room create --big-blind 0.5", "--big-blind: must be at least smallBlind, 1"),
        ("room create --stack nan", "--stack: must be a number above 0"),
        ("room create --stack 1e300", "--stack: must be a number above 0 and at most"),
        ("room create --small-blind 0.12345678", "--small-blind: has more than 6 decimal places"),
        ("room create --min-buy-in 300", "--max-buy-in: startingStack 200 must lie between"),
        ("room create --timeout 10", "--timeout: must be a duration such as 500ms"),
        ("room create --timeout 0s", "--timeout: must be a whole number of at least 1"),
        ("room create --rebuy maybe", "--rebuy"),
        ("room create --seed=", "--seed"),
        ("room create --game-config [1]", "--game-config: must be a JSON object"),
        ("room create --game-config {", "--game-config: is not valid JSON"),
        ("room create --table mytable", "http or https"),
        ("room create a/b", "ROOM: String should match"),
        ("room register green ftp://x", "CARD_URL"),
        ("room start green --small-blind -1", "--small-blind: must be a number above 0"),
        ("room hand green zero", "HAND"),
        ("rooms --status happy", "--status"),
        ("rooms --lobby nowhere", "--lobby"),
        ("watch --hands 0", "--hands"),
    ],
)
async def test_a_wrong_option_is_told_by_its_name_and_ends_with_2(
    arguments: str, told: str
) -> None:
    """Before anybody is asked."""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(500)

    ended = await casino(*arguments.split(), to=httpx.MockTransport(answer))
    assert ended.exit_code == 2, ended.stderr
    assert told in " ".join(ended.stderr.replace("│", " ").split()).replace("'", "")
    assert ended.stdout == ""
    assert not asked
