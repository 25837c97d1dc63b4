"""Renders the documentation of problem types as HTML and Markdown."""

import re
from html import escape

from casino_lobby.problems.types import ProblemType

_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;"
    "color-scheme:light dark}code{font-family:ui-monospace,monospace}"
)
_INTRODUCTION = """\
# Problems

Every error of the lobby's REST API is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) \
problem document, `application/problem+json`:

```json
{"type": "/problems/room-full", "title": "Every seat is taken", "status": 409,
 "detail": "All 6 seats are taken.", "reason": "ROOM_FULL"}
```

- `type` identifies the problem and is the path of its page at the lobby.
- `detail` explains this occurrence in plain text and says what to do.
- `reason` is a stable upper-case code.
- `errors` lists the invalid fields, each with a JSON pointer.
- The header `Retry-After` gives the seconds until a retry, if a retry helps.

This page is generated from the lobby's problem types by `make reference`.
"""


def html_page(kind: ProblemType) -> str:
    """Return the HTML page of one problem type."""
    title, meaning = escape(kind.title), _with_code(escape(kind.meaning))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>\n"
        f"<h1>{title}</h1>\n<p>{meaning}</p>\n"
        f"<p>HTTP status {kind.status}, type <code>{kind.path}</code>.{_retry_hint(kind)}</p>\n"
        '<p><a href="/openapi.json">All operations</a></p></html>\n'
    )


def markdown_page() -> str:
    """Return the Markdown reference of all problem types."""
    parts = [_INTRODUCTION]
    for kind in sorted(ProblemType, key=lambda kind: (kind.status, kind.slug)):
        meaning = "\n".join(re.split(r"(?<=\.) ", kind.meaning))
        parts.append(f"## {kind.slug}\n\n**{kind.status} {kind.title}.**\n{meaning}\n")
    return "\n".join(parts)


def _retry_hint(kind: ProblemType) -> str:
    return "" if kind.retry_after is None else " Retry after <code>Retry-After</code> seconds."


def _with_code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
