"""The fields of A2A 0.3 in a card of A2A 1.0, for clients of that version, without the SDK."""

from typing import Any

from casino_agentkit.protocol import OLDER_VERSION


def with_older_fields(card: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a card with the fields of A2A 0.3 added, in the same objects.

    A card without an interface of 0.3 has none. The content is that of `cards.card`: the SDK adds
    the same fields (`agent_card_to_dict`), also to cards with other kinds of security schemes.
    """
    older = [
        interface
        for interface in card["supportedInterfaces"]
        if interface["protocolVersion"] == OLDER_VERSION
    ]
    if not older:
        return card
    capabilities = card["capabilities"]
    written = card | {
        "capabilities": _with_required(capabilities),
        "skills": [_older_skill(skill) for skill in card["skills"]],
    }
    if "securitySchemes" in card:
        written["securitySchemes"] = {
            name: scheme | scheme["httpAuthSecurityScheme"] | {"type": "http"}
            for name, scheme in card["securitySchemes"].items()
        }
    is_extended = capabilities["extendedAgentCard"]
    return _with_missing(
        written,
        {
            "description": "",
            "name": "",
            "preferredTransport": older[0]["protocolBinding"],
            "protocolVersion": older[0]["protocolVersion"],
            **({"supportsAuthenticatedExtendedCard": True} if is_extended else {}),
            "url": older[0]["url"],
            "version": "",
        },
    )


def _with_required(capabilities: dict[str, Any]) -> dict[str, Any]:
    """Return capabilities whose extensions say that they are not required."""
    if "extensions" not in capabilities:
        return capabilities
    extensions = [extension | {"required": False} for extension in capabilities["extensions"]]
    return capabilities | {"extensions": extensions}


def _older_skill(skill: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"description": "", "id": "", "name": ""}
    if required := skill.get("securityRequirements"):
        fields["security"] = [{name: [] for name in each["schemes"]} for each in required]
    return _with_missing(skill, fields)


def _with_missing(written: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return written | {name: value for name, value in fields.items() if name not in written}
