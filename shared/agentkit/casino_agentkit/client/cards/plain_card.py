"""Read plain cards of A2A 1.0 without the SDK, as the SDK reads them.

What is not plain is left to the SDK, so that the verdict on a card is always the SDK's: older
cards, cards without JSON-RPC of A2A 1.x, values of another type than the field's, and protobuf's
other spellings (`protocol_binding` for `protocolBinding`). Fields that A2A 1.0 does not have are
ignored.
"""

from collections.abc import Mapping
from typing import Any, Final

from casino_agentkit.client.cards.card import (
    OPENID_SCHEME,
    TLS_SCHEME,
    Card,
    Interface,
    Skill,
    http_scheme,
    key_scheme,
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
_KIND: Final = "SecurityScheme"
"""The end of a kind's name."""


class _NotPlain(Exception):
    """A value is not as expected, so the SDK decides."""


def plain_card(content: Mapping[str, Any]) -> Card | None:
    """Return the card in the fields of a card's JSON that are read, None if it is not plain."""
    try:
        name, _description, _version = _texts(content, ("name", "description", "version"))
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
    return Card(name, interfaces, kinds, skills)


def _kind(scheme: Mapping[str, Any]) -> str:
    """Return what a security scheme is, for people."""
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
