"""Clients of A2A 0.3: they read the card, call entrypoints, and get tasks and refusals.

The requests are the bytes that the client of a2a-sdk 0.3.26 sent (2026-11-22, `ClientFactory` over
JSON-RPC, httpx 0.28.1); only `"plates"` varies.
"""

import json
import re
from typing import Any

import httpx
import pytest
from casino_agentkit import ANYONE, Agent, KeyRule, Scheme, Service
from casino_agentkit.protocol import CARD_PATH, OLDER_CARD_PATH, RPC_PATH
from starlette.types import ASGIApp
from support.players.sample_agent import Order, SampleAgent, Waiter

SENT_DATA = (
    b'{"id":"ba7eb767-9785-47a5-ae06-b670ee44bfff","jsonrpc":"2.0","method":"message/send","params"'
    b':{"configuration":{"acceptedOutputModes":[],"blocking":true},"message":{"kind":"message","mess'
    b'ageId":"m","metadata":{"skillId":"order"},"parts":[{"data":{"dish":"soup","plates":2},"kind":"'
    b'data"}],"role":"user"}}}'
)
SENT_TEXT = (
    b'{"id":"36e22632-0459-46bb-bd35-49db398cf276","jsonrpc":"2.0","method":"message/send","params"'
    b':{"configuration":{"acceptedOutputModes":[],"blocking":true},"message":{"kind":"message","mess'
    b'ageId":"m","parts":[{"kind":"text","text":"tea"}],"role":"user"}}}'
)
READ = ("capabilities", "defaultInputModes", "defaultOutputModes", "description", "name", "skills")
"""What its reader requires of a card, beside version and url."""


def both(**more: Any) -> ASGIApp:
    """Return an agent with an entrypoint and an executor."""
    agent = Agent("Both", "Cooks and serves.", executor=Waiter(), streaming=True)
    agent.entrypoint("order", who=ANYONE)(SampleAgent().order)
    return Service({"": agent}, **more).asgi()


async def reply_to(
    body: bytes, app: ASGIApp | None = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    """Send a body as that client does: it names no version."""
    transport = httpx.ASGITransport(app or both(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://sample") as http:
        typed = {"content-type": "application/json", **(headers or {})}
        return await http.post(RPC_PATH, content=body, headers=typed)


def changed(*path: str | int, to: Any) -> bytes:
    """Return the typed call with another value at a path."""
    request = json.loads(SENT_DATA)
    node = request
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = to
    return json.dumps(request).encode()


@pytest.mark.parametrize("path", [CARD_PATH, OLDER_CARD_PATH])
async def test_its_reader_finds_what_it_needs_on_the_card(path: str) -> None:
    """The fields of 0.3 stand beside those of 1.0, and name an interface that is served."""
    transport = httpx.ASGITransport(both())
    async with httpx.AsyncClient(transport=transport, base_url="http://sample") as http:
        card = (await http.get(path)).json()
        assert all(card[field] for field in READ)
        assert (card["protocolVersion"], card["preferredTransport"]) == ("0.3", "JSONRPC")
        assert card["url"] == "http://sample" + RPC_PATH
        last = {"url": card["url"], "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}
        assert card["supportedInterfaces"][-1] == last
        assert (await http.post(card["url"], content=SENT_DATA)).json()["result"]


async def test_a_typed_call_is_answered_whole_numbers() -> None:
    """As a message of 0.3 with one data part."""
    answer = (await reply_to(SENT_DATA)).json()
    assert answer["id"] == "ba7eb767-9785-47a5-ae06-b670ee44bfff"
    said = answer["result"]
    assert (said["kind"], said["role"]) == ("message", "agent")
    (part,) = said["parts"]
    assert (part["kind"], repr(part["data"]["total"]), part["data"]["dish"]) == (
        "data",
        "2",
        "soup",
    )


async def test_an_executor_answers_with_a_task() -> None:
    """In the states of 0.3."""
    task = (await reply_to(SENT_TEXT)).json()["result"]
    assert (task["kind"], task["status"]["state"]) == ("task", "completed")
    assert task["artifacts"][0]["parts"] == [{"kind": "text", "text": "served: tea"}]


async def test_a_stream_has_one_message() -> None:
    reply = await reply_to(changed("method", to="message/stream"))
    (event,) = [line for line in reply.text.splitlines() if line.startswith("data:")]
    said = json.loads(event.removeprefix("data:"))["result"]
    assert said["parts"][0]["data"] == {"dish": "soup", "total": 2, "number": 1}
    assert re.search('"total": ?2[,}]', event)


async def test_a_refusal_has_its_reason() -> None:
    """Where 0.3 has it: the error's data."""
    dish = ("params", "message", "parts", 0, "data", "dish")
    error = (await reply_to(changed(*dish, to="fish"))).json()["error"]
    assert (error["code"], error["data"]) == (-32004, {"reason": "NO_FISH"})
    error = (await reply_to(changed(*dish, to=""))).json()["error"]
    assert (error["code"], error["data"]["errors"][0]["field"]) == (-32602, "dish")


DEEP: Any = []
for _ in range(60):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "body",
    [
        changed("params", to=[]),
        changed("params", to=None),
        changed("params", "message", "parts", to=[{"kind": "file", "file": {"bytes": "%"}}]),
        changed("params", "message", "parts", to=[{"kind": "text", "text": 5}]),
        changed("params", "message", "parts", 0, "metadata", to={"data_part_compat": True}),
        changed("params", "message", "role", to="dealer"),
        changed("params", "message", "metadata", "deep", to=DEEP),
        changed("params", "message", "metadata", "half", to="x").replace(b'"x"', b'"\\ud800"'),
        changed("id", to=True),
    ],
)
async def test_what_cannot_be_read_is_refused_in_plain_words(body: bytes) -> None:
    """Never with an internal error, nor with Python's or pydantic's text."""
    reply = await reply_to(body)
    assert reply.status_code == 200
    assert reply.json()["error"]["code"] in {-32600, -32602, -32700}
    for word in ("Traceback", "pydantic", "Errno", "google.protobuf", "input_value", "KeyError"):
        assert word not in reply.text


async def test_limits_and_rules_hold() -> None:
    """The body limit, and the rule of an entrypoint with the token of the header."""
    dish = ("params", "message", "parts", 0, "data", "dish")
    assert (await reply_to(changed(*dish, to="x" * 2**20))).status_code == 413
    agent = Agent("Keyed", "Cooks.")
    rule: KeyRule = KeyRule(Scheme("key", "the kitchen's key"), lambda _: "sesame")
    cooked: list[Order] = []

    @agent.entrypoint("order", who=rule)
    async def order(request: Order) -> Order:
        cooked.append(request)
        return request

    app = Service({"": agent}).asgi()
    for headers, reason in (
        ({}, "UNAUTHORIZED"),
        ({"authorization": "Bearer simsim"}, "FORBIDDEN"),
    ):
        error = (await reply_to(SENT_DATA, app, headers)).json()["error"]
        assert (error["code"], error["data"]["reason"]) == (-32004, reason)
    assert not cooked
    headers = {"authorization": "Bearer sesame"}
    assert "result" in (await reply_to(SENT_DATA, app, headers)).json()


async def test_newer_requests_are_not_read_as_older_ones() -> None:
    """A version is what the header says; without one, the methods of 1.0 are still refused."""
    for version, code in (("0.3", None), ("0.3.0", None), ("1.0", -32601), ("x", -32009)):
        answer = (await reply_to(SENT_DATA, headers={"A2A-Version": version})).json()
        assert answer.get("error", {}).get("code") == code
        assert ("result" in answer) == (code is None)
    newer = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "SendMessage",
            "params": {
                "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "tea"}]}
            },
        }
    ).encode()
    assert (await reply_to(newer)).json()["error"]["code"] == -32009


async def test_it_is_not_served_if_switched_off() -> None:
    app = both(a2a_03=False)
    assert (await reply_to(SENT_DATA, app)).json()["error"]["code"] == -32601
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://sample"
    ) as http:
        card = (await http.get(CARD_PATH)).json()
        assert "url" not in card
        assert [one["protocolVersion"] for one in card["supportedInterfaces"]] == ["1.0", "1.0"]
        assert (await http.get(OLDER_CARD_PATH)).status_code == 404
