"""Parse the Markdown of a specification: its sections and their JSON code blocks.

Heading levels, numbering, the order of sections and the labels of fences may vary. The required
sections must exist.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from casino_contracts.foreign_text import TextLimits, json_of

from casino_gamespec.errors import InvalidSpecification

DEEPEST = 64
"""Maximum nesting depth of untrusted JSON."""
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
        """Whether its label allows JSON."""
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
        """The section's Markdown without its heading."""
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
        """Return the JSON of a section. Raises InvalidSpecification.

        Of several code blocks, the first with a `$schema` is used, otherwise the first.
        """
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
        """Yield a section and its subsections."""
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
    """Parse JSON. Raises InvalidSpecification.

    Stricter than the `json` module: bounded depth, no NaN, no duplicate keys.
    """
    try:
        return json_of(text, _LIMITS, object_pairs_hook=_unique)
    except ValueError as error:
        raise InvalidSpecification(part, f"the code block is not JSON: {error}"[:300]) from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("a key appears twice in one object")
    return mapping
