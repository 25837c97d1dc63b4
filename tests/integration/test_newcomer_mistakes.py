"""Mistakes of a newcomer's bot: the bot, its author and the operator read the same sentence."""

import json
import math
from collections.abc import Callable
from functools import partial
from io import StringIO

import httpx
import pytest
from casino.check.seat_check import unusable_seats
from casino.lobby_api import LobbyApi
from casino.operator_key import CONSOLE_KEY, FAULTS_KEY, OperatorKey
from casino.up.run_report import Report
from casino.up.session_score import Score
from casino.up.up_room import FaultReports
from casino_contracts import HandRecord, Outcome, PlayerFaults
from casino_lobby.app import SECRET_KEYS
from rich.console import Console
from support.author import broken_bots as broken
from support.author.broken_bots import (
    Bot,
    Json,
    Reply,
    answering,
    increment,
    replying,
    served,
    with_text,
)
from support.captured_log import captured_log
from support.casino.casino_side import LOBBY, CasinoHarness, Operator
from support.casino.streams import TOKEN
from support.console_side import casino
from support.direct import BothWays
from support.processes import reserved_port


def own_error(_bot: Bot, call: Json) -> Reply:
    error = {"code": -32000, "message": "the model is busy"}
    return 200, json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": error}).encode()


def without_id(reply: Json) -> Json:
    return {key: value for key, value in reply.items() if key != "id"}


TURNS: dict[str, tuple[Callable[[], Bot], Outcome, str]] = {
    "check facing a bet": (
        answering({"action": "check"}),
        "illegal",
        "check is not possible now; legal are fold, call, raise (amount 4 to 200), all-in",
    ),
    "amount as increment": (
        partial(Bot, act=increment),
        "illegal",
        "raise to 2 is below the smallest, to 4 (amount is a total: did you mean 4?)",
    ),
    "raise to 1": (
        answering({"action": "raise", "amount": 1}),
        "illegal",
        "raise to 1 is below the smallest, to 4",
    ),
    "no amount": (
        answering({"action": "raise"}),
        "illegal",
        "raise needs amount, a total for this betting round",
    ),
    "a fraction": (
        answering({"action": "raise", "amount": 39.35}),
        "illegal",
        "amount 39.35 is no multiple of 1, this table's unit",
    ),
    "amount as text": (
        answering({"action": "raise", "amount": "37"}),
        "malformed",
        "amount: must be a number of at least 0",
    ),
    "dance": (
        answering({"action": "dance"}),
        "malformed",
        'action: must be "fold", "check", "call", "bet", "raise" or "all-in"',
    ),
    "capitals": (answering({"action": "FOLD"}), "malformed", 'action: must be "fold", "check"'),
    "a misspelt field": (answering({"acton": "fold"}), "malformed", "action: is required"),
    "null": (answering(None), "malformed", "the answer is null, not a JSON object"),
    "a list": (answering([1]), "malformed", "the answer is an array, not a JSON object"),
    "a word": (answering("fold"), "malformed", "the answer is a string, not a JSON object"),
    "NaN": (
        answering({"action": "raise", "amount": math.nan}),
        "malformed",
        "the reply is not JSON: NaN is no JSON number",
    ),
    "NaN in a text": (
        with_text('{"action": "raise", "amount": NaN}'),
        "malformed",
        "the object at character 0 is not JSON: NaN is no JSON number, at character 30",
    ),
    "envelope forgotten": (
        broken.ENVELOPE_FORGOTTEN,
        "malformed",
        (
            "the reply is not a JSON-RPC response: send"
            ' {"jsonrpc": "2.0", "id": that of the request, "result": {"message": ...}}'
        ),
    ),
    "message forgotten": (
        partial(Bot, envelope=lambda reply: reply | {"result": {"action": "call"}}),
        "malformed",
        (
            "the result is neither a message nor a task: send"
            ' {"message": {"role": "ROLE_AGENT", "messageId": "...", "parts": [{"data": {...}}]}}'
        ),
    ),
    "id forgotten": (
        partial(Bot, envelope=without_id),
        "malformed",
        "the reply has no id: copy id from the request",
    ),
    "another id": (
        broken.OTHER_ID,
        "malformed",
        "the reply's id is not that of the request: copy id from the request",
    ),
    "prose": (with_text("I think I fold."), "malformed", "the reply contains no JSON object"),
    "status 500": (replying(b"oh", 500), "malformed", "HTTP status 500"),
    "nothing": (replying(b""), "malformed", "the reply is empty"),
    "its own error": (partial(Bot, asked=own_error), "malformed", "the model is busy"),
    "exception in act": (
        broken.CLOSES,
        "disconnected",
        "the connection was closed without a reply: look for an exception in the agent's log",
    ),
    "too slow": (broken.HANGS, "timeout", "no reply within 0."),
}
SEATS: dict[str, tuple[Callable[[], Bot], str]] = {
    "no card": (broken.CARD_ABSENT, "/.well-known/agent-card.json: HTTP status 404"),
    "card is HTML": (broken.CARD_OF_HTML, "/.well-known/agent-card.json is not JSON"),
    "card is something else": (
        broken.CARD_OF_ANOTHER_SHAPE,
        "/.well-known/agent-card.json is a card with a fault: name: must be a string, not a list",
    ),
    "dead port on the card": (
        broken.CARD_AT_DEAD_PORT,
        (
            "which cannot be reached from here (no connection (connection refused)):"
            " advertise an address that others can reach"
        ),
    ),
    "https on the card": (broken.CARD_OF_TLS, "is it a plain http address?"),
    "card of A2A 0.3": (
        broken.CARD_OF_03,
        (
            "the reply is not one of JSONRPC of A2A 0.3.0, which its card offers;"
            " for replies of A2A 1.0 add supportedInterfaces to the card"
        ),
    ),
    "signup without a name": (broken.SIGNUP_WITHOUT_NAME, "displayName: is required"),
}
FOUND_LATER = {"card of A2A 0.3", "signup without a name"}
"""Only the call of `signup` shows these."""
HANDS = 1
CLOCKS_MS = {"timeout": 500, "disconnected": 3_000}
"""Of mistakes that take the whole clock, which is real; others have time on a busy machine."""
PATH = "/v1/rooms/r1/players/player-1/faults"


async def played(network: CasinoHarness, url: str, clock_ms: int) -> Operator:
    """Play some hands with the bot against one that always calls."""
    operator = Operator(network)
    await operator.open(maxHands=HANDS, maxSeats=2, actionTimeoutMs=clock_ms, rebuy="auto")
    reply = await operator.post("/v1/rooms/r1/players", {"agentCardUrl": url})
    assert reply.status_code == 201, reply.text
    network.player("ada")
    await operator.seat("ada")
    await operator.idle_room()
    return operator


async def lines_of_up(lobby: httpx.ASGITransport) -> str:
    """Return the faults that `casino up` writes while these hands are played."""
    text = StringIO()
    report = Report(as_json=False, console=Console(file=text, width=500, soft_wrap=True))
    key = OperatorKey(FAULTS_KEY, TOKEN)
    api = LobbyApi(LOBBY, lobby, key)
    score = Score()
    hands = [hand for one in (await api.events("r1", 0, 1)).events if (hand := score.add(one))]
    await FaultReports(api, "r1", key, report).after_hands(score, hands)
    await api.close()
    return text.getvalue()


@pytest.mark.parametrize("mistake", TURNS)
async def test_a_mistake_at_the_table_is_explained_everywhere(mistake: str) -> None:
    """To the bot, and to its author on the console, over REST, in the record and in the log."""
    kind, outcome, sentence = TURNS[mistake]
    bot = kind()
    clock_ms = CLOCKS_MS.get(outcome, 10_000)
    with served(bot) as url, captured_log("casino", SECRET_KEYS) as log:
        network = CasinoHarness(transport=BothWays(), operator_token=TOKEN)
        async with network.tables.running(), network.lobby.running():
            operator = await played(network, url, clock_ms)
            faults = PlayerFaults.model_validate_json((await operator.http.get(PATH)).content)
            record = HandRecord.model_validate_json(
                (await operator.http.get("/v1/rooms/r1/hands/1/record")).content
            )
            lobby = httpx.ASGITransport(network.transport.apps[LOBBY])
            up = await lines_of_up(lobby)
            listed = await casino(
                "room", "faults", "r1", "player-1", to=lobby, environment={CONSOLE_KEY: TOKEN}
            )
    assert faults.faults
    first = faults.faults[-1]
    reason = first.reason or ""
    assert (first.outcome, first.hand_number) == (outcome, 1)
    assert reason.startswith(sentence)

    is_asked_again = outcome in {"illegal", "malformed"}
    rejections = [turn["rejected"]["message"] for turn in bot.turns if "rejected" in turn]
    assert rejections[:1] == ([reason] if is_asked_again else [])
    assert f"Bot, hand 1: {outcome}, {reason}\n" in up
    assert reason in listed.stdout
    assert next(one.reason for one in record.decisions if one.outcome == outcome) == reason
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    missed = [line for line in lines if line["event"] == "decision_missed"]
    assert missed[0]["reason"] == reason
    assert missed[0]["outcome"] == outcome


async def test_markdown_with_a_fence_is_an_answer() -> None:
    """Models write it."""
    with served(with_text('I go.\n```json\n{"action": "all-in"}\n```')()) as url:
        network = CasinoHarness(transport=BothWays(), operator_token=TOKEN)
        async with network.tables.running(), network.lobby.running():
            operator = await played(network, url, 10_000)
            faults = PlayerFaults.model_validate_json((await operator.http.get(PATH)).content)
    assert set(faults.outcomes) == {"ok"}


@pytest.mark.parametrize("mistake", SEATS)
async def test_a_mistake_at_the_door_is_one_sentence(mistake: str) -> None:
    """From `casino up --seat` before it starts anything, and from `casino room register`."""
    kind, sentence = SEATS[mistake]
    network = CasinoHarness(transport=BothWays(), operator_token=TOKEN)
    with served(kind()) as url:
        early = await unusable_seats([url])
        async with network.tables.running(), network.lobby.running():
            await Operator(network).open(maxHands=1, maxSeats=2)
            lobby = httpx.ASGITransport(network.transport.apps[LOBBY])
            ended = await casino(
                "room", "register", "r1", url, to=lobby, environment={CONSOLE_KEY: TOKEN}
            )
    assert (ended.exit_code, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("casino room register: The player ")
    assert line.count("The ") == 1, "no prefix is doubled"
    assert sentence in line
    if mistake in FOUND_LATER:
        assert early == []
    else:
        (early_line,) = early
        assert early_line.startswith(f"--seat {url} ")
        assert sentence in early_line


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("http://127.0.0.1:{port}", "no connection (connection refused)"),
        ("http://no-such-host.invalid:9000", "no connection (name or address unknown)"),
        ("127.0.0.1:9000", "the address is not a plain http or https URL, such as http://"),
    ],
)
async def test_a_wrong_address_is_one_sentence(address: str, sentence: str) -> None:
    """Nobody listens, nobody has the name, the scheme is missing."""
    (line,) = await unusable_seats([address.format(port=reserved_port())])
    assert sentence in line


async def test_https_for_http_names_tls() -> None:
    """The bot serves http, and the address says https."""
    with served(Bot()) as url:
        (line,) = await unusable_seats([url.replace("http:", "https:")])
    assert "no TLS connection" in line
    assert "is it a plain http address?" in line
