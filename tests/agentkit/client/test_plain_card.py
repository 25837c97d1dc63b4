"""A plain card is read without the SDK exactly as with it; every other card is left to the SDK."""

import copy
import re
from typing import Any

import orjson
import pytest
from casino_agentkit import ANYONE, Agent, KeyRule, Scheme
from casino_agentkit.accepted_json import ReplyBounds
from casino_agentkit.client.agent_card import ReadCard, plain_card
from casino_agentkit.client.card_discovery import _fields, read_card
from casino_agentkit.client.sdk_cards import sdk_card
from casino_agentkit.server.card_page import CardPage
from hypothesis import given, settings
from hypothesis import strategies as st
from support.players.sample_agent import SampleAgent
from support.players.signed_cards import card as signed_card

RULE = KeyRule(Scheme("roomKey", "the room's key"), lambda _: None)
TEXTS = st.text(max_size=4)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


def own_card() -> dict[str, Any]:
    """Return a card as a table of this casino serves it: with A2A 0.3, a key, and the profile."""
    agent = Agent("Table", "Deals.", tasks_who=RULE)
    agent.entrypoint("order", who=RULE)(SampleAgent().order)
    agent.entrypoint("free", who=ANYONE)(SampleAgent().order)
    card: dict[str, Any] = orjson.loads(CardPage(agent, "/x", "http://a").card("http://a"))
    return card


OWN_CARD = own_card()
README_CARD: dict[str, Any] = {
    "name": "My bot",
    "description": "Plays for chips.",
    "version": "1",
    "supportedInterfaces": [
        {"url": "http://a/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ],
    "capabilities": {"extensions": [{"uri": "urn:a2a-casino:typed-entrypoints:v1"}]},
    "skills": [{"id": "signup"}, {"id": "act"}],
}
OLDER_CARD = README_CARD | {
    "url": "http://a/rpc",
    "protocolVersion": "0.3.0",
    "preferredTransport": "JSONRPC",
    "additionalInterfaces": [{"url": "http://b", "transport": "HTTP+JSON"}],
    "securitySchemes": {
        "a": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "b": {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "x"}},
        "c": {"type": "openIdConnect", "openIdConnectUrl": "http://a"},
        "d": {"oauth2SecurityScheme": {"flows": {"implicit": {"authorizationUrl": "http://a"}}}},
        "e": {"mtlsSecurityScheme": {"description": "d"}},
    },
}
USUAL = st.sampled_from(
    [
        "1.0",
        "1",
        "0.3",
        "2.0",
        "",
        "JSONRPC",
        "HTTP+JSON",
        "GRPC",
        "/rpc",
        "b:443",
        "http",
        "oauth2",
    ]
)
ODD_NAMES = st.sampled_from(["[a.b]", "[", "type", "in", "protocol_binding", "x_y", "X", "@type"])


@st.composite
def changed_cards(draw: st.DrawFn) -> dict[str, Any]:
    """Return a usual card of some kind, in which members at any depth are changed."""
    usual = [OWN_CARD, README_CARD, OLDER_CARD]
    card: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(usual)))
    for _ in range(draw(st.integers(0, 3))):
        node: Any = card
        while True:
            keys: list[Any] = list(node) if isinstance(node, dict) else list(range(len(node)))
            inner: list[Any] = [
                key for key in keys if isinstance(node[key], dict | list) and node[key]
            ]
            is_here = draw(st.booleans())
            if is_here or not inner:
                break
            node = node[draw(st.sampled_from(inner))]
        if len(keys) > 0 and draw(st.booleans()):
            key = draw(st.sampled_from(keys))
            node[key] = draw(USUAL | JUNK)
        elif isinstance(node, dict):
            node[draw(ODD_NAMES)] = draw(USUAL | JUNK)
        else:
            node.append(draw(JUNK))
    return card


@settings(max_examples=200)
@given(changed_cards())
def test_what_is_read_without_the_sdk_is_what_the_sdk_reads(content: dict[str, Any]) -> None:
    """Whatever stands in a card; a card that the SDK refuses is not plain."""
    try:
        fields = _fields(orjson.loads(orjson.dumps(content)), ReplyBounds())
    except ValueError:
        return  # refused before either reads it
    plain = plain_card(copy.deepcopy(fields.read))
    if plain is not None:
        assert plain == sdk_card(fields.read)


def refusal_of(content: dict[str, Any]) -> str | None:
    """Return what the reader of a card says to it, None if it reads it."""
    try:
        read_card(content, ReplyBounds())
    except ValueError as error:
        return str(error)
    return None


@settings(max_examples=200)
@given(changed_cards())
def test_whatever_is_refused_is_named_by_its_field(content: dict[str, Any]) -> None:
    said = refusal_of(orjson.loads(orjson.dumps(content)))
    assert said is None or re.match("is (a card with a fault: [a-zA-Z]|too large)", said)


@pytest.mark.parametrize("content", [OWN_CARD, README_CARD, signed_card()])
def test_the_cards_of_a_casino_are_plain(content: dict[str, Any]) -> None:
    """Of its own agents, and of a bot in plain Python: no process needs the SDK for them."""
    read = _fields(content, ReplyBounds()).read
    plain = plain_card(read)
    assert plain == sdk_card(copy.deepcopy(read))
    assert isinstance(plain, ReadCard)


@pytest.mark.parametrize(
    "change",
    [
        {"supportedInterfaces": [{"url": "http://a", "protocolBinding": "HTTP+JSON"}]},
        {"supportedInterfaces": [{"url": "http://a", "protocolBinding": "GRPC"}]},
        {"supportedInterfaces": [{"url": "http://a", "protocol_binding": "JSONRPC"}]},
        {"url": "http://a", "supportedInterfaces": None},
        {"securitySchemes": {"a": {"type": "oauth2", "flows": {}}}},
        {"securitySchemes": {"a": {}}},
        {"name": 7},
    ],
)
def test_other_cards_are_left_to_the_sdk(change: dict[str, Any]) -> None:
    """Older ones, other bindings, other spellings and what is wrong."""
    assert plain_card(README_CARD | change) is None


def test_the_kinds_of_schemes_have_the_same_words() -> None:
    schemes = {
        "a": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "b": {"httpAuthSecurityScheme": {"scheme": "Basic"}},
        "c": {"type": "openIdConnect", "openIdConnectUrl": "http://a"},
        "d": {"mtlsSecurityScheme": {}},
    }
    card = read_card(README_CARD | {"securitySchemes": schemes}, ReplyBounds()).card
    assert card.security_schemes == {
        "a": "API key, header X-Key",
        "b": "HTTP Basic",
        "c": "OpenID Connect",
        "d": "mutual TLS",
    }
