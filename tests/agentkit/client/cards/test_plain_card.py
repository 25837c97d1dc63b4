"""A plain card is read without the SDK exactly as with it; every other card is left to the SDK."""

import copy
import json
from typing import Any

import orjson
import pytest
from casino_agentkit import ANYONE, Agent, KeyRule, Scheme
from casino_agentkit.bounds import ReplyBounds
from casino_agentkit.client.cards.card import Card
from casino_agentkit.client.cards.discovery import _fields, read_card
from casino_agentkit.client.cards.plain_card import plain_card
from casino_agentkit.client.sdk.sdk_cards import sdk_card
from casino_agentkit.server.cards.card_page import CardPage
from hypothesis import given, settings
from hypothesis import strategies as st
from support.players.sample_agent import SampleAgent
from support.players.signed_cards import card as signed_card

RULE = KeyRule(Scheme("roomKey", "the room's key"), lambda _: None)
TEXTS = st.text(max_size=4)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
ODD_NAMES = st.sampled_from(
    ["[a.b]", "[", "scheme", "type", "in", "x_y", "X", "httpAuthSecurityScheme", "@type"]
)


def mostly(usual: st.SearchStrategy[Any], *, one_in: int = 12) -> st.SearchStrategy[Any]:
    """Return the usual values, and sometimes any other."""
    return st.integers(1, one_in).flatmap(lambda n: JUNK if n == 1 else usual)


def objects(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Return objects with some of these fields, in camel case or snake case, and odd ones."""
    usual = {name: mostly(values) for name, values in fields.items()}
    snake = {
        "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name): JUNK
        for name in fields
    }
    rare = st.dictionaries(ODD_NAMES | st.sampled_from(sorted(snake)), JUNK | TEXTS, max_size=2)
    return st.tuples(
        st.fixed_dictionaries({}, optional=usual),
        st.integers(1, 8).flatmap(lambda n: rare if n == 1 else st.just({})),
    ).map(lambda both: both[0] | both[1])


VERSIONS = st.sampled_from(["1.0", "1", "1.3", "0.3", "0.3.0", "2.0", "", "x"])
BINDINGS = st.sampled_from(["JSONRPC", "HTTP+JSON", "GRPC", "jsonrpc", ""])
INTERFACES = objects(
    {
        "url": st.sampled_from(["http://a/rpc", "https://b/", "b:443", "/rpc", ""]),
        "protocolBinding": BINDINGS,
        "protocolVersion": VERSIONS,
        "tenant": TEXTS,
    }
)
PLAIN_INTERFACE = st.just(
    {"url": "http://a/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
)
OLDER_TYPES = st.sampled_from(["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS", "x"])
INNER = objects(
    {
        "description": TEXTS,
        "scheme": st.sampled_from(["Bearer", "Basic"]),
        "bearerFormat": TEXTS,
        "location": st.sampled_from(["header", "query"]),
        "name": TEXTS,
        "openIdConnectUrl": TEXTS,
        "in": st.just("cookie"),
        "flows": st.just({"implicit": {"authorizationUrl": "http://a"}}),
    }
)
KINDS = ("apiKey", "httpAuth", "oauth2", "openIdConnect", "mtls")
SCHEMES = st.one_of(
    st.sampled_from(KINDS).flatmap(
        lambda kind: st.fixed_dictionaries({f"{kind}SecurityScheme": mostly(INNER)})
    ),
    st.builds(lambda older, inner: inner | {"type": older}, mostly(OLDER_TYPES), INNER),
    objects({f"{kind}SecurityScheme": INNER for kind in KINDS} | {"type": OLDER_TYPES}),
)
SKILLS = st.lists(mostly(objects({"id": TEXTS, "name": TEXTS})), max_size=3)
CARDS = st.fixed_dictionaries(
    {
        "supportedInterfaces": mostly(
            st.lists(mostly(INTERFACES | PLAIN_INTERFACE | PLAIN_INTERFACE), max_size=3)
        )
    },
    optional={
        "name": mostly(TEXTS),
        "description": mostly(TEXTS),
        "version": mostly(TEXTS),
        "url": mostly(TEXTS),
        "protocolVersion": mostly(VERSIONS),
        "preferredTransport": mostly(BINDINGS),
        "additionalInterfaces": mostly(st.lists(objects({"url": TEXTS, "transport": BINDINGS}))),
        "securitySchemes": mostly(st.dictionaries(TEXTS, mostly(SCHEMES), max_size=2)),
        "skills": mostly(SKILLS),
        "capabilities": mostly(objects({"extensions": st.just([]), "streaming": st.booleans()})),
        "defaultInputModes": JUNK,
        "supported_interfaces": JUNK,
        "[x.y]": JUNK,
    },
)


@settings(max_examples=200)
@given(CARDS)
def test_what_is_read_without_the_sdk_is_what_the_sdk_reads(content: dict[str, Any]) -> None:
    """Whatever stands in a card; a card that the SDK refuses is not plain."""
    received = orjson.loads(json.dumps(content, allow_nan=False)) if _is_json(content) else None
    if received is None:
        return
    try:
        fields = _fields(received, ReplyBounds())
    except (ValueError, TypeError, AttributeError):
        return  # refused before either reads it
    plain = plain_card(copy.deepcopy(fields.read))
    if plain is not None:
        assert plain == sdk_card(fields.read)


def own_card() -> dict[str, Any]:
    """Return a card as a table of this casino serves it: with A2A 0.3, a key, and the profile."""
    agent = Agent("Table", "Deals.", tasks_who=RULE)
    agent.entrypoint("order", who=RULE)(SampleAgent().order)
    agent.entrypoint("free", who=ANYONE)(SampleAgent().order)
    card: dict[str, Any] = orjson.loads(CardPage(agent, "/x", "http://a").card("http://a"))
    return card


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


@pytest.mark.parametrize("content", [own_card(), README_CARD, signed_card()])
def test_the_cards_of_a_casino_are_plain(content: dict[str, Any]) -> None:
    """Of its own agents, and of a bot in plain Python: no process needs the SDK for them."""
    read = _fields(content, ReplyBounds()).read
    plain = plain_card(read)
    assert plain == sdk_card(copy.deepcopy(read))
    assert isinstance(plain, Card)


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


def _is_json(content: Any) -> bool:
    try:
        orjson.loads(json.dumps(content, allow_nan=False))
    except ValueError:
        return False
    return True
