"""A card that is written without the SDK is as the SDK's types give it."""

from typing import Any

import orjson
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import (
    AgentCard,
    AgentExtension,
    AgentSkill,
    APIKeySecurityScheme,
    HTTPAuthSecurityScheme,
    MutualTlsSecurityScheme,
    OpenIdConnectSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from casino_agentkit import ANYONE, Agent, CardSigner, KeyRule, Scheme
from casino_agentkit.accepted_json import whole_numbers
from casino_agentkit.agent import ExtendedCard, Security
from casino_agentkit.card_signing import signer_of
from casino_agentkit.server.card_page import CardPage, card_content, grpc_interface
from casino_agentkit.server.invoke_routes import has_invoke, manifest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from support.in_process import InProcessTransport
from support.players.sample_agent import Bill, Order, SampleAgent, Waiter
from support.players.signed_cards import OWNER, Web
from support.push import push_over

ORIGIN = "http://ada.example:4101"
TEXTS = st.text(max_size=12)
NAMES = st.text("abAé .-_/", min_size=1, max_size=6)
RULES = st.just(ANYONE) | st.builds(
    # Two schemes of one name do not differ: which of them a card has is undefined.
    lambda name: KeyRule(Scheme(name, f"the key {name}"), lambda _: None),
    NAMES,
)
NUMBERS = (st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)).filter(
    lambda number: abs(number) != 2**53  # which is written as an integer, and cannot be signed
)
JSON_OBJECTS = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | NUMBERS | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=3,
)
SCHEMES = st.one_of(
    st.builds(
        lambda scheme, form: SecurityScheme(
            http_auth_security_scheme=HTTPAuthSecurityScheme(scheme=scheme, bearer_format=form)
        ),
        TEXTS,
        TEXTS,
    ),
    st.builds(
        lambda where, name: SecurityScheme(
            api_key_security_scheme=APIKeySecurityScheme(location=where, name=name)
        ),
        st.sampled_from(["header", "query", "cookie"]),
        TEXTS,
    ),
    st.builds(
        lambda url: SecurityScheme(
            open_id_connect_security_scheme=OpenIdConnectSecurityScheme(open_id_connect_url=url)
        ),
        TEXTS,
    ),
    st.builds(
        lambda text: SecurityScheme(mtls_security_scheme=MutualTlsSecurityScheme(description=text)),
        TEXTS,
    ),
)
SECURITIES = st.builds(
    Security,
    st.dictionaries(NAMES, SCHEMES, max_size=2),
    st.lists(
        st.builds(
            lambda name, scopes: SecurityRequirement(schemes={name: StringList(list=scopes)}),
            NAMES,
            st.lists(TEXTS, max_size=2),
        ),
        max_size=2,
    ),
)
SKILLS = st.lists(
    st.builds(
        lambda text, tags: AgentSkill(id=text, name=text, description=text, tags=tags),
        NAMES,
        st.lists(TEXTS, max_size=2),
    ),
    max_size=2,
)
EXTENSIONS = st.lists(
    st.builds(
        lambda uri, params: AgentExtension(uri=uri, params=ParseDict(params, Struct())),
        NAMES,
        JSON_OBJECTS,
    ),
    max_size=2,
)


class Odds(BaseModel):
    """Numbers of every kind in a schema."""

    even: float = Field(ge=0.5, le=2.0**60, default=1.0)
    most: int = Field(default=2**53 - 1, multiple_of=2)


async def odds(_odds: Odds) -> Odds:
    raise NotImplementedError


async def bill(_order: Order) -> Bill:
    """Cook.

    And more.
    """
    raise NotImplementedError


FUNCTIONS: st.SearchStrategy[Any] = st.sampled_from([odds, bill])


@st.composite
def agents(draw: st.DrawFn) -> Agent:
    """Any agent, most of them without the SDK's types."""
    has_sdk_types = draw(st.integers(0, 3)) == 0
    extended: ExtendedCard = ExtendedCard(ANYONE, lambda card: card)
    content = draw(JSON_OBJECTS)
    agent = Agent(
        draw(TEXTS),
        draw(TEXTS),
        version=draw(TEXTS),
        tags=tuple(draw(st.lists(TEXTS, max_size=2))),
        executor=draw(st.sampled_from([None, Waiter()])),
        streaming=draw(st.booleans()),
        input_modes=tuple(draw(st.lists(TEXTS, max_size=2))),
        output_modes=tuple(draw(st.lists(TEXTS, max_size=2))),
        tasks_who=draw(RULES),
        push=draw(st.sampled_from([None, PUSH])),
        extended_card=draw(st.sampled_from([None, extended])),
        about=lambda: content,
        skills=draw(SKILLS) if has_sdk_types else (),
        security=draw(st.none() | SECURITIES) if has_sdk_types else None,
        required_extensions=draw(EXTENSIONS) if has_sdk_types else (),
    )
    for skill in draw(st.lists(NAMES | st.just(""), max_size=3, unique=True)):
        agent.entrypoint(skill, who=draw(RULES))(draw(FUNCTIONS))
    return agent


PUSH = push_over(InProcessTransport())
EVERY = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])


@EVERY
@given(
    agent=agents(),
    a2a_03=st.booleans(),
    path=st.sampled_from(["", "/tables/2"]),
    grpc_port=st.sampled_from([None, 4999]),
    capability=st.sampled_from(["", "/t/sesame-of-sixteen"]),
)
def test_the_served_card_is_as_the_sdk_writes_it(
    agent: Agent, *, a2a_03: bool, path: str, grpc_port: int | None, capability: str
) -> None:
    """Read by the SDK and written again; but for the order of keys that protobuf has in maps."""
    page = CardPage(agent, path, None, a2a_03=a2a_03, grpc_port=lambda: grpc_port)
    written = orjson.loads(page._written(ORIGIN, capability, None))
    entrypoints = written.pop("entrypoints", None)
    assert entrypoints == (manifest(agent) if a2a_03 and has_invoke(agent) else None)
    if grpc_port:
        interface = grpc_interface(ORIGIN, grpc_port, capability + path)
        assert written["supportedInterfaces"].pop() == interface
    card = ParseDict(written, AgentCard(), ignore_unknown_fields=True)
    again = whole_numbers(agent_card_to_dict(card))
    assert orjson.dumps(_ordered(written)) == orjson.dumps(_ordered(again))
    about = card.name, card.description, card.version, list(card.default_input_modes)
    assert about == (agent.name, agent.description, agent.version, list(agent.input_modes))
    assert {skill.id for skill in card.skills} >= agent.entrypoints.keys()
    assert all(one.url.startswith(ORIGIN + capability + path) for one in card.supported_interfaces)


@EVERY
@given(agent=agents(), a2a_03=st.booleans())
def test_the_signed_content_is_what_the_sdk_reads(agent: Agent, *, a2a_03: bool) -> None:
    """The second payload of a signature, which the SDK's verifiers make of the whole card."""
    page = CardPage(agent, "/x", None, a2a_03=a2a_03)
    if page._current is not None:
        read = MessageToDict(ParseDict(page._current, AgentCard()))
        assert _as_floats(page._current) == _as_floats(read)


@EVERY
@given(agent=agents(), a2a_03=st.booleans())
async def test_every_signature_of_a_card_verifies(agent: Agent, *, a2a_03: bool) -> None:
    body = CardPage(agent, "", ORIGIN, CardSigner(OWNER), a2a_03=a2a_03).card(
        ORIGIN, is_signed=True
    )
    content = orjson.loads(body)
    for signature in content["signatures"]:
        alone = content | {"signatures": [signature]}
        assert await signer_of(alone, ORIGIN, Web().fetch) == OWNER.public.thumbprint


def test_agents_share_the_schemas_of_their_cards() -> None:
    cards = [card_content(SampleAgent().agent, "/x") for _ in range(2)]
    first, second = [
        card["capabilities"]["extensions"][0]["params"]["entrypoints"] for card in cards
    ]
    assert all(one["input"] is other["input"] for one, other in zip(first, second, strict=True))


def _ordered(content: Any) -> Any:
    """Return a card whose maps of protobuf have their keys in order."""
    if isinstance(content, list):
        return [_ordered(item) for item in content]
    if not isinstance(content, dict):
        return content
    ordered = {}
    for key, value in content.items():
        if key in {"params", "entrypoints"}:
            ordered[key] = orjson.loads(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))
        elif key in {"securitySchemes", "schemes", "security"} and isinstance(value, dict):
            ordered[key] = {name: _ordered(value[name]) for name in sorted(value)}
        else:
            ordered[key] = _ordered(value)
    return ordered


def _as_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
