"""Read agent cards with the SDK: of every version, in every spelling that it takes."""

import re
from typing import Any, Final

from a2a.client.card_resolver import parse_agent_card
from a2a.types import SecurityScheme
from google.protobuf.json_format import ParseError

from casino_agentkit.client.agent_card import (
    OAUTH_SCHEME,
    OPENID_SCHEME,
    TLS_SCHEME,
    UNKNOWN_SCHEME,
    Interface,
    ReadCard,
    Skill,
    http_scheme,
    key_scheme,
)

_FIELD: Final = re.compile(r"Failed to parse (\w+) field")


def sdk_card(content: dict[str, Any]) -> ReadCard:
    """Return the card in a JSON value, which is modified. Raises ValueError if there is none."""
    try:
        card = parse_agent_card(content)
    except ParseError as error:
        field = ".".join(_FIELD.findall(str(error))) or "the card"
        why = f"{field}: cannot be read: A2A requires another type"
        raise ValueError(f"is a card with a fault: {why}") from error
    return ReadCard(
        card.name,
        card.description,
        tuple(
            Interface(each.url, each.protocol_binding, each.protocol_version, each.tenant)
            for each in card.supported_interfaces
        ),
        {name: _kind(scheme) for name, scheme in card.security_schemes.items()},
        tuple(Skill(skill.id) for skill in card.skills),
    )


def _kind(scheme: SecurityScheme) -> str:
    match scheme.WhichOneof("scheme"):
        case "http_auth_security_scheme":
            return http_scheme(scheme.http_auth_security_scheme.scheme)
        case "api_key_security_scheme":
            key = scheme.api_key_security_scheme
            return key_scheme(key.location, key.name)
        case "oauth2_security_scheme":
            return OAUTH_SCHEME
        case "open_id_connect_security_scheme":
            return OPENID_SCHEME
        case "mtls_security_scheme":
            return TLS_SCHEME
        case _:
            return UNKNOWN_SCHEME
