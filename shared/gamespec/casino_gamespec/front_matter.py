"""The YAML at the top of a specification: what a machine reads first.

Scalars are kept as they are written (`version: 1.10` is no number, a default action `off` no
boolean) and a field's model says what they mean.
The document is a stranger's: no tags, no anchors, nothing deep, nothing long.
"""

import re
from typing import Literal

import yaml
from casino_contracts.base import WireModel
from pydantic import Field, ValidationError, field_validator

from casino_gamespec.errors import InvalidSpecification
from casino_gamespec.version import InvalidVersion, Version

FRONT_MATTER = "front matter"
_LIMIT = 16_384
_DEEPEST = 8
_BLOCK = re.compile(
    r"\s*---[ \t]*(?:\r\n|\n|\r)(.*?)(?:\r\n|\n|\r)(?:---|\.\.\.)[ \t]*(?=[\r\n]|$)", re.DOTALL
)

GAME_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What may name a game: safe in a path, a file and a log."""


class PlayerCount(WireModel):
    """How many may play."""

    min: int = Field(ge=1, le=10_000)
    max: int = Field(ge=1, le=10_000)


class FrontMatter(WireModel):
    """The metadata of a game; what the protocol does not demand may be absent."""

    game_type: str
    version: str
    game_model: Literal["turn_based", "phase_based"]
    default_timeout_action: str = Field(min_length=1, max_length=100)
    schema_format: Literal["json-schema"]
    name: str | None = None
    category: str | None = None
    players: PlayerCount | None = None
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
    """Return the YAML and the Markdown of a document, or raise InvalidSpecification."""
    match = _BLOCK.match(text[: 2 * _LIMIT])
    if match is None or len(match[1]) > _LIMIT:
        raise InvalidSpecification(
            FRONT_MATTER, "the document must begin with YAML between two lines of ---"
        )
    return match[1], text[match.end() :]


def read(text: str) -> FrontMatter:
    """Return what the YAML says; or raise InvalidSpecification, naming every fault."""
    try:
        return FrontMatter.model_validate(_plain(_composed(text)))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_context=False)[:10]
        )
        raise InvalidSpecification(FRONT_MATTER, faults) from error


def _composed(text: str) -> yaml.Node | None:
    """Return the YAML's tree, after a look at its events: composing one is recursive."""
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
        told = getattr(error, "problem", None) or "not readable"
        raise InvalidSpecification(FRONT_MATTER, f"no YAML{where}: {told}") from error
    return tree


def _plain(node: yaml.Node | None) -> object:
    """Return a tree as text, lists and mappings."""
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, object] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in mapping:
                raise InvalidSpecification(FRONT_MATTER, f"{name:.60} stands there twice")
            mapping[name] = _plain(value)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return None
    return str(node.value)
