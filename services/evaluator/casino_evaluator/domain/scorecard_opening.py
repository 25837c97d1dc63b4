"""What the owner of a scorecard says when they open it, checked. Pure."""

import json
from dataclasses import dataclass, field
from typing import Any, Self

from casino_evaluator.errors import Code, RequestRefused

MOST_TAGS = 32
LONGEST_TAG = 128
LONGEST_SEED = 128
LONGEST_URL = 2_048
OPAQUE_BYTES = 16_384
OPAQUE_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Opening:
    """The details of a new scorecard."""

    tags: tuple[str, ...] = ()
    source_url: str | None = None
    opaque: Any = field(default=None, repr=False)
    competition_mode: bool = False
    seed: str | None = None

    @classmethod
    def read(
        cls,
        *,
        tags: Any = None,
        source_url: Any = None,
        opaque: Any = None,
        competition_mode: Any = None,
        seed: Any = None,
    ) -> Self:
        """Check values of JSON, None for absent ones; raises RequestRefused, which names one."""
        if competition_mode is not None and not isinstance(competition_mode, bool):
            raise _refused("`competition_mode` must be true or false")
        return cls(
            tags=_tags(tags),
            source_url=_text("source_url", source_url, LONGEST_URL),
            opaque=_opaque(opaque),
            competition_mode=competition_mode is True,
            seed=_text("seed", seed, LONGEST_SEED),
        )


def _tags(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or len(value) > MOST_TAGS:
        raise _refused(f"`tags` must be a list of at most {MOST_TAGS} strings")
    return tuple(text for tag in value if (text := _text("tags", tag, LONGEST_TAG, optional=False)))


def _text(name: str, value: Any, longest: int, *, optional: bool = True) -> str | None:
    if value is None and optional:
        return None
    if not isinstance(value, str) or len(value) > longest or not _is_unicode(value):
        raise _refused(f"`{name}` must be a string of at most {longest} characters")
    return value


def _is_unicode(value: str) -> bool:
    """Return whether it has no half of a surrogate pair, which UTF-8 cannot hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _opaque(value: Any) -> Any:
    if not _is_shallow(value, OPAQUE_DEPTH):
        raise _refused(f"`opaque` must not be nested deeper than {OPAQUE_DEPTH}")
    try:
        size = len(json.dumps(value, separators=(",", ":"), allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise _refused("`opaque` must be JSON") from error
    if size > OPAQUE_BYTES:
        raise _refused(f"`opaque` must have at most {OPAQUE_BYTES} bytes as JSON")
    return value


def _is_shallow(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list)):
        return True
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)


def _refused(message: str) -> RequestRefused:
    return RequestRefused(Code.VALIDATION_ERROR, message)
