"""Game specification: metadata, rules and schemas of one version of a game.

Its schemas validate messages. They are of draft 2020-12 or later, without external references. A
later dialect is read as 2020-12, with a warning. Each validation has a budget, because neither the
schema nor the message is trusted.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from casino_contracts.foreign_text import TextLimits, json_of
from casino_contracts.message_schemas import DIALECT
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from casino_gamespec import front_matter
from casino_gamespec.errors import InvalidSpecification
from casino_gamespec.front_matter import FrontMatter, Version
from casino_gamespec.schema_checks import LONGEST_TEXT, check_closed, resolver_of, warning_of

DEEPEST = 64
_LIMITS = TextLimits(nesting=DEEPEST)

_LINE_END = re.compile(r"\r\n|\n|\r")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[ \t]*(.*)")
_NUMBERING = re.compile(r"\d+(?:\.\d+)*[.):]?\s+")
_JSON_LABELS = {"json", "jsonc", "jsonschema", "json-schema", "schema", "schema+json", ""}


@dataclass
class CodeBlock:
    """A fenced code block; `label` is the word after the opening fence."""

    label: str
    text: str

    @property
    def is_json(self) -> bool:
        return self.label.removeprefix("application/") in _JSON_LABELS


@dataclass
class Section:
    """A heading and the text below it, up to the next heading."""

    title: str
    level: int
    lines: list[str] = field(default_factory=list)
    blocks: list[CodeBlock] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


class Document:
    """The sections of a Markdown text, in order."""

    def __init__(self, markdown: str) -> None:
        self._sections = list(_sections(markdown))

    def text_of(self, title: str) -> str | None:
        """Return the text of a section and its subsections, None without one."""
        for number, section in enumerate(self._sections):
            if section.title == plain_title(title):
                return "\n\n".join(part.text for part in self._with_subsections(number)).strip()
        return None

    def json_of(self, title: str) -> object:
        """Return its JSON, first that with a `$schema`. Raises InvalidSpecification."""
        candidates = [
            blocks
            for number, section in enumerate(self._sections)
            if section.title == plain_title(title)
            and (
                blocks := [
                    b for part in self._with_subsections(number) for b in part.blocks if b.is_json
                ]
            )
        ]
        if not candidates:
            raise InvalidSpecification(
                title, f"the section {title!r} with a JSON code block is missing"
            )
        if len(candidates) > 1:
            raise InvalidSpecification(title, "there are several such sections")
        schemas = [block for block in candidates[0] if '"$schema"' in block.text]
        return read_json((schemas or candidates[0])[0].text, title)

    def _with_subsections(self, number: int) -> Iterator[Section]:
        level = self._sections[number].level
        yield self._sections[number]
        for following in range(number + 1, len(self._sections)):
            if self._sections[following].level <= level:
                return
            yield self._sections[following]


def plain_title(title: str) -> str:
    """Return a normalised heading: `## 4. **State Schema**:` becomes `state schema`."""
    words = re.sub(r"[*_`:#\[\]-]+", " ", title).strip()
    return " ".join(_NUMBERING.sub("", words, count=1).casefold().split())


def _sections(markdown: str) -> Iterator[Section]:
    section = Section("", 0)
    fence = ""
    block: CodeBlock | None = None
    content: list[str] = []
    for line in _LINE_END.split(markdown):
        fenced = _FENCE.match(line)
        if block is not None:
            section.lines.append(line)
            closes = fenced is not None and not fenced[2] and fenced[1].startswith(fence)
            if not closes:
                content.append(line)
                continue
            block.text = "\n".join(content)
            block = None
        elif fenced is not None:
            fence, label = fenced[1], fenced[2].strip("{}. \t").casefold()
            block = CodeBlock((label.split() or [""])[0], "")
            content = []
            section.blocks.append(block)
            section.lines.append(line)
        elif (heading := _HEADING.match(line)) is not None:
            yield section
            section = Section(plain_title(heading[2]), len(heading[1]))
        else:
            section.lines.append(line)
    if block is not None:
        block.text = "\n".join(content)
    yield section


def read_json(text: str, part: str) -> object:
    """Parse JSON, of bounded depth, without NaN or duplicate keys. Raises InvalidSpecification."""
    try:
        return json_of(text, _LIMITS, object_pairs_hook=_unique)
    except ValueError as error:
        raise InvalidSpecification(part, f"the code block is not JSON: {error}"[:300]) from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("a key appears twice in one object")
    return mapping


FAULTS_SHOWN = 20
_MAX_SIZE = 5_000
_BUDGET = 100_000
_COST_OF_UNEVALUATED = 1_000
_MAX_SHOWN = 120

DOCUMENT_LIMIT = 1_000_000
"""Maximum size of a document, in bytes."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """Path of a faulty value and what it must be; contains no value of the message."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class _TooMuch(Exception):
    """A validation exceeds its budget."""


class Schema:
    """A schema to validate messages with; `warning` says if its dialect is read as another.

    >>> Schema.of({"type": "object", "required": ["pot"]}, "State Schema").faults({})
    (Fault(path='$', message="'pot' is a required property"),)
    """

    def __init__(self, document: dict[str, Any], warning: str | None = None) -> None:
        self.document = document
        self.warning = warning
        self._left = 0
        keywords = {key: value for key, value in document.items() if key != "$schema"}
        # Without $schema, subschemas use this validator class, which counts its steps.
        counting = extend(  # type: ignore[no-untyped-call]  # as its stubs have it
            Draft202012Validator,
            {name: self._counted(name, f) for name, f in Draft202012Validator.VALIDATORS.items()},
        )
        # The default resolver would fetch, and look for each name anew.
        self._validator = counting(keywords, _resolver=resolver_of(keywords))

    @classmethod
    def of(cls, document: object, part: str) -> "Schema":
        """Check a schema against the metaschema and the limits. Raises InvalidSpecification."""
        if not isinstance(document, dict):
            raise InvalidSpecification(part, "the JSON Schema must be an object")
        warning = warning_of(document.get("$schema", DIALECT), part)
        if _size(document) > _MAX_SIZE:
            raise InvalidSpecification(part, f"it has more than {_MAX_SIZE} objects and lists")
        metaschema = Draft202012Validator(Draft202012Validator.META_SCHEMA)
        error = next(metaschema.iter_errors(document), None)
        if error is not None:
            raise InvalidSpecification(
                part, f"invalid JSON Schema at {_path(error)}: {error.message:.200}"
            )
        check_closed(document, part)
        return cls(document, warning)

    def faults(self, message: object) -> tuple[SchemaFault, ...]:
        """Return the faults of a message, () if it conforms to the schema."""
        if _depth(message) > DEEPEST:
            return (SchemaFault("$", f"is nested deeper than {DEEPEST}"),)
        self._left = _BUDGET
        faults: list[SchemaFault] = []
        try:
            for error in self._validator.iter_errors(message):
                faults.append(SchemaFault(_path(error), _message_of(error)))
                if len(faults) == FAULTS_SHOWN:
                    break
        except (_TooMuch, RecursionError, ArithmeticError):
            # ArithmeticError: `multipleOf 0.1` of a number with four hundred digits.
            faults.append(SchemaFault("$", "is too large to be checked"))
        return tuple(faults)

    def _counted(self, keyword: str, check: Callable[..., Any]) -> Callable[..., Any]:
        def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            self._left -= _cost(keyword, value, instance)
            if self._left < 0:
                raise _TooMuch
            if keyword == "pattern" and isinstance(instance, str) and len(instance) > LONGEST_TEXT:
                return iter([ValidationError("too long")])
            return check(validator, value, instance, schema) or iter(())

        return counted


def _cost(keyword: str, value: Any, instance: Any) -> int:
    if keyword == "uniqueItems" and isinstance(instance, list):
        return len(instance) ** 2
    if keyword in {"unevaluatedProperties", "unevaluatedItems"}:
        return _COST_OF_UNEVALUATED
    if keyword in {"patternProperties", "enum"}:
        return 1 + len(value) * (len(instance) if isinstance(instance, dict) else 1)
    return 1


def _path(error: Any) -> str:
    """Return the path of an error, such as `$.players[0].stack`; keys are not trusted."""
    path = "$"
    for key in error.absolute_path:
        path += f"[{key}]" if isinstance(key, int) else f".{_clean(str(key), 40)}"
    return path[:200]


def _message_of(error: Any) -> str:
    """Return what the schema demands, without the state's values: they may be secret."""
    keyword, value = error.validator, error.validator_value
    if keyword == "required":
        return _clean(error.message, _MAX_SHOWN)
    if keyword == "type":
        return f"must be of type {' or '.join([value] if isinstance(value, str) else value)}"
    if keyword == "additionalProperties" and value is False and isinstance(error.instance, dict):
        unknown = sorted(map(str, error.instance.keys() - error.schema.get("properties", {})))
        return _clean(f"must not have {', '.join(unknown[:3])}", _MAX_SHOWN)
    if keyword in {"anyOf", "oneOf"}:
        return f"must match {'exactly one' if keyword == 'oneOf' else 'one'} of {len(value)} forms"
    if keyword is None:
        return "must be absent"
    return _clean(f"must satisfy {keyword} {json.dumps(value)}", _MAX_SHOWN)


def _clean(text: str, limit: int) -> str:
    return "".join(letter for letter in text[:limit] if letter.isprintable())


def _depth(message: object) -> int:
    """Return the nesting depth of a message, at most DEEPEST + 1."""
    layer = _nested([message])
    for depth in range(DEEPEST + 1):
        if not layer:
            return depth
        layer = _children(layer)
    return DEEPEST + 1


def _size(document: object) -> int:
    size = 0
    layer = _nested([document])
    while layer:
        size += len(layer)
        layer = _children(layer)
    return size


def _children(layer: list[Any]) -> list[Any]:
    return [
        child
        for value in layer
        for child in _nested(value.values() if isinstance(value, dict) else value)
    ]


def _nested(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list | tuple)]


@dataclass(frozen=True)
class GameSpec:
    """One version of one game's specification; `about` is its metadata, `text` the document."""

    about: FrontMatter
    document: Document
    state: Schema
    action: Schema
    result: Schema
    text: str

    @classmethod
    def parse(cls, text: str) -> "GameSpec":
        """Parse a document. Raises InvalidSpecification, with the part that is wrong."""
        if len(text.encode(errors="replace")) > DOCUMENT_LIMIT:
            raise InvalidSpecification("document", f"is larger than {DOCUMENT_LIMIT} bytes")
        yaml, markdown = front_matter.split(text.removeprefix("\ufeff"))
        about = front_matter.read(yaml)
        document = Document(markdown)
        state, action, result = (
            Schema.of(document.json_of(title), title)
            for title in ("State Schema", "Action Schema", "Result Schema")
        )
        return cls(about, document, state, action, result, text)

    @property
    def game_type(self) -> str:
        return self.about.game_type

    @property
    def version(self) -> Version:
        return Version.parse(self.about.version)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is read otherwise than written, such as a schema of a later dialect."""
        schemas = (self.state, self.action, self.result)
        return tuple(schema.warning for schema in schemas if schema.warning is not None)

    def check_state(self, state: object) -> tuple[SchemaFault, ...]:
        return self.state.faults(state)

    def check_action(self, action: object) -> tuple[SchemaFault, ...]:
        return self.action.faults(action)

    def check_result(self, result: object) -> tuple[SchemaFault, ...]:
        return self.result.faults(result)

    def text_of(self, title: str) -> str | None:
        """Return the text of a section such as `Rules`, None if the document has none."""
        return self.document.text_of(title)
