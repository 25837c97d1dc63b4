"""A card with a fault is named by field and fix; what can be read of a card is enough to call."""

import json
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import AgentClient, ProtocolFault
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_card import Interface, choose_interface
from casino_agentkit.client.card_discovery import read_card
from casino_agentkit.protocol import CARD_PATH
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from support.in_process import InProcessTransport
from support.players.odd_agent import SECOND

FIELD = Path(__file__).parents[2] / "vectors/field"
URL = "http://127.0.0.1:21010"
OLDER = {"supportedInterfaces": None, "url": f"{URL}/rpc"}
WHOLE: dict[str, Any] = json.loads((FIELD / "k15_card_skills_null.json").read_bytes())
RPC = Interface(f"{URL}/rpc", "JSONRPC", "1.0", "")


def card_of(name: str) -> dict[str, Any]:
    card: dict[str, Any] = json.loads((FIELD / f"k15_card_{name}.json").read_bytes())
    return card


async def called(card: dict[str, Any], url: str = URL) -> Interface:
    """Return the interface at which the agent of a card is called."""
    return await choose_interface(InProcessTransport(), url, read_card(card, ReplyBounds()).card)


async def resolved(content: bytes, media_type: str = "application/json") -> str:
    """Return the address at which the agent of a served card is called."""

    async def serve(_request: Request) -> Response:
        return Response(content, media_type=media_type)

    app = Starlette(routes=[Route(CARD_PATH, serve)])
    client = AgentClient(InProcessTransport({URL: app}))
    return (await client.resolve(URL, timeout=SECOND)).url


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"version": 1.0}, 'version: must be a string: write "1.0"'),
        ({"version": True}, 'version: must be a string: write "true"'),
        ({"name": ["x"]}, "name: must be a string, not a list"),
        ({"description": {}}, "description: must be a string, not an object"),
        ({"skills": 7}, "skills: must be a list, not 7"),
        ({"skills": "signup, act"}, 'skills: must be a list, not "signup, act"'),
        ({"skills": ["act"]}, 'skills.0: must be an object, not "act"'),
        ({"skills": [{"id": "act"}, {"id": 7}]}, 'skills.1.id: must be a string: write "7"'),
        ({"capabilities": []}, None),
        ({"capabilities": 7}, "capabilities: must be an object, not 7"),
        ({"capabilities": {"extensions": {}}}, None),
        ({"capabilities": {"extensions": {"uri": "x"}}}, "extensions: must be a list, not an obj"),
        ({"capabilities": {"extensions": [3]}}, "extensions.0: must be an object, not 3"),
        ({"securitySchemes": []}, "securitySchemes: must be an object, not a list"),
        ({"securitySchemes": {"a": 5}}, "securitySchemes.a: must be an object, not 5"),
        (
            {"securitySchemes": {"a": {"httpAuthSecurityScheme": {"scheme": 7}}}},
            "securitySchemes.scheme: cannot be read: A2A requires another type",
        ),
        ({"supportedInterfaces": {}}, "supportedInterfaces: must be a list, not an object"),
        (
            {"supportedInterfaces": [RPC._asdict() | {"protocolVersion": 1.0}]},
            'supportedInterfaces.0.protocolVersion: must be a string: write "1.0"',
        ),
        (
            {"supportedInterfaces": [{"url": f"{URL}/rpc", "protocol_binding": 7}]},
            "supportedInterfaces.protocol_binding: cannot be read",
        ),
        (OLDER | {"protocolVersion": 0.3}, 'protocolVersion: must be a string: write "0.3"'),
        (OLDER | {"url": 7}, 'url: must be a string: write "7"'),
        (OLDER | {"additionalInterfaces": [7]}, "additionalInterfaces.0: must be an object, not 7"),
    ],
)
def test_a_fault_of_a_card_is_named(change: dict[str, Any], fault: str | None) -> None:
    """By its path, with what stands there and what to write; an empty value is none."""
    if fault is None:
        read_card(WHOLE | change, ReplyBounds())
        return
    with pytest.raises(ValueError, match="is a card with a fault: ") as raised:
        read_card(WHOLE | change, ReplyBounds())
    assert fault in str(raised.value)


async def test_the_fault_of_a_served_card_is_passed_on() -> None:
    content = (FIELD / "k15_card_version_is_a_number.json").read_bytes()
    with pytest.raises(ProtocolFault) as raised:
        await resolved(content)
    assert raised.value.message == (
        f"the content of {URL}{CARD_PATH} is a card with a fault:"
        ' version: must be a string: write "1.0"'
    )


@pytest.mark.parametrize("content", [b"[]", b"7", b'"card"', b"null"])
async def test_only_what_is_no_object_is_no_card(content: bytes) -> None:
    with pytest.raises(ProtocolFault, match="is not an agent card: a card is a JSON object"):
        await resolved(content)


async def test_what_is_no_json_is_told_with_its_cause() -> None:
    for content, why in ((b"", "is empty"), (b'{"a": NaN}', "NaN is no JSON number")):
        with pytest.raises(ProtocolFault, match=why):
            await resolved(content)


@pytest.mark.parametrize("media_type", ["text/plain", "text/html", "application/a2a+json"])
async def test_a_card_is_read_whatever_it_is_declared_as(media_type: str) -> None:
    """Also behind a byte order mark, and with fields that nobody knows."""
    content = json.dumps(WHOLE | {"x-own": {"a": [None]}}).encode()
    assert await resolved(b"\xef\xbb\xbf" + content, media_type) == f"{URL}/rpc"


@pytest.mark.parametrize("version", ["0.2", "0.2.0", "0.2.5", "0.2.6", "0.3", "0.3.0"])
async def test_an_agent_of_a2a_0_2_is_called_as_one_of_0_3(version: str) -> None:
    card = card_of("of_0.2") | {"protocolVersion": version}
    assert (await called(card)).protocol_version.startswith("0.3")
    newer = [RPC._asdict() | {"protocolBinding": "JSONRPC", "protocolVersion": version}]
    assert (await called(WHOLE | {"supportedInterfaces": newer})).protocol_version[:3] == "0.3"


@pytest.mark.parametrize("version", ["0.1", "0.1.0", "draft", "0"])
async def test_another_version_is_named_with_those_that_are_spoken(version: str) -> None:
    with pytest.raises(ProtocolFault) as raised:
        await called(card_of("of_0.2") | {"protocolVersion": version})
    assert f"its card offers JSONRPC {version}; spoken here are" in raised.value.message
    assert "of A2A 1.0 and 0.3" in raised.value.message


MEMBERS = ["name", "description", "version", "skills", "capabilities", "securitySchemes"]
NESTED: dict[str, Any] = {
    "supportedInterfaces": [
        {"url": RPC.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": None}
    ],
    "skills": [{"id": "act", "name": None, "description": None, "tags": None, "inputModes": None}],
    "capabilities": {"extensions": [{"uri": None, "params": None}], "streaming": None},
    "securitySchemes": {"a": None, "b": {"type": "http", "scheme": None}},
    "defaultInputModes": None,
    "url": None,
    "additionalInterfaces": None,
    "preferredTransport": None,
}


@given(st.sets(st.sampled_from(MEMBERS)), st.sets(st.sampled_from(sorted(NESTED))))
async def test_a_member_that_is_null_is_absent(null: set[str], nested: set[str]) -> None:
    """At every level, in cards of 1.0 and of 0.3."""
    card = WHOLE | dict.fromkeys(null) | {key: NESTED[key] for key in nested - null}
    assert await called(card) == RPC
    older = card | OLDER | {"protocolVersion": None}
    assert (await called(older))[:3] == (RPC.url, "JSONRPC", "0.3.0")


async def test_an_empty_list_of_interfaces_is_absent() -> None:
    card = WHOLE | {"supportedInterfaces": [], "url": RPC.url}
    assert (await called(card))[:3] == (RPC.url, "JSONRPC", "0.3.0")


def test_null_is_absent_where_the_profile_is_told_from_a2a() -> None:
    card = {
        "name": "py", "url": f"{URL}/", "skills": [{"id": "act"}], "capabilities": None,
        "preferredTransport": None, "supportedInterfaces": None, "protocolVersion": None,
    }  # fmt: skip
    assert read_card(card, ReplyBounds()).invoke_url == f"{URL}/entrypoints/"
