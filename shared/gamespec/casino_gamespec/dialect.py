"""The dialect of a schema: draft 2020-12, or a later one that is read as 2020-12."""

import re

from casino_contracts.message_schemas import DIALECT

from casino_gamespec.errors import InvalidSpecification

_NAME = re.compile(
    r"https://json-schema\.org/"
    r"(?:draft/(?:(?P<draft>\d{4}-\d\d)|next)/schema|v\d{1,3}(?:/\d{4}(?:-\d\d)?)?(?:/schema)?)"
)
"""Dated drafts, the one in preparation, and the names announced for stable releases."""
_READ_AS = "2020-12"


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
