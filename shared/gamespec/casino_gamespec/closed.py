"""Refuse schemas with external references or unbounded validation cost.

An untrusted schema may refer to the internet, refer to itself in a loop, or double its size forty
times. It is refused before any message is validated with it.
"""

from collections.abc import Iterator
from typing import Any

from referencing import Registry
from referencing._core import Resolver
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from casino_gamespec.errors import InvalidSpecification
from casino_gamespec.patterns import fault_of

_REFERENCES = ("$ref", "$dynamicRef")
_MAX_WEIGHT = 1_000
_MAX_CHAIN = 100


def resolver_of(schema: dict[str, Any]) -> Resolver[Any]:
    """Return the resolver of a schema's own references; it fetches nothing.

    Its names are collected once: otherwise each reference to one walks through the whole schema.
    """
    resource = DRAFT202012.create_resource(schema)
    uri = resource.id() or ""
    registry: Registry[Any] = Registry().with_resource(uri, resource).crawl()
    return registry.resolver(uri)


def check_closed(schema: dict[str, Any], part: str) -> None:
    """Raise InvalidSpecification if a schema has external or endless references."""
    _Walk(schema, part).check()


class _Walk:
    """One pass over a schema and all schemas it refers to."""

    def __init__(self, schema: dict[str, Any], part: str) -> None:
        self._root = schema
        self._part = part
        self._own = str(schema.get("$id", "")).removesuffix("#")
        self._weights: dict[int, int | None] = {}
        self._resolver = resolver_of(schema)

    def check(self) -> None:
        visited: dict[int, dict[str, Any]] = {}
        pending: list[Any] = [self._root]
        while pending:
            schema = pending.pop()
            if not isinstance(schema, dict) or id(schema) in visited:
                continue
            visited[id(schema)] = schema
            if schema is not self._root and not {"$id", "$schema"}.isdisjoint(schema):
                raise self._fault("$id and $schema are allowed at the top only")
            self._check_patterns(schema)
            pending += self._targets(schema)
            pending += DRAFT202012.subresources_of(schema)
        for schema in visited.values():
            self._weight(schema, 0)

    def _targets(self, schema: dict[str, Any]) -> Iterator[Any]:
        for keyword in _REFERENCES:
            reference = schema.get(keyword)
            if reference is None:
                continue
            inside = isinstance(reference, str) and (
                reference.startswith("#")
                or (self._own and reference.partition("#")[0] == self._own)
            )
            if not inside:
                raise self._fault(f"{keyword} {reference!r:.100} refers to another document")
            try:
                target = self._resolver.lookup(reference).contents
            except Unresolvable as error:
                raise self._fault(f"{keyword} {reference!r:.100} cannot be resolved") from error
            if not isinstance(target, dict | bool):
                raise self._fault(f"{keyword} {reference!r:.100} does not refer to a schema")
            yield target

    def _check_patterns(self, schema: dict[str, Any]) -> None:
        by_name = schema.get("patternProperties", {})
        for pattern in [schema.get("pattern"), *(by_name if isinstance(by_name, dict) else ())]:
            if isinstance(pattern, str) and (fault := fault_of(pattern)) is not None:
                raise self._fault(f"the pattern {pattern!r:.60} is refused: {fault}")

    def _weight(self, schema: Any, chain: int) -> int:
        """Return how many subschemas apply to the same value."""
        if not isinstance(schema, dict):
            return 1
        if id(schema) in self._weights:
            weight = self._weights[id(schema)]
            if weight is None:
                raise self._fault("it refers to itself in an endless loop")
            return weight
        if chain > _MAX_CHAIN:
            raise self._fault(f"a chain of references is longer than {_MAX_CHAIN}")
        self._weights[id(schema)] = None
        parts = [*_in_place(schema), *self._targets(schema)]
        weight = 1 + sum(self._weight(part, chain + 1) for part in parts)
        if weight > _MAX_WEIGHT:
            raise self._fault(f"more than {_MAX_WEIGHT} of its parts apply to the same value")
        self._weights[id(schema)] = weight
        return weight

    def _fault(self, message: str) -> InvalidSpecification:
        return InvalidSpecification(self._part, message)


def _in_place(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the subschemas that apply to the same value as this one."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for keyword in ("not", "if", "then", "else"):
        if keyword in schema:
            yield schema[keyword]
    yield from schema.get("dependentSchemas", {}).values()
