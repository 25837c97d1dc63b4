"""What each problem means, for people: a page each, and all of them as one document."""

import re
from html import escape

from casino_lobby.problems.types import ProblemType

_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;"
    "color-scheme:light dark}code{font-family:ui-monospace,monospace}"
)
_INTRODUCTION = """\
# Problems

Every error of the lobby's REST face is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) \
problem, `application/problem+json`:

```json
{"type": "/problems/room-full", "title": "Every seat is taken", "status": 409,
 "detail": "All 6 seats are taken.", "reason": "ROOM_FULL"}
```

`type` says which problem it is, and leads to its page at the lobby itself.
`detail` is for people and says what to do now.
`reason` is a stable upper-case word, `errors` names each faulty field by a JSON pointer.
`Retry-After` says in how many seconds to try again, where that helps.

This page is made from the lobby's problem types: `make reference`.
"""


def html_page(kind: ProblemType) -> str:
    """Return the page of one problem."""
    title, meaning = escape(kind.title), _with_code(escape(kind.meaning))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>\n"
        f"<h1>{title}</h1>\n<p>{meaning}</p>\n"
        f"<p>HTTP status {kind.status}, type <code>{kind.path}</code>.{_later(kind)}</p>\n"
        '<p><a href="/openapi.json">All operations</a></p></html>\n'
    )


def markdown_page() -> str:
    """Return the reference of all problems."""
    parts = [_INTRODUCTION]
    for kind in sorted(ProblemType, key=lambda one: (one.status, one.slug)):
        meaning = "\n".join(re.split(r"(?<=\.) ", kind.meaning))
        parts.append(f"## {kind.slug}\n\n**{kind.status} {kind.title}.**\n{meaning}\n")
    return "\n".join(parts)


def _later(kind: ProblemType) -> str:
    return "" if kind.retry_after is None else " It passes by itself; see <code>Retry-After</code>."


def _with_code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
