"""Refuse schemas that could reach out, run too long, or mean something else: they are untrusted.

A schema may refer to the internet, to itself in a loop, or double its size forty times. Python's
engine of regular expressions backtracks: `(a+)+$` takes years on thirty letters, so a pattern is
only run if a rough upper bound of its steps is small, and only on short texts. The dialect is draft
2020-12, or a later one that is read as 2020-12. All is refused before any message is validated.
"""

import re
from collections.abc import Iterator
from typing import Any

from casino_contracts.message_schemas import DIALECT
from referencing import Registry
from referencing._core import Resolver
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from casino_gamespec.errors import InvalidSpecification

LONGEST_TEXT = 256
"""Maximum length of a text to match; longer texts fail the pattern."""

_LONGEST_PATTERN = 256
_MOST_STEPS = 5e7
_NESTED_REPEAT = "it repeats a group with a repetition or alternative, which may not terminate"
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?[:=!]|\?<[=!])?|\)|\|"
    r"|(?P<repeat>[*+?]|\{\d+(?:,\d*)?\})\??|.",
    re.DOTALL,
)

_REFERENCES = ("$ref", "$dynamicRef")
_MAX_WEIGHT = 1_000
_MAX_CHAIN = 100
_NAME = re.compile(
    r"https://json-schema\.org/"
    r"(?:draft/(?:(?P<draft>\d{4}-\d\d)|next)/schema|v\d{1,3}(?:/\d{4}(?:-\d\d)?)?(?:/schema)?)"
)
"""Dated drafts, the one in preparation, and the names announced for stable releases."""
_READ_AS = "2020-12"


def fault_of(pattern: str) -> str | None:
    """Return why a pattern is refused, None if it is accepted.

    >>> fault_of("^[2-9TJQKA][shdc]$")
    >>> fault_of("(a+)+$")
    'it repeats a group with a repetition or alternative, which may not terminate'
    """
    if len(pattern) > _LONGEST_PATTERN:
        return f"it is longer than {_LONGEST_PATTERN} characters"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"it cannot be parsed: {error}"
    return _fault_of_repeats(pattern)


def _fault_of_repeats(pattern: str) -> str | None:
    steps = 1.0
    open_groups: list[bool] = [False]  # whether each has a repetition or alternative
    closed: bool | None = None  # the same for a group that just ended
    for token in _TOKEN.finditer(pattern):
        repeat = token["repeat"]
        if repeat is not None:
            times = _times(repeat)
            if closed and times > 2:  # noqa: PLR2004  a `?` does not repeat
                return _NESTED_REPEAT
            steps *= times
            open_groups[-1] = True
            closed = None
            continue
        closed = None
        text = token[0]
        if text.startswith("("):
            open_groups.append(False)
        elif text == ")":
            closed = open_groups.pop()
            open_groups[-1] |= closed
        elif text == "|":
            open_groups[-1] = True
            steps *= 2
        elif re.fullmatch(r"\\[1-9]", text):
            return "it has a back-reference, which may not terminate"
    return "it may take too many steps" if steps > _MOST_STEPS else None


def _times(repeat: str) -> int:
    """Return in how many ways a quantifier can match."""
    if repeat == "?":
        return 2
    if repeat in "*+":
        return LONGEST_TEXT
    least, comma, most = repeat.strip("{}").partition(",")
    if not comma:
        return max(1, int(least))
    return min(LONGEST_TEXT, int(most)) + 1 if most else LONGEST_TEXT


def resolver_of(schema: dict[str, Any]) -> Resolver[Any]:
    """Return the resolver of a schema's own references, collected once; it fetches nothing."""
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


def warning_of(dialect: object, part: str) -> str | None:
    """Return the warning for a schema's `$schema`: None for 2020-12, a text for a later dialect.

    Raises InvalidSpecification for an earlier or unknown dialect.

    >>> warning_of("https://json-schema.org/draft/next/schema", "State Schema")
    'State Schema: $schema https://json-schema.org/draft/next/schema is read as draft 2020-12'
    """
    name = dialect.removesuffix("#") if isinstance(dialect, str) else ""
    if name == DIALECT:
        return None
    match = _NAME.fullmatch(name)
    if match is None or (match["draft"] or "9999-99") <= _READ_AS:
        raise InvalidSpecification(part, f"$schema {dialect!r:.100} must be {DIALECT} or later")
    return f"{part}: $schema {name} is read as draft {_READ_AS}"
