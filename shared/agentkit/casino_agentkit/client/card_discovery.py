"""Fetch and parse agent cards, with the inputs that their skills declare."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import orjson

from casino_agentkit.accepted_json import ReplyBounds, is_deeper, shown, values_in
from casino_agentkit.card_signing import signer_of
from casino_agentkit.client.agent_card import ReadCard, invoke_url, plain_card
from casino_agentkit.client.transport import Transport, send_following
from casino_agentkit.errors import (
    AgentError,
    BadSignature,
    ProtocolFault,
    Unreachable,
)
from casino_agentkit.process.late_imports import import_late
from casino_agentkit.protocol import (
    CARD_PATH,
    EXTENSION,
    JSON,
    OLDER_CARD_PATH,
    VERSION,
    VERSION_HEADER,
)

_MOST_ENTRYPOINTS, _MOST_ALTERNATIVES, _MOST_FIELDS = 64, 16, 64
_LENGTH: Final = 128
_DEFINITIONS: Final = "#/$defs/"
_TAKES_JSON: Final = frozenset({JSON, "application/*", "*/*"})
_MODES_READ: Final = 64  # number of input modes of a skill that are read


def declared_inputs(params: list[Any]) -> Mapping[str, frozenset[str]]:
    """Return the names of the input's fields by skill, from the params of the extension.

    Fields of alternatives (`oneOf`, `anyOf`) are included. What cannot be read is left out.

    >>> schema = {"oneOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"properties": {"a": {}}}}}
    >>> declared_inputs([{"entrypoints": [{"skill": "s", "input": schema}]}])
    {'s': frozenset({'a'})}
    """
    entrypoints = [item for declared in params for item in _items(declared, "entrypoints")]
    return {
        skill: frozenset(islice(_input_fields(entrypoint.get("input")), _MOST_FIELDS))
        for entrypoint in entrypoints[:_MOST_ENTRYPOINTS]
        if isinstance(entrypoint, dict)
        and isinstance(skill := entrypoint.get("skill"), str)
        and len(skill) <= _LENGTH
    }


def _input_fields(schema: Any) -> Iterator[str]:
    alternatives = [*_items(schema, "oneOf"), *_items(schema, "anyOf")]
    for form in (schema, *alternatives[:_MOST_ALTERNATIVES]):
        properties = _resolved(form, schema).get("properties")
        if isinstance(properties, dict):
            yield from (name for name in properties if len(name) <= _LENGTH)


def _resolved(form: Any, schema: Any) -> dict[str, Any]:
    """Return a schema, or the definition that it refers to; {} if there is none."""
    if not isinstance(form, dict):
        return {}
    reference = form.get("$ref")
    if not isinstance(reference, str):
        return form
    definitions = schema.get("$defs")
    name = reference.removeprefix(_DEFINITIONS)
    defined = definitions.get(name) if isinstance(definitions, dict) else None
    return defined if isinstance(defined, dict) else {}


def _items(value: Any, key: str) -> list[Any]:
    items = value.get(key) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []


_HEADERS = {"Accept": "application/json", VERSION_HEADER: VERSION}
_OK = 200
_BOM: Final = b"\xef\xbb\xbf"
"""What some editors write before JSON in UTF-8."""
_INVOKE_CARD_PATH: Final = "/agentcard.json"
"""Where clients of the invoke profile look for a card last."""

_CARD_FIELDS: Final = (
    "name", "description", "version", "url", "protocolVersion", "preferredTransport",
    "additionalInterfaces", "supportedInterfaces", "capabilities", "securitySchemes", "skills",
)  # fmt: skip
"""Fields of a card that are read; the others are not converted, to save time."""
_SKILL_FIELDS: Final = ("id", "name")
_MOST_SKILLS, _MOST_INTERFACES, _MOST_EXTENSIONS = 256, 16, 16
_VALUE_SHOWN: Final = 40
_PARAMS_KEPT: Final = 65_536
"""Maximum size of the extension's params, without the entrypoints' schemas, in bytes."""
_SDK_CARDS: Final = "casino_agentkit.client.sdk_cards"


@dataclass(frozen=True)
class FoundCard:
    """An agent card, and the unparsed params of the typed-entrypoint extension."""

    card: ReadCard
    is_typed: bool  # whether it declares the extension
    params: dict[str, Any]
    signer: str | None = None  # thumbprint of the key that signed it, None if it is unsigned
    inputs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Names of the input's fields by skill, as far as the extension declares them."""
    json_skills: frozenset[str] = frozenset()
    """Ids of its skills that take JSON, by their input modes."""
    invoke_url: str | None = None
    """Where its skills are invoked if it offers only the invoke profile, otherwise None."""
    content: bytes | bytearray = field(default=b"", repr=False)  # its JSON, as it was read


def candidates(url: str) -> list[str]:
    r"""Return the possible URLs of a card, from the URL of a card or an agent.

    >>> candidates("http://host:4101")
    ['http://host:4101/.well-known/agent-card.json', 'http://host:4101', \
'http://host:4101/.well-known/agent.json', 'http://host:4101/agentcard.json']
    """
    address, mark, query = url.partition("#")[0].partition("?")
    base = address.rstrip("/")
    if urlsplit(base).path.endswith(".json"):
        return [each + mark + query for each in dict.fromkeys((address, base))]
    paths = (CARD_PATH, OLDER_CARD_PATH, _INVOKE_CARD_PATH)
    first, *others = [base + path + mark + query for path in paths]
    return [first, address + mark + query, *others]


async def fetch_card(
    transport: Transport, url: str, timeout_s: float, bounds: ReplyBounds
) -> FoundCard:
    """Fetch the card at a URL.

    The SDK's resolver does not limit the size of a body. So the transport reads it, and the SDK
    only parses it, unless it is plain.
    Raises Unreachable, TimedOut, or ProtocolFault if there is no valid card.
    """
    fault: AgentError | None = None
    has_content = False
    for candidate in candidates(url):
        reply = await send_following(transport, "GET", candidate, _HEADERS, b"", timeout_s)
        if reply.status == _OK:
            body = reply.body.removeprefix(_BOM)
            try:
                content = bounds.parse(body)
                fields = _fields(content, bounds)
                signer = await signer_of(
                    content, candidate, lambda jku: read_url(transport, jku, timeout_s)
                )
                plain = plain_card(fields.read)
                if plain is None:
                    await import_late(_SDK_CARDS)
                card = _card_of(fields, plain, bounds)
            except BadSignature as error:
                raise ProtocolFault(url, f"its card {error}") from error
            except ValueError as error:
                if not has_content:
                    has_content = True
                    fault = ProtocolFault(url, f"the content of {candidate} {error}")
                    fault.__cause__ = error
            else:
                return replace(card, signer=signer, content=body)
        else:
            fault = fault or ProtocolFault(
                url, f"no agent card at {candidate}: HTTP status {reply.status}"
            )
    raise fault or Unreachable(url, "there is no URL to read a card from")


def read_card(content: Any, bounds: ReplyBounds) -> FoundCard:
    """Raise ValueError for what is no card, or too large; its message is a predicate."""
    fields = _fields(content, bounds)
    return _card_of(fields, plain_card(fields.read), bounds)


class _Fields(NamedTuple):
    """What is read of a card's JSON."""

    read: dict[str, Any]  # the fields of the card itself
    json_skills: frozenset[str]
    params: list[Any]  # the params of each declaration of the extension
    invoke_url: str | None


def _fields(content: Any, bounds: ReplyBounds) -> _Fields:
    """Return what is read of the card in a JSON value; raises as `read_card` does.

    A member that is null counts as absent, as in protobuf's JSON.
    """
    if not isinstance(content, dict):
        raise ValueError("is not an agent card: a card is a JSON object")  # noqa: TRY004  a verdict
    read = {key: content[key] for key in _CARD_FIELDS if key in content}
    for key, most in (("supportedInterfaces", _MOST_INTERFACES), ("skills", _MOST_SKILLS)):
        if isinstance(read.get(key), list):
            read[key] = read[key][:most]
    json_skills: frozenset[str] = frozenset()
    if isinstance(read.get("skills"), list):
        json_skills = skills_taking_json(read["skills"], content.get("defaultInputModes"))
        read["skills"] = [_named(skill) for skill in read["skills"]]
    capabilities = _of_type(dict, "capabilities", read.pop("capabilities", None) or {})
    extensions = _objects(
        "capabilities.extensions", capabilities.get("extensions") or [], _MOST_EXTENSIONS
    )
    params = [
        extension.get("params") for _, extension in extensions if extension.get("uri") == EXTENSION
    ]
    if is_deeper(read, bounds.deepest) or values_in(read, bounds.converted) > bounds.converted:
        raise ValueError("is too large for an agent card")
    read = _without_nulls(read)
    if read.get("supportedInterfaces") == []:  # in protobuf's JSON, as if it were absent
        del read["supportedInterfaces"]
    _check_types(read)
    present = {key: value for key, value in content.items() if value is not None}
    return _Fields(read, json_skills, params, None if params else invoke_url(present | read))


def _named(skill: Any) -> Any:
    if not isinstance(skill, dict):
        return skill
    return {key: skill[key] for key in _SKILL_FIELDS if key in skill}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


_TEXTS: Final = ("name", "description", "version")
_OLDER_TEXTS: Final = ("url", "protocolVersion", "preferredTransport")
"""Texts of A2A 0.3, which are not read beside `supportedInterfaces`."""
_LISTED: Final = {
    "supportedInterfaces": ("url", "protocolBinding", "protocolVersion", "tenant"),
    "skills": _SKILL_FIELDS,
}
"""The lists of objects that are read, and the texts in each object."""
_KINDS: Final[Mapping[type, str]] = {str: "a string", list: "a list", dict: "an object"}


def _check_types(read: Mapping[str, Any]) -> None:
    """Raise ValueError for the first field that the SDK cannot read, with what to write."""
    is_older = "supportedInterfaces" not in read
    for name in (*_TEXTS, *(_OLDER_TEXTS if is_older else ())):
        _of_type(str, name, read.get(name, ""))
    lists = {**_LISTED, "additionalInterfaces": ("url", "transport")} if is_older else _LISTED
    for name, texts in lists.items():
        for place, item in _objects(name, read.get(name, [])):
            for text in texts:
                _of_type(str, f"{place}.{text}", item.get(text, ""))
    schemes = _of_type(dict, "securitySchemes", read.get("securitySchemes", {}))
    for name, scheme in schemes.items():
        _of_type(dict, f"securitySchemes.{name}", scheme)


def _objects(path: str, value: Any, most: int | None = None) -> list[tuple[str, dict[str, Any]]]:
    """Return the first objects of a list, each with its path."""
    items = _of_type(list, path, value)[:most]
    return [(place := f"{path}.{n}", _of_type(dict, place, item)) for n, item in enumerate(items)]


def _of_type(kind: type, path: str, value: Any) -> Any:
    if isinstance(value, kind):
        return value
    if isinstance(value, dict | list):
        found = f", not {_KINDS[type(value)]}"
    elif kind is str and value is not None:  # a number, true or false
        found = f': write "{orjson.dumps(value).decode()}"'
    else:
        found = f", not {shown(orjson.dumps(value).decode(), _VALUE_SHOWN)}"
    raise ValueError(f"is a card with a fault: {path}: must be {_KINDS[kind]}{found}")


def _card_of(fields: _Fields, plain: ReadCard | None, bounds: ReplyBounds) -> FoundCard:
    if plain is None:
        # Imported lazily: few cards need it.
        from casino_agentkit.client.sdk_cards import sdk_card  # noqa: PLC0415

        plain = sdk_card(fields.read)
    return FoundCard(
        plain,
        bool(fields.params),
        _bounded(fields.params, bounds),
        inputs=declared_inputs(fields.params),
        json_skills=fields.json_skills,
        invoke_url=fields.invoke_url,
    )


def _bounded(params: list[Any], bounds: ReplyBounds) -> dict[str, Any]:
    """Return the extension's params without the schemas, {} if they are too large."""
    declared = next((item for item in params if isinstance(item, dict)), {})
    about = {key: value for key, value in declared.items() if key != "entrypoints"}
    if bounds.is_too_deep(about) or len(orjson.dumps(about)) > _PARAMS_KEPT:
        return {}
    return about


async def read_url(transport: Transport, url: str, timeout_s: float) -> bytes:
    """Return the body at a URL. Raises Unreachable, TimedOut, or ProtocolFault unless it is 200."""
    reply = await send_following(transport, "GET", url, _HEADERS, b"", timeout_s)
    if reply.status != _OK:
        raise ProtocolFault(url, f"HTTP status {reply.status}")
    return bytes(reply.body)


def skills_taking_json(skills: list[Any], default_modes: Any) -> frozenset[str]:
    """Return ids by `inputModes`, else `defaultInputModes`; without either all JSON is taken."""
    return frozenset(
        skill["id"]
        for skill in skills
        if isinstance(skill, dict)
        and isinstance(skill.get("id"), str)
        and _takes_json(skill.get("inputModes") or default_modes)
    )


def _takes_json(modes: Any) -> bool:
    """Return whether a list of media types contains JSON; parameters and case do not count."""
    if not modes:
        return True
    return isinstance(modes, list) and any(
        isinstance(mode, str) and mode.partition(";")[0].strip().lower() in _TAKES_JSON
        for mode in modes[:_MODES_READ]
    )
