"""The web page at `/`: static files that are read once and served as they are.

It needs no build step and no other host, which the content security policy enforces.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

WEB = Path(__file__).parent / "web"
FRONT = "index.html"

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " object-src 'none';"
    # No text becomes markup or code, whatever a player's display name contains.
    " require-trusted-types-for 'script'; trusted-types 'none'"
)

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Cache-Control": "no-cache",  # cached but revalidated; the response is mostly 304
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class PageFile:
    """One file with its media type and entity tag."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def read(cls, path: Path) -> "PageFile":
        """Read a file of the page."""
        content = path.read_bytes()
        return cls(content, _TYPES[path.suffix], f'"{sha256(content).hexdigest()[:20]}"')

    async def serve(self, request: Request) -> Response:
        """Respond with the file, or 304 if the browser has cached it."""
        headers = {**_HEADERS, "ETag": self.etag}
        cached = request.headers.get("if-none-match", "")
        if self.etag in {tag.strip().removeprefix("W/") for tag in cached.split(",")}:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


def page_routes() -> list[BaseRoute]:
    """Return the routes of the page: `/`, and its files below `/page/`."""
    files = {path.name: PageFile.read(path) for path in WEB.iterdir() if path.suffix in _TYPES}
    front = files.pop(FRONT)
    return [
        Route("/", front.serve, methods=["GET"]),
        *(Route(f"/page/{name}", file.serve, methods=["GET"]) for name, file in files.items()),
    ]
