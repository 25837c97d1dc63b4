"""`casino ask`: a question of a hand that was played, sent to a bot that is not seated."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from casino_contracts import ActionRequest, ActionResponse, Reason
from pydantic import SecretStr
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.console_side import Ended, casino
from support.processes import reserved_port
from support.table.table_side import calling

KEY = "open-sesame"


@dataclass
class PlainBot:
    """A bot of the standard library, which answers every question alike."""

    answer: dict[str, Any]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)


@contextmanager
def serving(bot: PlainBot) -> Iterator[PlainBot]:
    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1

        def do_GET(self) -> None:
            self._send(
                {
                    "name": "Plain",
                    "version": "1",
                    "description": "plain",
                    "capabilities": {
                        "extensions": [{"uri": "urn:a2a-casino:typed-entrypoints:v1"}]
                    },
                    "supportedInterfaces": [
                        {"url": bot.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
                    ],
                    "defaultInputModes": ["application/json"],
                    "defaultOutputModes": ["application/json"],
                    "skills": [],
                }
            )

        def do_POST(self) -> None:
            call = json.loads(self.rfile.read(int(self.headers["content-length"])))
            bot.asked.append(call["params"]["message"]["parts"][0]["data"])
            bot.tokens.append(self.headers["authorization"])
            message = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"data": bot.answer}]}
            self._send({"jsonrpc": "2.0", "id": call["id"], "result": {"message": message}})

        def _send(self, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    bot.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield bot
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Played:
    """A casino whose room r1 has played, and the questions that its players were asked."""

    network: CasinoHarness
    asked: list[dict[str, Any]]

    async def ask(self, *arguments: str, key: str | None = KEY, **environment: str) -> Ended:
        """Run `casino ask`."""
        lobby = httpx.ASGITransport(self.network.transport.apps[LOBBY])
        settings = {**environment, **({"CASINO_OPERATOR_TOKEN": key} if key else {})}
        return await casino("ask", *arguments, to=lobby, environment=settings)


@pytest.fixture
async def played() -> AsyncIterator[Played]:
    """Play three hands."""
    network = CasinoHarness(operator_token=SecretStr(KEY))
    asked: list[dict[str, Any]] = []

    def noting(request: ActionRequest) -> ActionResponse:
        asked.append(request.model_dump(mode="json"))
        return calling(request)

    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        await operator.open(maxHands=3, maxSeats=2, rebuy="auto")
        for name in ("ada", "bob"):
            network.player(name, noting)
            assert (await operator.seat(name)).status_code == 201
        await operator.idle_room()
        yield Played(network, asked)


@pytest.mark.full
async def test_a_bot_gets_the_question_of_a_decision_again(played: Played) -> None:
    """As the player got it; the answer is accepted, and what was decided then is shown."""
    with serving(PlainBot({"action": "check"})) as bot:
        ended = await played.ask(bot.url, "--hand", "r1/2", "--decision", "3", "--json")
        assert (ended.exit_code, ended.stderr) == (0, "")
        document = json.loads(ended.stdout)
        (sent,) = bot.asked
        (original,) = [one for one in played.asked if one["requestId"] == sent["requestId"]]
        assert sent.pop("deadlineMs") >= original.pop("deadlineMs")
        assert sent == original
        assert sent["requestId"] == "r1/2:3:1"
        assert (document["answer"], document["accepted"], document["reason"]) == (
            {"action": "check"},
            True,
            None,
        )
        assert document["recorded"]["outcome"] == "ok"
        text = (await played.ask(bot.url, "--hand", "r1/2", "--decision", "3")).stdout
    assert text.startswith("r1/2, decision 3: ")
    assert f"  holeCards: {json.dumps(sent['holeCards'])}\n" in text
    assert 'answer    {"action": "check"}   after ' in text
    assert "accepted  a table plays it\n" in text
    assert text.endswith("then      check (ok)\n")


@pytest.mark.full
async def test_an_answer_that_a_table_refuses_has_the_reason(played: Played) -> None:
    """And the exit code is 1."""
    with serving(PlainBot({"action": "raise", "amount": 1})) as bot:
        ended = await played.ask(bot.url, "--hand", "r1/1", "--decision", "1")
    assert ended.exit_code == 1
    assert "refused   raise to 1 is below the smallest, to 4" in ended.stdout
    with serving(PlainBot({"acton": "fold"})) as bot:
        ended = await played.ask(bot.url, "--hand", "r1/1", "--decision", "1", "--json")
    document = json.loads(ended.stdout)
    assert (document["accepted"], document["answer"]) == (False, {"acton": "fold"})
    assert "action" in document["reason"]


@pytest.mark.full
async def test_a_question_of_a_file_needs_no_lobby(played: Played, tmp_path: Path) -> None:
    """Nor a key; the seat token is for a bot that answers nobody else."""
    file = tmp_path / "question.json"
    file.write_text(json.dumps(played.asked[0]))
    with serving(PlainBot({"action": "fold"})) as bot:
        ended = await played.ask(
            bot.url, "--question", str(file), key=None, CASINO_SEAT_TOKEN="seat-of-ada"
        )
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
    """The bot is not called."""
    ended = await played.ask("http://127.0.0.1:1", *arguments)
    assert ended.exit_code == status
    assert reported in ended.stderr


async def test_a_bot_that_is_not_there_is_named(played: Played) -> None:
    """In one line."""
    gone = f"http://127.0.0.1:{reserved_port()}"
    ended = await played.ask(gone, "--hand", "r1/1", "--decision", "1")
    assert ended.exit_code == 1
    assert "refused   cannot be reached: " in ended.stdout


async def test_without_the_key_the_setting_is_named(played: Played) -> None:
    """A record has everybody's cards."""
    ended = await played.ask("http://127.0.0.1:1", "--hand", "r1/1", "--decision", "1", key=None)
    assert ended.exit_code == 1
    assert "set CASINO_OPERATOR_TOKEN" in ended.stderr


async def test_at_a_casino_without_a_key_the_way_to_one_is_named() -> None:
    """As `casino up` is by default; a question of the bot's log needs none."""
    problem = {"title": "Only operators", "detail": "No key.", "reason": Reason.OPERATOR_ONLY}
    lobby = httpx.MockTransport(lambda _: httpx.Response(403, json=problem))
    ended = await casino("ask", "http://127.0.0.1:1", "--hand", "r1/1", "--decision", "1", to=lobby)
    assert ended.exit_code == 1
    assert "CASINO_LOBBY_OPERATOR_TOKEN=some-long-key casino up" in ended.stderr
    assert "--question" in ended.stderr
