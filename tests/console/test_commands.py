"""The command line in front of a real lobby: requests, output and exit codes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from casino_contracts import HandDetail, RoomList, RoomSnapshot
from support.casino.casino_side import LOBBY, CasinoHarness, Operator, casino_harness
from support.console_side import at_lobby, casino
from support.processes import eventually


@pytest.fixture
async def harness() -> AsyncIterator[CasinoHarness]:
    """Run a casino with two players who have no room yet."""
    async with casino_harness(launch_tables=False) as running:
        await running.announce(1, 2, 3)
        for name in ("ada", "bob"):
            running.player(name)
        yield running


async def right(harness: CasinoHarness, *arguments: str) -> str:
    """Run a command that works; returns its output."""
    ended = await at_lobby(harness, *arguments)
    assert ended.exit_code == 0, ended.stderr
    assert "\x1b" not in ended.stdout
    return ended.stdout


async def data(harness: CasinoHarness, *arguments: str) -> Any:
    """Run a command that works, for a program."""
    output = await right(harness, *arguments, "--json")
    assert output.count("\n") == 1
    return json.loads(output)


def card(name: str) -> str:
    return f"http://{name}/.well-known/agent-card.json"


async def test_an_operator_drives_a_room_from_its_opening_to_its_end(
    harness: CasinoHarness,
) -> None:
    assert await right(harness, "rooms") == "no rooms\n"
    output = await right(harness, "room", "create", "green", "--seats", "2", "--hands", "3")
    assert "room   green" in output
    assert "2 seats, stack 200, blinds 1/2, ante 0, buy-in 40 to 400, 3 hands, rebuy auto" in output
    output = await right(harness, "room", "register", "green", card("ada"), "--seat", "1")
    assert output.startswith("seat 1   ada with 200   (player id ")
    player_id = output.rpartition(" ")[2].strip(")\n")
    assert f"ada     {'200':>5}  {player_id}" in await right(harness, "room", "show", "green")
    await right(harness, "room", "leave", "green", player_id)
    await eventually(lambda: has_no_players(harness))
    await play(harness)
    output = await right(harness, "room", "start", "green", "--hands", "2")
    assert output.startswith("room green is playing")
    assert (await right(harness, "rooms")).splitlines()[1].startswith("green")
    output = await right(harness, "room", "close", "green")
    assert output in {"room green is closing\n", "room green is closed\n"}


async def has_no_players(harness: CasinoHarness) -> bool:
    """Tell whether the event of the last player's leave has arrived."""
    summary = (await Operator(harness).room("green")).summary
    return summary is not None and not summary.players


async def is_idle(harness: CasinoHarness) -> bool:
    """Tell whether the session is over."""
    summary = (await Operator(harness).room("green")).summary
    return summary is not None and summary.status == "idle"


async def play(harness: CasinoHarness) -> None:
    """Seat both players in a room of two, and wait until the session is over."""
    for name in ("ada", "bob"):
        await right(harness, "room", "register", "green", card(name))
    await eventually(lambda: is_idle(harness))


async def test_what_was_played_can_be_read(harness: CasinoHarness) -> None:
    """The hands are listed, and one is printed as a history."""
    await right(harness, "room", "create", "green", "--seats", "2", "--hands", "5", "--seed", "1")
    assert await right(harness, "room", "hands", "green") == "no hand was completed yet\n"
    await play(harness)
    lines = (await right(harness, "room", "hands", "green")).splitlines()
    assert lines[0].split() == ["hand", "epoch", "pot", "board", "result"]
    assert [line.split()[0] for line in lines[1:]] == ["5", "4", "3", "2", "1"]
    assert "wins" in lines[1]
    few = (await right(harness, "room", "hands", "green", "--limit", "2")).splitlines()
    assert (few[:3], few[3]) == (lines[:3], "there are more: --limit 4")
    oldest = await data(harness, "room", "hands", "green", "--order", "oldest", "--limit", "3")
    assert [hand["handNumber"] for hand in oldest["hands"]] == [1, 2, 3]
    best = await data(harness, "room", "hands", "green", "--sort", "score")
    scores = [hand["score"] for hand in best["hands"]]
    assert (len(scores), scores) == (5, sorted(scores, reverse=True))
    ranked = ["room", "hands", "green", "--sort", "pot", "--player", "ada"]
    lines = (await right(harness, *ranked, "--limit", "2")).splitlines()
    assert lines[0].split() == ["hand", "score", "pot", "kinds", "result", "replay"]
    number = lines[1].split()[0]
    assert lines[1].endswith(f"http://lobby/rooms/green/hands/{number}")
    assert lines[3:] == ["there are more: --limit 4"]
    faults = ["room", "hands", "green", "--kind", "fault"]
    assert await right(harness, *faults) == "there is no such hand\n"
    nobody = await at_lobby(harness, "room", "hands", "green", "--player", "eve")
    assert (nobody.exit_code, nobody.stdout) == (1, "")
    assert "No player eve has played in room green. Who has: ada (" in nobody.stderr
    story = await right(harness, "room", "hand", "green", "2")
    assert story.splitlines()[-1] == f"replay  {LOBBY}/rooms/green/hands/2"
    assert story.startswith("Hand 2 of room green, epoch 1, ")
    assert "Preflop\n  " in story
    assert "\nStacks\n  " in story
    detail = HandDetail.model_validate(await data(harness, "room", "hand", "green", "2"))
    assert detail.hand.hand_number == 2
    missing = await at_lobby(harness, "room", "hand", "green", "6")
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "hand" in missing.stderr


async def test_rooms_can_be_sifted_by_status(harness: CasinoHarness) -> None:
    """Also by a state of the room; a narrow terminal shows all of them."""
    for room in ("green", "blue"):
        await right(harness, "room", "create", room, "--seats", "2", "--hands", "1")
    await play(harness)
    waiting = await data(harness, "rooms", "--status", "waiting")
    assert [room["roomId"] for room in waiting["rooms"]] == ["blue"]
    lobby = httpx.ASGITransport(harness.transport.apps[LOBBY])
    narrow = await casino("rooms", to=lobby, width=30)
    lines = [line.rstrip() for line in narrow.stdout.splitlines()]
    assert max(map(len, lines)) <= 30
    assert lines[:4] == ["room     green", "state    idle", "hands    1", "players  2"]
    assert "room     blue" in lines
    await right(harness, "room", "close", "blue")
    await eventually(lambda: is_closed(harness, "blue"))


async def is_closed(harness: CasinoHarness, room_id: str) -> bool:
    listed = RoomList.model_validate(await data(harness, "rooms", "--status", "closed"))
    return [room.room_id for room in listed.rooms] == [room_id]


async def test_a_command_that_is_sent_again_is_done_once(harness: CasinoHarness) -> None:
    """With the same request id; `--json` prints the lobby's own document on one line."""
    for _ in range(2):
        created = await data(harness, "room", "create", "green", "--request-id", "c1")
        assert created["roomId"] == "green"
    harness.player("eve", playerType="human")
    again = ("room", "register", "green", card("eve"), "--request-id", "r1")
    first, second = await data(harness, *again), await data(harness, *again)
    assert first == second
    assert (first["displayName"], first["roomId"]) == ("eve", "green")
    assert len((await data(harness, "room", "show", "green"))["summary"]["players"]) == 1
    assert "eve (guest) " in await right(harness, "room", "show", "green")
    assert (await data(harness, "room", "leave", "green", first["playerId"]))["players"] == []


async def test_every_rule_is_an_option(harness: CasinoHarness) -> None:
    """The snapshot has the values of all options except the seed."""
    options = {
        "--seats": "4", "--stack": "50", "--small-blind": "0.25", "--big-blind": "0.5",
        "--ante": "0.05", "--min-buy-in": "20", "--max-buy-in": "75.5", "--hands": "7",
        "--rebuy": "none", "--timeout": "1.5s", "--max-timeouts": "2", "--seed": "seven",
        "--table": harness.table_card(2), "--max-timeout": "20s", "--time-bank": "1m",
        "--pace": "800ms", "--result": "3s",
    }  # fmt: skip
    arguments = [word for option in options.items() for word in option]
    room = RoomSnapshot.model_validate(await data(harness, "room", "create", "green", *arguments))
    assert room.config.model_dump(mode="json") == {
        "startingStack": 50, "smallBlind": 0.25, "bigBlind": 0.5, "ante": 0.05, "minBuyIn": 20,
        "maxBuyIn": 75.5, "maxSeats": 4, "maxHands": 7, "rebuy": "none", "maxTimeouts": 2,
        "actionTimeoutMs": 1500, "maxActionTimeoutMs": 20_000, "timeBankMs": 60_000,
        "paceMs": 800, "resultMs": 3_000,
    }  # fmt: skip
    assert room.table_agent_card_url == harness.table_card(2)
    rules = await right(harness, "room", "show", "green")
    times = "timeout 1.5 s, at most 20 s, time bank 60 s, pace 0.8 s, result 3 s"
    assert times in " ".join(rules.split())


@pytest.mark.parametrize(
    ("options", "bounds"),
    [
        ([], [40, 400]),
        (["--stack", "30"], [30, 60]),
        (["--big-blind", "0.07", "--small-blind", "0.03", "--stack", "7"], [1.4, 14]),
    ],
)
async def test_buy_ins_follow_from_the_other_rules(
    harness: CasinoHarness, options: list[str], bounds: list[float]
) -> None:
    """20 big blinds to two stacks, in the unit of the blinds."""
    config = (await data(harness, "room", "create", "green", *options))["config"]
    assert [config["minBuyIn"], config["maxBuyIn"]] == bounds


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("room show nowhere", "casino room show: There is no room nowhere"),
        ("room start green", "casino room start: The table refused: 2 players with chips"),
        ("room create green", "casino room create: There is a room green; choose another"),
        (
            "room register green http://nobody/",
            "casino room register: The player cannot be reached: http",
        ),
        ("room create b --game chess", "chess"),
    ],
)
async def test_a_refusal_is_reported_in_a_line_and_ends_with_1(
    harness: CasinoHarness, arguments: str, message: str
) -> None:
    """The message is on standard error; standard output is empty."""
    await right(harness, "room", "create", "green")
    ended = await at_lobby(harness, *arguments.split())
    assert ended.exit_code == 1, ended.stderr
    assert message in ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("room create --seats 11", "--seats"),
        ("room create --big-blind 0.5", "--big-blind: must be at least smallBlind, 1"),
        ("room create --stack 1e300", "--stack: must be a number above 0 and at most"),
        (
            "room create --timeout 10",
            "--timeout: must be a duration such as 500ms, 2s, 5m or 1h; write 10s or 10ms",
        ),
        ("room create --game-config [1]", "--game-config: must be a JSON object"),
        ("room create --table mytable", "http or https"),
        ("room create ..", "ROOM: must not be . or .."),
        ("room hand green zero", "HAND"),
        ("rooms --lobby nowhere", "--lobby"),
    ],
)
async def test_a_wrong_option_is_reported_by_its_name_and_ends_with_2(
    arguments: str, message: str
) -> None:
    ended = await casino(*arguments.split())
    assert ended.exit_code == 2, ended.stderr
    assert message in " ".join(ended.stderr.replace("│", " ").split()).replace("'", "")
    assert ended.stdout == ""
