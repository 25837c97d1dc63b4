"""What is read of an agent card, whichever version of A2A it is of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from casino_agentkit.protocol import VERSION

JSON_RPC: Final = "JSONRPC"
HTTP_JSON: Final = "HTTP+JSON"
GRPC: Final = "GRPC"
_SKILL_LENGTH: Final = 128


class Interface(NamedTuple):
    """An address at which an agent is called, and how."""

    url: str
    protocol_binding: str
    """The binding, such as JSONRPC."""
    protocol_version: str
    """The version of A2A, "" for the current one."""
    tenant: str
    """What a request names as its tenant, "" for nothing."""

    @property
    def is_current(self) -> bool:
        """Whether it is of A2A 1.x."""
        version = self.protocol_version or VERSION
        return version.split(".")[0] == VERSION.split(".")[0]

    @property
    def is_fast(self) -> bool:
        """Whether it is JSON-RPC of A2A 1.x; any other is called through the SDK's client."""
        return self.protocol_binding == JSON_RPC and self.is_current


class Skill(NamedTuple):
    """A skill on a card."""

    id: str


@dataclass(frozen=True)
class Card:
    """An agent card; a text that it does not have is "".

    `security_schemes` are its schemes by name, each with its kind in words.
    """

    name: str
    supported_interfaces: tuple[Interface, ...]
    security_schemes: Mapping[str, str]
    skills: tuple[Skill, ...]


def skills_of(card: Card) -> frozenset[str]:
    """Return the skill ids of a card."""
    return frozenset(skill.id for skill in card.skills if len(skill.id) <= _SKILL_LENGTH)


def http_scheme(scheme: str) -> str:
    """Return the kind of a security scheme of HTTP, in words."""
    return f"HTTP {scheme}"


def key_scheme(location: str, name: str) -> str:
    """Return the kind of a security scheme with an API key, in words."""
    return f"API key, {location} {name}"


OAUTH_SCHEME: Final = "OAuth 2"
OPENID_SCHEME: Final = "OpenID Connect"
TLS_SCHEME: Final = "mutual TLS"
UNKNOWN_SCHEME: Final = "of an unknown kind"
