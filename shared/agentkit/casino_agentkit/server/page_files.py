"""A web page of a service: static files that are read once, compressed, and served as they are.

Comments are left out. A page names its files below a folder that is named after their content,
`page/v-{version}/`: what a browser has of it never changes, so it need not ask again. Files are
also at `page/{name}`, with entity tags, `If-None-Match` and 304 (RFC 9110, section 13.1.2), as
cards and other documents are.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

_ENTITY_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")')
"""RFC 9110, section 8.8.3; `If-None-Match` compares weakly, so `W/` is dropped."""


def entity_tag(content: bytes) -> str:
    """Return the entity tag of a content, with its quotes."""
    return f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'


def conditional_response(
    request: Request,
    content: bytes | str,
    etag: str,
    *,
    media_type: str,
    headers: Mapping[str, str],
) -> Response:
    """Return the content with its `ETag`, or 304 if the client has this version of it."""
    headers = {**headers, "ETag": etag}
    if _is_cached(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


def _is_cached(request: Request, etag: str) -> bool:
    cached = ",".join(request.headers.getlist("if-none-match"))
    return cached.strip() == "*" or etag in _ENTITY_TAG.findall(cached)


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
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}
_REVALIDATED = "no-cache"  # cached, but revalidated; the response is mostly 304
_FOREVER = "public, max-age=31536000, immutable"
_COMMENTS = re.compile(rb"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)$", re.MULTILINE | re.DOTALL)
"""Comments on lines of their own; scripts and style sheets have no text that looks like one."""
_VERSIONED = re.compile(r"v-([0-9a-f]{16})/(.+)")
_GZIP = re.compile(r"(?:^|[,\s])gzip(?:\s*;\s*q=([01](?:\.\d{0,3})?))?\s*(?:,|$)", re.IGNORECASE)


@dataclass(frozen=True)
class PageFile:
    """One file with its media type, entity tag and content security policy."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str
    policy: str

    @classmethod
    def of(cls, content: bytes, suffix: str, policy: str) -> "PageFile":
        # A browser keeps the policy with the file, so the tag names both.
        tag = entity_tag(content + policy.encode())
        return cls(content, gzip.compress(content, mtime=0), _TYPES[suffix], tag, policy)

    def reply(self, request: Request, cache_control: str = _REVALIDATED) -> Response:
        """Respond with the file, compressed if the client takes that, or 304 if it has the file."""
        headers = {
            **_HEADERS,
            "Cache-Control": cache_control,
            "Content-Security-Policy": self.policy,
        }
        content, etag = self.content, self.etag
        if _takes_gzip(request):
            # Another representation has another tag (RFC 9110, section 8.8.3.3).
            content, etag = self.compressed, f'{etag[:-1]}-gzip"'
            headers["Content-Encoding"] = "gzip"
        return conditional_response(
            request, content, etag, media_type=self.media_type, headers=headers
        )


@dataclass(frozen=True)
class PageFiles:
    """The files of a page by name, and the version that their content has."""

    files: dict[str, PageFile]
    version: str

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.front, methods=["GET"]),
            Route("/page/{name:path}", self.file, methods=["GET"]),
        ]

    async def front(self, request: Request) -> Response:
        """Respond with the first file, which names the others by their version."""
        return self.files[FRONT].reply(request)

    async def file(self, request: Request) -> Response:
        """Respond with a file; raises HTTPException 404 if there is none of the name."""
        name = request.path_params["name"]
        versioned = _VERSIONED.fullmatch(name)
        version, name = versioned.groups() if versioned else (None, name)
        file = self.files.get(name) if name != FRONT else None
        if file is None:
            raise HTTPException(404)
        # A tab that is open during an update loads a part of the version that it began with: it
        # gets the new one, and must not keep it under the old name.
        return file.reply(request, _FOREVER if version == self.version else _REVALIDATED)


def page_files(web: Path, policy: str = OWN_FILES_ONLY) -> PageFiles:
    contents = {
        path.relative_to(web).as_posix(): without_comments(path.read_bytes(), path.suffix)
        for path in sorted(web.rglob("*"))
        if path.suffix in _TYPES
    }
    version = _version(contents, policy)
    contents[FRONT] = contents[FRONT].replace(b'="page/', f'="page/v-{version}/'.encode())
    files = {
        name: PageFile.of(content, Path(name).suffix, policy) for name, content in contents.items()
    }
    return PageFiles(files, version)


def without_comments(content: bytes, suffix: str) -> bytes:
    """Empty the lines of a script or style sheet that are comments, which browsers need not load.

    The other lines keep their numbers, so that a fault in a browser names the line of the file.
    """
    if suffix not in {".css", ".js"}:
        return content
    return _COMMENTS.sub(lambda comment: b"\n" * comment[0].count(b"\n"), content)


def file_routes(web: Path, policy: str = OWN_FILES_ONLY) -> list[BaseRoute]:
    """Return the routes of a page: `/`, and its files below `/page/`."""
    return page_files(web, policy).routes()


def _version(contents: dict[str, bytes], policy: str) -> str:
    """Return 16 hexadecimal digits that differ if any file, its name or the policy does."""
    digest = hashlib.blake2b(policy.encode(), digest_size=8)
    for name, content in sorted(contents.items()):
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _takes_gzip(request: Request) -> bool:
    accepted = _GZIP.search(",".join(request.headers.getlist("accept-encoding")))
    return accepted is not None and float(accepted[1] or 1) > 0
