"""The page's first file at an address below the root: with relative links, and with a preview."""

import re
from dataclasses import dataclass
from html import escape

from casino_agentkit.server.page_files import PageFile

_TITLE = re.compile(r"<title>[^<]*</title>")
_DESCRIPTION = re.compile(r'[ \t]*<meta name="description"[^>]*>\n')
_RELATIVE = re.compile(r'\b(href|src)="(?![#/])(?:\./)?')
_TITLE_LIMIT = 120
_DESCRIPTION_LIMIT = 300


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
        """Return the file for an address with `depth` slashes after the one of the root.

        Its links lead up by so many folders: a proxy may serve the lobby below any path.
        """
        text = _RELATIVE.sub(rf'\1="{"../" * depth or "./"}', self._text)
        if is_embedded:
            text = text.replace("<html ", "<html data-embed ", 1)
        if preview is not None:
            tags = preview.tags()
            text = _DESCRIPTION.sub("", text)
            text = _TITLE.sub(lambda _title: tags, text)
        return PageFile.of(text.encode(), ".html", policy)
