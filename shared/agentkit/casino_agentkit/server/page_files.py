"""A web page of a service: static files that are read once and served as they are."""

from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from casino_agentkit.server.conditional_get import conditional_response, entity_tag

FRONT = "index.html"

OWN_FILES_ONLY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " object-src 'none';"
    # No text becomes markup or code, whatever a player's display name contains.
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The content security policy of a page that needs no other host."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Cache-Control": "no-cache",  # cached but revalidated; the response is mostly 304
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class PageFile:
    """One file with its media type, entity tag and content security policy."""

    content: bytes
    media_type: str
    etag: str
    policy: str

    @classmethod
    def read(cls, path: Path, policy: str) -> "PageFile":
        """Read a file of the page."""
        content = path.read_bytes()
        # A browser keeps the policy with the file, so the tag names both.
        return cls(content, _TYPES[path.suffix], entity_tag(content + policy.encode()), policy)

    async def serve(self, request: Request) -> Response:
        """Respond with the file, or 304 if the browser has cached it."""
        return conditional_response(
            request,
            self.content,
            self.etag,
            media_type=self.media_type,
            headers={**_HEADERS, "Content-Security-Policy": self.policy},
        )


def file_routes(web: Path, policy: str = OWN_FILES_ONLY) -> list[BaseRoute]:
    """Return the routes of a page: `/`, and its files below `/page/`."""
    files = {
        path.relative_to(web).as_posix(): PageFile.read(path, policy)
        for path in sorted(web.rglob("*"))
        if path.suffix in _TYPES
    }
    front = files.pop(FRONT)
    return [
        Route("/", front.serve, methods=["GET"]),
        *(Route(f"/page/{name}", file.serve, methods=["GET"]) for name, file in files.items()),
    ]
