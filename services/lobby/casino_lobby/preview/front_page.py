"""The page's first file below the root: its address, with relative links and with a preview."""

import re
from dataclasses import dataclass
from html import escape
from typing import Self
from urllib.parse import quote, unquote

from casino_agentkit.server.page_files import PageFile

_TITLE = re.compile(r"<title>[^<]*</title>")
_DESCRIPTION = re.compile(r'[ \t]*<meta name="description"[^>]*>\n')
_RELATIVE = re.compile(r'\b(href|src)="(?![#/])(?:\./)?')
_TITLE_LIMIT = 120
_DESCRIPTION_LIMIT = 300

_WHOLE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Preview:
    """What is shown where a link is posted; all of it is text, and none of it markup."""

    title: str
    description: str
    url: str
    image: str

    def tags(self) -> str:
        """Return the tags, with everything escaped."""
        title = escape(self.title[:_TITLE_LIMIT])
        description = escape(self.description[:_DESCRIPTION_LIMIT])
        properties = {
            "og:type": "website",
            "og:title": title,
            "og:description": description,
            "og:url": escape(self.url),
            "og:image": escape(self.image),
            "og:image:type": "image/png",
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": title,
        }
        lines = [
            f"<title>{title}</title>",
            f'<meta name="description" content="{description}">',
            '<meta name="twitter:card" content="summary_large_image">',
            *(f'<meta property="{name}" content="{text}">' for name, text in properties.items()),
        ]
        return "\n    ".join(lines)


class FrontPage:
    """The first file, from the content that `/` has."""

    def __init__(self, content: bytes) -> None:
        self._text = content.decode()

    def file(
        self, depth: int, policy: str, preview: Preview | None = None, *, is_embedded: bool = False
    ) -> PageFile:
        """Lead links up by the slashes of `depth`: a proxy may serve the lobby below any path."""
        text = _RELATIVE.sub(rf'\1="{"../" * depth or "./"}', self._text)
        if is_embedded:
            text = text.replace("<html ", "<html data-embed ", 1)
        if preview is not None:
            tags = preview.tags()
            text = _DESCRIPTION.sub("", text)
            text = _TITLE.sub(lambda _title: tags, text)
        return PageFile.of(text.encode(), ".html", policy)


@dataclass(frozen=True)
class PageLink:
    """What an address of the page names; `epoch` is that of its query."""

    room: str
    hand: int | None = None
    epoch: int | None = None

    @classmethod
    def of(cls, segments: list[str], epoch: str | None = None) -> Self | None:
        """Read the percent-encoded segments after `rooms`; None if the page has no such address.

        >>> PageLink.of(["a%2Fb", "hands", "3", "0"])
        PageLink(room='a/b', hand=3, epoch=None)
        """
        if len(segments) > 1 and not segments[-1]:
            segments = segments[:-1]
        try:
            room = unquote(segments[0], errors="strict") if segments else ""
        except UnicodeDecodeError:
            return None
        if not room:
            return None
        match segments[1:]:
            case []:
                return cls(room)
            case ["hands", hand] | ["hands", hand, _] if _number(hand) and all(
                map(_WHOLE.fullmatch, segments[2:])
            ):
                return cls(room, _number(hand), _number(epoch or ""))
        return None

    @property
    def path(self) -> str:
        """The path after that of the lobby, for every step of a hand the same."""
        path = f"/rooms/{quote(self.room, safe='')}"
        return path if self.hand is None else f"{path}/hands/{self.hand}"

    @property
    def query(self) -> str:
        """The query with its question mark, if there is one."""
        return "" if self.epoch is None else f"?epoch={self.epoch}"


def _number(text: str) -> int | None:
    """Return a number from 1, None if the text is none."""
    return (int(text) or None) if _WHOLE.fullmatch(text) else None
