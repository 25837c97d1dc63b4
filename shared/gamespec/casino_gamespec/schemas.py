"""The JSON Schemas of a specification: checked when read, then used on every message.

Draft 2020-12, closed within the document, and with a budget: whatever a stranger's schema and a
stranger's message are, validating one with the other ends soon.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry

from casino_gamespec.closed import check_closed
from casino_gamespec.document import DEEPEST
from casino_gamespec.errors import InvalidSpecification
from casino_gamespec.patterns import LONGEST_TEXT

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FAULTS_SHOWN = 20
_LARGEST = 5_000
_BUDGET = 100_000
_COST_OF_UNEVALUATED = 1_000
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a message is wrong, and what would be right; nothing of what it holds."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class _TooMuch(Exception):
    """The work of one validation is beyond its budget."""


class Schema:
    """A schema that messages are checked with.

    >>> Schema.of({"type": "object", "required": ["pot"]}, "State Schema").faults({})
    (Fault(path='$', message="'pot' is a required property"),)
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._left = 0
        meant = {key: value for key, value in document.items() if key != "$schema"}
        # Without $schema every part is checked by this class, which counts what it does.
        counting = extend(  # type: ignore[no-untyped-call]  # as its stubs have it
            Draft202012Validator,
            {name: self._counted(name, f) for name, f in Draft202012Validator.VALIDATORS.items()},
        )
        registry: Registry[Any] = Registry()  # the default one would fetch
        self._validator = counting(meant, registry=registry)

    @classmethod
    def of(cls, document: object, part: str) -> "Schema":
        """Check a schema against the metaschema and our bounds, or raise InvalidSpecification."""
        if not isinstance(document, dict):
            raise InvalidSpecification(part, "the JSON Schema must be an object")
        dialect = document.get("$schema", DIALECT)
        if not isinstance(dialect, str) or dialect.removesuffix("#") != DIALECT:
            raise InvalidSpecification(part, f"$schema {dialect!r:.100} must be {DIALECT}")
        if _size(document) > _LARGEST:
            raise InvalidSpecification(part, f"it has more than {_LARGEST} objects and lists")
        metaschema = Draft202012Validator(Draft202012Validator.META_SCHEMA)
        error = next(metaschema.iter_errors(document), None)
        if error is not None:
            raise InvalidSpecification(
                part, f"no JSON Schema at {_path(error)}: {error.message:.200}"
            )
        check_closed(document, part)
        return cls(document)

    def faults(self, message: object) -> tuple[Fault, ...]:
        """Return what is wrong with a message, () when it fulfils the schema."""
        if _depth(message) > DEEPEST:
            return (Fault("$", f"is nested deeper than {DEEPEST}"),)
        self._left = _BUDGET
        found: list[Fault] = []
        try:
            for error in self._validator.iter_errors(message):
                found.append(Fault(_path(error), _told(error)))
                if len(found) == FAULTS_SHOWN:
                    break
        except (_TooMuch, RecursionError, ArithmeticError):
            # Arithmetic: `multipleOf 0.1` of a number with four hundred digits.
            found.append(Fault("$", "is too large to be checked"))
        return tuple(found)

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
    """Return where an error is, `$.players[0].stack`; whatever a stranger calls his keys."""
    path = "$"
    for key in error.absolute_path:
        path += f"[{key}]" if isinstance(key, int) else f".{_clean(str(key), 40)}"
    return path[:200]


def _told(error: Any) -> str:
    """Return what an error demands: a state's own values are a player's secrets."""
    keyword, value = error.validator, error.validator_value
    if keyword == "required":
        return _clean(error.message, _SHOWN)
    if keyword == "type":
        return f"must be of type {' or '.join([value] if isinstance(value, str) else value)}"
    if keyword == "additionalProperties" and value is False and isinstance(error.instance, dict):
        unknown = sorted(map(str, error.instance.keys() - error.schema.get("properties", {})))
        return _clean(f"must not have {', '.join(unknown[:3])}", _SHOWN)
    if keyword in {"anyOf", "oneOf"}:
        return f"must fit {'exactly one' if keyword == 'oneOf' else 'one'} of {len(value)} forms"
    if keyword is None:
        return "must not be there"
    return _clean(f"must fulfil {keyword} {json.dumps(value)}", _SHOWN)


def _clean(text: str, limit: int) -> str:
    return "".join(letter for letter in text[:limit] if letter.isprintable())


def _depth(message: object) -> int:
    """Return how deeply a message is nested, one more than DEEPEST where it is deeper."""
    layer = _nested([message])
    for depth in range(DEEPEST + 1):
        if not layer:
            return depth
        layer = _children(layer)
    return DEEPEST + 1


def _size(document: object) -> int:
    """Return how many objects and lists a document has; its depth is bounded."""
    size = 0
    layer = _nested([document])
    while layer:
        size += len(layer)
        layer = _children(layer)
    return size


def _children(layer: list[Any]) -> list[Any]:
    """Return the objects and lists directly within some others."""
    return [
        child
        for value in layer
        for child in _nested(value.values() if isinstance(value, dict) else value)
    ]


def _nested(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list | tuple)]
