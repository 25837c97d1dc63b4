"""A room that was played, by `casino room hand`, `casino ask` and `casino export`."""

import asyncio
import csv
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from casino.commands.export import RoomHands
from casino.lobby_api import LobbyApi
from casino_contracts import ActionRequest, ActionResponse, HandRecord, Reason
from casino_histories import all_read
from casino_histories.history_files import read_hands
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from support.casino.casino_side import CasinoHarness, Operator, casino_harness
from support.console_side import Ended, at_lobby, casino
from support.match.plans import played as play_match
from support.processes import eventually, reserved_port
from support.served import serving
from support.table.table_side import calling

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = "open-sesame"
HANDS = 3
NOBODY = "http://127.0.0.1:1"
CONFIG = {
    "startingStack": 200, "smallBlind": 1, "bigBlind": 2, "minBuyIn": 40, "maxBuyIn": 400,
    "maxHands": 9, "maxSeats": 2,
}  # fmt: skip


@dataclass
class Played:
    """A casino whose room r1 has played, and the questions that its players were asked."""

    network: CasinoHarness
    asked: list[dict[str, Any]]

    async def run(self, *arguments: str, key: str | None = KEY, **environment: str) -> Ended:
        settings = {**environment, **({"CASINO_OPERATOR_TOKEN": key} if key else {})}
        return await at_lobby(self.network, *arguments, **settings)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[Played]:
    """Play three hands of two players who have the same name."""
    asked: list[dict[str, Any]] = []

    def noting(request: ActionRequest) -> ActionResponse:
        asked.append(request.model_dump(mode="json"))
        return calling(request)

    async with casino_harness(operator_token=SecretStr(KEY)) as network:
        operator = Operator(network)
        await operator.open(maxHands=HANDS, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            network.player(name, noting, displayName="Twin")
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        played = Played(network, asked)
        await eventually(lambda: are_recorded(played))
        yield played


async def are_recorded(played: Played) -> bool:
    """Return whether the records have arrived, which they do after the events of their hands."""
    hands = (("room", "hand", "r1", f"{number}", "--cards") for number in range(1, HANDS + 1))
    return not any([(await played.run(*hand)).exit_code for hand in hands])


async def test_an_operator_reads_everybody_s_cards(played: Played) -> None:
    """Behind the stacks; in JSON it is the record. Without the key the setting is named."""
    hand = ("room", "hand", "r1", "1", "--cards")
    record = HandRecord.model_validate_json((await played.run(*hand, "--json")).stdout)
    assert all(decision.question is None for decision in record.decisions)
    text = (await played.run(*hand)).stdout
    for hole in record.hole_cards:
        shown = " ".join(card.text for card in hole.cards)
        assert sum(line.endswith(f"  200  {shown}") for line in text.splitlines()) == 1
    ended = await played.run(*hand, key=None)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "CASINO_OPERATOR_TOKEN" in ended.stderr


async def test_a_text_to_paste_has_the_history_alone(played: Played) -> None:
    """No address of a lobby; the table tells players of one name apart."""
    hand = ("room", "hand", "r1", "1")
    whole = (await played.run(*hand)).stdout
    text = (await played.run(*hand, "--format", "text")).stdout
    assert whole.startswith(text)
    assert whole.removeprefix(text).startswith("replay  ")
    assert "  seat 0  Twin  200\n" in text
    assert "  seat 1  Twin (2)  200\n" in text
    as_json = (await played.run(*hand, "--format", "json")).stdout
    assert json.loads(as_json)["hand"]["handNumber"] == 1
    assert (await played.run(*hand, "--format", "text", "--json")).exit_code == 2


CARD = {
    "name": "Plain", "version": "1", "description": "plain", "skills": [],
    "capabilities": {"extensions": [{"uri": "urn:a2a-casino:typed-entrypoints:v1"}]},
    "defaultInputModes": ["application/json"], "defaultOutputModes": ["application/json"],
}  # fmt: skip


@dataclass
class Plain:
    """A bot that answers every question alike."""

    answer: dict[str, Any]
    asked: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the card, or answer a question."""
        request = Request(scope, receive)
        binding = {"protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        document: dict[str, Any] = {
            **CARD, "supportedInterfaces": [{"url": str(request.base_url), **binding}],
        }  # fmt: skip
        if request.method == "POST":
            call = await request.json()
            self.asked.append(call["params"]["message"]["parts"][0]["data"])
            self.tokens.append(request.headers.get("authorization"))
            reply = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"data": self.answer}]}
            document = {"jsonrpc": "2.0", "id": call["id"], "result": {"message": reply}}
        await JSONResponse(document)(scope, receive, send)


@pytest.mark.full  # its table is a process
async def test_a_bot_gets_the_question_of_a_decision_again(played: Played) -> None:
    """As the player got it; the answer is accepted, and what was decided then is shown."""
    bot = Plain({"action": "check"})
    with serving(bot) as url:
        ask = ("ask", url, "--hand", "r1/2", "--decision", "3")
        ended = await played.run(*ask, "--json")
        assert (ended.exit_code, ended.stderr) == (0, "")
        document = json.loads(ended.stdout)
        (sent,) = bot.asked
        (original,) = [one for one in played.asked if one["requestId"] == sent["requestId"]]
        assert sent["deadlineMs"] >= original["deadlineMs"]
        assert {**sent, "deadlineMs": 0} == {**original, "deadlineMs": 0}
        assert sent["requestId"] == "r1/2:3:1"
        assert (document["answer"], document["accepted"]) == ({"action": "check"}, True)
        assert (document["reason"], document["recorded"]["outcome"]) == (None, "ok")
        text = (await played.run(*ask)).stdout
    assert text.startswith("r1/2, decision 3: ")
    assert f"  holeCards: {json.dumps(sent['holeCards'])}\n" in text
    assert 'answer    {"action": "check"}   after ' in text
    assert "accepted  a table plays it\n" in text
    assert text.endswith("then      check (ok)\n")


@pytest.mark.full
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"action": "raise", "amount": 1}, "raise to 1 is below the smallest, to 4"),
        ({"acton": "fold"}, "action"),
    ],
)
async def test_an_answer_that_a_table_refuses_has_the_reason(
    played: Played, answer: dict[str, Any], reason: str
) -> None:
    with serving(Plain(answer)) as url:
        ended = await played.run("ask", url, "--hand", "r1/1", "--decision", "1", "--json")
    document = json.loads(ended.stdout)
    assert (ended.exit_code, document["accepted"], document["answer"]) == (1, False, answer)
    assert reason in document["reason"]


@pytest.mark.full  # its table is a process
async def test_a_default_is_no_decision_of_the_agent(played: Played) -> None:
    said = {"reason": "model_failed", "detail": "401: no such key"}
    with serving(Plain({"action": "fold", "defaulted": said})) as url:
        ask = ("ask", url, "--hand", "r1/1", "--decision", "1")
        ended = await played.run(*ask)
        document = json.loads((await played.run(*ask, "--json")).stdout)
    words = "default: model failed, 401: no such key"
    assert ended.exit_code == 1
    assert f"accepted  a table plays it as missed; {words}\n" in ended.stdout
    assert (document["accepted"], document["defaulted"]) == (True, said)


@pytest.mark.full  # its table is a process
async def test_a_question_of_a_file_needs_no_lobby(played: Played, tmp_path: Path) -> None:
    """Nor a key; the seat token is for a bot that answers nobody else."""
    file, bot = tmp_path / "question.json", Plain({"action": "fold"})
    file.write_text(json.dumps(played.asked[0]))
    with serving(bot) as url:
        ask = ("ask", url, "--question", str(file))
        ended = await played.run(*ask, key=None, CASINO_SEAT_TOKEN="seat-of-ada")
    assert ended.exit_code == 0
    assert bot.asked == [played.asked[0]]
    assert bot.tokens == ["Bearer seat-of-ada"]


@pytest.mark.parametrize(
    ("arguments", "status", "reported"),
    [
        (["--hand", "r1/2"], 1, "name a decision of r1/2 with --decision:\n    1  preflop  "),
        (["--hand", "r1/2", "--decision", "99"], 1, "    1  preflop  "),
        (["--hand", "r1/99", "--decision", "1"], 1, "99"),
        (["--hand", "r1"], 2, "such as"),
        ([], 2, "--question"),
        (["--question", "nowhere.json"], 1, "nowhere.json: No such file"),
    ],
)
async def test_a_question_that_is_not_there_is_explained(
    played: Played, arguments: list[str], status: int, reported: str
) -> None:
    ended = await played.run("ask", NOBODY, *arguments)
    assert ended.exit_code == status
    assert reported in ended.stderr


async def test_a_bot_that_is_not_there_and_a_missing_key_are_named(played: Played) -> None:
    """At a casino without a key the way to one is named, and that a bot's log needs none."""
    decision = ("--hand", "r1/1", "--decision", "1")
    ended = await played.run("ask", f"http://127.0.0.1:{reserved_port()}", *decision)
    assert ended.exit_code == 1
    assert "refused   cannot be reached: " in ended.stdout
    ended = await played.run("ask", NOBODY, *decision, key=None)
    assert ended.exit_code == 1
    assert "set CASINO_OPERATOR_TOKEN" in ended.stderr
    problem = {"title": "Only operators", "detail": "No key.", "reason": Reason.OPERATOR_ONLY}
    lobby = httpx.MockTransport(lambda _: httpx.Response(403, json=problem))
    ended = await casino("ask", NOBODY, *decision, to=lobby)
    assert ended.exit_code == 1
    assert "CASINO_LOBBY_OPERATOR_TOKEN=some-long-key casino up" in ended.stderr
    assert "--question" in ended.stderr


def names_in(folder: Path) -> list[str]:
    """Return the names of a folder's files, hidden ones included."""
    return sorted(path.name for path in folder.iterdir())


async def test_a_room_is_exported_in_every_format(played: Played, tmp_path: Path) -> None:
    """The same hands, with all cards for the operator, in files that appear as a whole."""
    for form in ("phh", "pokerstars", "ohh"):
        file = tmp_path / form
        ended = await played.run("export", "r1", "--format", form, "--out", str(file))
        assert (ended.exit_code, ended.stderr) == (0, "")
        assert ended.stdout == f"{HANDS} hands written to {file}\n"
        hands = list(all_read(read_hands(file.read_bytes())))
        assert len(hands) == HANDS
        assert all(len(seat.cards) == 2 for hand in hands for seat in hand.seats)
    await exported_rows(played, tmp_path / "csv", rows_of)
    assert names_in(tmp_path) == ["csv", "ohh", "phh", "pokerstars"]


@pytest.mark.full  # only `make full` installs pandas
async def test_a_room_is_exported_as_parquet(played: Played, tmp_path: Path) -> None:
    read = import_module("pandas").read_parquet
    await exported_rows(played, tmp_path / "parquet", lambda file: read(file).to_dict("records"))
    assert names_in(tmp_path) == ["parquet"]


async def exported_rows(
    played: Played, file: Path, read: Callable[[Path], list[dict[str, Any]]]
) -> None:
    """Export rows of both kinds in the format that the file is named after."""
    for rows in ("players", "actions"):
        options = ("--format", file.name, "--rows", rows, "--out", str(file))
        assert (await played.run("export", "r1", *options)).exit_code == 0
        found = read(file)
        assert len({row["hand"] for row in found}) == HANDS
        assert len(found) == 2 * HANDS or rows == "actions"


def rows_of(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of CSV."""
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


async def test_without_the_key_an_export_has_the_shown_cards(
    played: Played, tmp_path: Path
) -> None:
    file = tmp_path / "a.phhs"
    assert (await played.run("export", "r1", "--out", str(file), key=None)).exit_code == 0
    for hand in all_read(read_hands(file.read_bytes())):
        shown = {item.seat for item in hand.shown}
        for number, seat in enumerate(hand.seats):
            assert bool(seat.cards) is (number in shown)


async def test_what_cannot_be_exported_is_said(played: Played, tmp_path: Path) -> None:
    for arguments, key, reason in (
        (("none", "--out", f"{tmp_path}/a"), None, "none"),
        (("r1", "--format", "parquet"), None, "--out"),
        ((str(tmp_path), "--out", f"{tmp_path}/a"), None, "plan.json"),
        (("r1", "--out", f"{tmp_path}/a"), "wrong", "CASINO_OPERATOR_TOKEN"),
    ):
        ended = await played.run("export", *arguments, key=key)
        assert ended.exit_code != 0
        assert reason in ended.stderr
        assert names_in(tmp_path) == []


async def test_the_hands_of_a_match_are_exported(tmp_path: Path) -> None:
    await asyncio.to_thread(play_match, tmp_path / "m")
    file = tmp_path / "m.csv"
    options = ("--format", "csv", "--out", str(file))
    ended = await casino("export", str(tmp_path / "m"), *options)
    assert ended.exit_code == 0, ended.stderr
    rows = rows_of(file)
    result = json.loads((tmp_path / "m" / "result.json").read_text())
    for player in result["players"]:
        net = [int(row["net"]) for row in rows if row["player"] == player["name"]]
        assert (len(net), sum(net)) == (player["hands"], player["net"])


async def test_a_room_of_another_game_is_not_exported() -> None:
    room = {"roomId": "k", "gameType": "kuhn-poker", "tableAgentCardUrl": "", "events": []}
    reply = httpx.Response(200, json={**room, "config": CONFIG})
    ended = await casino("export", "k", to=httpx.MockTransport(lambda _: reply))
    assert ended.exit_code == 1
    assert "k is a room of kuhn-poker: only hands of texas-holdem can be exported" in ended.stderr


async def test_a_busy_lobby_is_waited_for() -> None:
    """An export of many hands costs more than a minute's budget."""
    waits: list[float] = []
    problem = {"title": "Too many", "reason": "TOO_MANY_REQUESTS"}
    replies = [httpx.Response(429, json=problem)] * 2 + [httpx.Response(200, json={"hands": []})]
    room = {"roomId": "k", "tableAgentCardUrl": "", "events": [], "config": CONFIG}

    def answer(request: httpx.Request) -> httpx.Response:
        is_page = request.url.path.endswith("/hands")
        return replies.pop(0) if is_page else httpx.Response(200, json=room)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    api = LobbyApi("http://lobby", httpx.MockTransport(answer))
    hands = RoomHands(api, "k", with_all_cards=False, sleep=sleep)
    assert [page async for page in hands.pages()] == [[]]
    assert len(waits) == 2
    await api.close()
