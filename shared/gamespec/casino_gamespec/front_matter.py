"""Parse the YAML front matter of a specification, and its version: MAJOR breaks, MINOR adds.

Scalars stay text (`version: 1.10` is not a number, a default action `off` not a boolean); the
field's type in `FrontMatter` decides how they are read. The document is not trusted: tags are
ignored, anchors are refused, depth and length are bounded.
"""

import re
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Literal, Self

import yaml
from casino_contracts.base import WireModel
from pydantic import Field, ValidationError, field_validator

from casino_gamespec.errors import InvalidSpecification, InvalidVersion

_PATTERN = re.compile(
    r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?"
)

FRONT_MATTER = "front matter"
_LIMIT = 4_096
_DEEPEST = 8
_BLOCK = re.compile(
    r"\s*---[ \t]*(?:\r\n|\n|\r)(.*?)(?:\r\n|\n|\r)(?:---|\.\.\.)[ \t]*(?=[\r\n]|$)", re.DOTALL
)
GAME_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""Pattern of a game type: safe in a path, a file name and a log."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version; missing parts are 0, because A2G's own example has `1.0`.

    >>> Version.parse("1.10") > Version.parse("1.9.3")
    True
    """

    major: int
    minor: int = 0
    patch: int = 0
    prerelease: str = field(default="")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a version, ignoring build metadata. Raises InvalidVersion."""
        match = _PATTERN.fullmatch(text.strip())
        if match is None:
            raise InvalidVersion(f"version {text!r:.60} must be MAJOR.MINOR.PATCH, such as 1.0.0")
        major, minor, patch, prerelease = match.groups(default="")
        return cls(int(major), int(minor or 0), int(patch or 0), prerelease)

    def serves(self, wanted: "Version") -> bool:
        """Return whether messages of `wanted` are described: of this or an earlier MINOR."""
        return self.major == wanted.major and self >= wanted

    def __lt__(self, other: "Version") -> bool:
        return self._key() < other._key()

    def __str__(self) -> str:
        suffix = f"-{self.prerelease}" if self.prerelease else ""
        return f"{self.major}.{self.minor}.{self.patch}{suffix}"

    def _key(self) -> tuple[object, ...]:
        # A release sorts after its pre-releases, and words after numbers.
        parts = tuple(
            (0, int(part), "") if part.isdecimal() else (1, 0, part)
            for part in self.prerelease.split(".")
            if part
        )
        return (self.major, self.minor, self.patch, not self.prerelease, parts)


class PlayerLimits(WireModel):
    """Minimum and maximum number of players, which the front matter has as text."""

    min: int = Field(ge=1, le=10_000)
    max: int = Field(ge=1, le=10_000)


class FrontMatter(WireModel):
    """The metadata of a game; fields that the protocol does not require are optional."""

    game_type: str
    version: str
    game_model: Literal["turn_based", "phase_based"]
    default_timeout_action: str = Field(min_length=1, max_length=100)
    schema_format: Literal["json-schema"]
    name: str | None = None
    category: str | None = None
    players: PlayerLimits | None = None
    house_edge: str | None = None

    @field_validator("game_type")
    @classmethod
    def _is_a_name(cls, text: str) -> str:
        if GAME_TYPE.fullmatch(text) is None:
            raise ValueError("must be letters, digits and . _ - (at most 100)")
        return text

    @field_validator("version")
    @classmethod
    def _is_semantic(cls, text: str) -> str:
        try:
            return str(Version.parse(text))
        except InvalidVersion as error:
            raise ValueError(str(error)) from error


def split(text: str) -> tuple[str, str]:
    """Split a document into its YAML and its Markdown. Raises InvalidSpecification."""
    match = _BLOCK.match(text[: 2 * _LIMIT])
    if match is None or len(match[1]) > _LIMIT:
        raise InvalidSpecification(
            FRONT_MATTER, "the document must begin with YAML between two lines of ---"
        )
    return match[1], text[match.end() :]


def read(text: str) -> FrontMatter:
    """Parse the YAML. Raises InvalidSpecification, with a list of faults."""
    try:
        return FrontMatter.model_validate(_plain(_composed(text)))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_context=False)[:10]
        )
        raise InvalidSpecification(FRONT_MATTER, faults) from error


def _composed(text: str) -> yaml.Node | None:
    """Return the YAML's tree; its depth is checked first because composing is recursive."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise InvalidSpecification(FRONT_MATTER, "anchors and aliases are not allowed")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise InvalidSpecification(FRONT_MATTER, f"nested deeper than {_DEEPEST}")
        tree: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 2}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "not readable"
        raise InvalidSpecification(FRONT_MATTER, f"invalid YAML{where}: {problem}") from error
    return tree


def _plain(node: yaml.Node | None) -> object:
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, object] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in mapping:
                raise InvalidSpecification(FRONT_MATTER, f"the key {name:.60} appears twice")
            mapping[name] = _plain(value)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return None
    return str(node.value)
