"""What is read of another agent's card of any version of A2A, and which interface is called.

Plain cards of A2A 1.0 are read without the SDK, as the SDK reads them. What is not plain is left to
the SDK, so that the verdict on a card is always the SDK's: older cards, cards without JSON-RPC of
A2A 1.x, values of another type than the field's, and protobuf's other spellings (`protocol_binding`
for `protocolBinding`). Fields that A2A 1.0 does not have are ignored.
A card of an agent that offers only the invoke profile has much in common with those of A2A: `name`,
`url`, `skills`, sometimes `supportedInterfaces`. So a card that may be one of A2A is read as one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from casino_agentkit.accepted_json import shown
from casino_agentkit.client.outgoing import is_same_origin, on_own_host, with_query
from casino_agentkit.client.transport import Dialling, Transport
from casino_agentkit.errors import (
    AddressNotAllowed,
    AgentError,
    KitReason,
    ProtocolFault,
    RemoteRefused,
)
from casino_agentkit.protocol import ENTRYPOINTS_PATH, OLDER_VERSION, VERSION

JSON_RPC: Final = "JSONRPC"
HTTP_JSON: Final = "HTTP+JSON"
GRPC: Final = "GRPC"
_SKILL_LENGTH: Final = 128


class Interface(NamedTuple):
    """An address at which an agent is called, and how."""

    url: str
    protocol_binding: str  # the binding, such as JSONRPC
    protocol_version: str  # the version of A2A, "" for the current one
    tenant: str  # what a request names as its tenant, "" for nothing

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
class ReadCard:
    """An agent card; missing texts are "". `security_schemes` says each one's kind in words."""

    name: str
    description: str
    supported_interfaces: tuple[Interface, ...]
    security_schemes: Mapping[str, str]
    skills: tuple[Skill, ...]


def skills_of(card: ReadCard) -> frozenset[str]:
    return frozenset(skill.id for skill in card.skills if len(skill.id) <= _SKILL_LENGTH)


def http_scheme(scheme: str) -> str:
    return f"HTTP {scheme}"


def key_scheme(location: str, name: str) -> str:
    return f"API key, {location} {name}"


OAUTH_SCHEME: Final = "OAuth 2"
OPENID_SCHEME: Final = "OpenID Connect"
TLS_SCHEME: Final = "mutual TLS"
UNKNOWN_SCHEME: Final = "of an unknown kind"


_STATUSES: Final = frozenset({401, 403})
_MAX_NAMED: Final = 4
_NAME_SHOWN, _SAID_SHOWN = 64, 200


def schemes_of(card: ReadCard) -> str:
    """Return the names and kinds of a card's security schemes as one bounded line, "" if none."""
    named = sorted(card.security_schemes)[:_MAX_NAMED]
    listed = [_described(name, card.security_schemes[name]) for name in named]
    more = len(card.security_schemes) - len(listed)
    return ", ".join(listed) + (f" and {more} more" if more else "")


def _described(name: str, kind: str) -> str:
    return f"'{shown(name, _NAME_SHOWN)}' ({shown(kind, _NAME_SHOWN)})"


def refusal_of(fault: ProtocolFault, schemes: str) -> RemoteRefused | None:
    """Return the refusal behind HTTP status 401 or 403; None if the card names no scheme."""
    if fault.status not in _STATUSES or not schemes:
        return None
    return credentials_asked(fault.agent, fault.status, schemes, fault.said)


def credentials_asked(agent: str, code: int, schemes: str, said: str) -> RemoteRefused:
    quoted = f"; it says: {shown(said, _SAID_SHOWN)}" if said else ""
    return RemoteRefused(
        agent,
        f"it asks for credentials, which are not sent to it: its card names"
        f" {schemes or 'no security scheme'}{quoted}",
        code=code,
        reason=KitReason.CREDENTIALS_REQUIRED,
    )


_INTERFACE: Final = ("url", "protocolBinding", "protocolVersion", "tenant")
_SCHEMES: Final = {
    "apiKeySecurityScheme": ("description", "location", "name"),
    "httpAuthSecurityScheme": ("description", "scheme", "bearerFormat"),
    "openIdConnectSecurityScheme": ("description", "openIdConnectUrl"),
    "mtlsSecurityScheme": ("description",),
}
"""The texts of each kind of security scheme; that of OAuth 2 has more than texts."""
_OLDER_TYPES: Final = {
    "apiKey": "apiKeySecurityScheme",
    "http": "httpAuthSecurityScheme",
    "openIdConnect": "openIdConnectSecurityScheme",
    "mutualTLS": "mtlsSecurityScheme",
}
"""The kinds by the `type` of A2A 0.3, which a card may have beside the fields of 1.0."""
_TYPE: Final = "type"
_KIND: Final = "SecurityScheme"  # the end of a kind's name


class _NotPlain(Exception):
    """A value is not as expected, so the SDK decides."""


def plain_card(content: Mapping[str, Any]) -> ReadCard | None:
    """Return the card in the fields of a card's JSON that are read, None if it is not plain."""
    try:
        name, description, _version = _texts(content, ("name", "description", "version"))
        interfaces = tuple(
            Interface(*_texts(entry, _INTERFACE)) for entry in _list(content, "supportedInterfaces")
        )
        skills = tuple(
            Skill(_texts(skill, ("id", "name"))[0]) for skill in _list(content, "skills")
        )
        schemes = _object({} if (named := content.get("securitySchemes")) is None else named)
        kinds = {name: _kind(_object(scheme)) for name, scheme in schemes.items()}
    except _NotPlain:
        return None
    if not any(interface.is_fast for interface in interfaces):
        return None
    return ReadCard(name, description, interfaces, kinds, skills)


def _kind(scheme: Mapping[str, Any]) -> str:
    if _TYPE in scheme:
        older = scheme[_TYPE]
        kind = _OLDER_TYPES.get(older, "") if isinstance(older, str) else ""
        fields: Any = {name: value for name, value in scheme.items() if name != _TYPE}
        if older == "apiKey" and "in" in fields:
            fields["location"] = fields["in"]
    else:
        _check_names(scheme)
        named = [name for name in scheme if name.endswith(_KIND)]
        kind = named[0] if len(named) == 1 else ""
        fields = scheme.get(kind)
    if kind not in _SCHEMES:
        raise _NotPlain
    texts = _texts(fields, _SCHEMES[kind])
    match kind:
        case "httpAuthSecurityScheme":
            return http_scheme(texts[1])
        case "apiKeySecurityScheme":
            return key_scheme(texts[1], texts[2])
        case "openIdConnectSecurityScheme":
            return OPENID_SCHEME
        case _:
            return TLS_SCHEME


def _texts(content: Any, names: tuple[str, ...]) -> list[str]:
    """Return the texts of an object, "" for each that is absent or null."""
    fields = _object(content)
    _check_names(fields)
    texts = [fields.get(name) for name in names]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise _NotPlain
    return [text or "" for text in texts]


def _check_names(fields: Mapping[str, Any]) -> None:
    """Refuse names that protobuf may take for another spelling, or for an extension's."""
    if any("_" in name or name.startswith("[") for name in fields):
        raise _NotPlain


def _list(content: Mapping[str, Any], name: str) -> list[Any]:
    value = content.get(name, [])
    if not isinstance(value, list):
        raise _NotPlain
    return value


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _NotPlain
    return value


_HTTP: Final = "HTTP"
_OLDER_FIELDS: Final = ("preferredTransport", "additionalInterfaces")
"""Fields of cards of A2A 0.3 that those of the invoke profile do not have."""
_REQUIRED_BY_A2A: Final = ("capabilities", "protocolVersion")
"""Every version of A2A has required `capabilities`; 0.3 required `protocolVersion` too."""


def invoke_url(content: dict[str, Any]) -> str | None:
    """Return the URL below which an agent's skills are invoked, None if its card offers A2A.

    The card of such an agent has `entrypoints`, or lacks what A2A requires; and none of its
    interfaces states a version of A2A. The address is that of its first interface whose name
    contains HTTP, otherwise its `url`. Its query stays the query of every call.

    >>> invoke_url({"name": "py", "url": "http://bot:4301/?key=k", "skills": [{"id": "act"}]})
    'http://bot:4301/entrypoints/?key=k'
    """
    interfaces = content.get("supportedInterfaces")
    interfaces = interfaces if isinstance(interfaces, list) else []
    if any(field in content for field in _OLDER_FIELDS) or not all(map(_is_of_invoke, interfaces)):
        return None
    is_manifest = isinstance(content.get("entrypoints"), dict)
    if not is_manifest and any(field in content for field in _REQUIRED_BY_A2A):
        return None
    if not _has_skill_ids(content.get("skills")):
        return None
    url = interfaces[0].get("url") if interfaces else content.get("url")
    if not isinstance(url, str):
        return None
    address, mark, query = url.partition("#")[0].partition("?")
    return f"{address.rstrip('/')}{ENTRYPOINTS_PATH}/{mark}{query}"


def _is_of_invoke(interface: Any) -> bool:
    """Return whether an interface may be of the invoke profile: HTTP, no version of A2A."""
    return (
        isinstance(interface, dict)
        and isinstance(binding := interface.get("protocolBinding"), str)
        and _HTTP in binding
        and "protocolVersion" not in interface
    )


def _has_skill_ids(skills: Any) -> bool:
    return isinstance(skills, list) and any(
        isinstance(skill, dict) and isinstance(skill.get("id"), str) for skill in skills
    )


_PREFERRED: Final = (JSON_RPC, HTTP_JSON, GRPC)
_LISTED, _SHOWN = 4, 32
_TLS_PORT: Final = ":443"
_OLDEST: Final = "0.2"
_SPOKEN: Final = re.compile(r"v?(?:0\.[2-9]|[1-9])")
"""Versions of A2A that are called, later ones as the SDK does; "v" is a spelling of the SDK's."""
_WHOLE_INTERFACE: Final = "add supportedInterfaces with url, protocolBinding and protocolVersion"


async def choose_interface(transport: Transport, url: str, card: ReadCard) -> Interface:
    """Return the interface of the card at `url` to call.

    JSON-RPC is preferred to HTTP+JSON, that to gRPC, and each of them to A2A 0.3. An interface on
    another origin than the card's is used only if the transport allows the link.
    Raises ProtocolFault if there is none, AddressNotAllowed if none of them may be called.
    """
    spoken = _spoken(transport)
    fault: AgentError | None = None
    for interface in _in_order(card, spoken):
        try:
            address = await checked_address(transport, url, interface.url)
        except AddressNotAllowed as error:
            fault = error if not isinstance(fault, AddressNotAllowed) else fault
        except ProtocolFault as error:
            fault = fault or error
        else:
            return interface._replace(url=address)
    raise fault or ProtocolFault(url, _why_none(card, spoken))


async def checked_address(transport: Transport, url: str, address: str) -> str:
    """Return an address of the card at `url`, as it is called from here.

    A query of `url` is that of the agent's addresses without one below it, as a key is.
    Raises AddressNotAllowed of a forbidden link, ProtocolFault if it is no absolute http URL.
    """
    try:
        called = on_own_host(url, address)
        is_own = is_same_origin(url, called)
    except ValueError as error:
        raise ProtocolFault(url, _faulty_address(url, address, str(error))) from error
    try:
        if not is_own:
            await transport.check_link(url, called)
    except AddressNotAllowed as error:
        fault = f"its card advertises {address}, which is not called from here"
        fix = "advertise an address that others can reach"
        raise AddressNotAllowed(url, f"{fault} ({error.message}): {fix}") from error
    base = urlsplit(url)
    path = urlsplit(called).path.rstrip("/") + "/"
    is_below = is_own and path.startswith(base.path.rstrip("/") + "/")
    return with_query(called, base.query if is_below else "")


def _faulty_address(url: str, address: str, why: str) -> str:
    """Return a sentence on an address of a card that no client can call, with what to write."""
    if not address:
        return f"its card has an interface without a url: {_WHOLE_INTERFACE}"
    if "://" not in address and not address.startswith("//"):
        why = f"is not absolute: write {urljoin(url, address)}, with the host that others reach"
    return f"its card has no absolute http URL to call: {shown(address, _NAME_SHOWN)} {why}"


@cache
def is_grpc_installed() -> bool:
    return find_spec("grpc") is not None


def _spoken(transport: Transport) -> tuple[str, ...]:
    has_grpc = is_grpc_installed() and isinstance(transport, Dialling)
    return _PREFERRED if has_grpc else _PREFERRED[:-1]


def _in_order(card: ReadCard, spoken: tuple[str, ...]) -> list[Interface]:
    supported = [
        interface
        for interface in card.supported_interfaces
        if interface.protocol_binding in spoken
        and _SPOKEN.match(interface.protocol_version or VERSION)
    ]

    def rank(interface: Interface) -> tuple[bool, int]:
        return not interface.is_current, spoken.index(interface.protocol_binding)

    return [_as_called(interface) for interface in sorted(supported, key=rank)]


def _as_called(interface: Interface) -> Interface:
    """Return an interface whose address is a URL: that of gRPC may be `host:port`.

    One of A2A 0.2 is called by 0.3, which has the same form.
    """
    if interface.protocol_version.startswith(_OLDEST):
        interface = interface._replace(protocol_version=OLDER_VERSION)
    if interface.protocol_binding != GRPC or "://" in interface.url:
        return interface
    scheme = "https" if interface.url.endswith(_TLS_PORT) else "http"
    return interface._replace(url=f"{scheme}://{interface.url}")


def _why_none(card: ReadCard, spoken: tuple[str, ...]) -> str:
    interfaces = [each for each in card.supported_interfaces if each.protocol_binding]
    if not interfaces:
        return f"its card has no interface with an absolute http URL: {_WHOLE_INTERFACE}"
    offers = ", ".join(
        shown(f"{interface.protocol_binding} {interface.protocol_version}", _SHOWN)
        for interface in interfaces[:_LISTED]
    )
    more = f" and {len(interfaces) - _LISTED} more" if len(interfaces) > _LISTED else ""
    needs = "" if is_grpc_installed() else f"; {GRPC} is spoken where grpcio is installed"
    return (
        f"its card offers {offers}{more}; spoken here are {', '.join(spoken)}"
        f" of A2A {VERSION} and 0.3{needs}: add one of these interfaces"
    )
