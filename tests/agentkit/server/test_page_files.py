"""A page's files: compressed, kept by browsers for as long as they do not change."""

import gzip
import re
from pathlib import Path

import httpx
import pytest
from casino_agentkit.server.page_files import file_routes, without_comments
from starlette.applications import Starlette

FRONT = '<link href="page/a.css"><script src="page/sub/b.js"></script>'
SCRIPT = "void 0;\n" * 200


@pytest.fixture
def web(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(FRONT)
    (tmp_path / "a.css").write_text("a {}")
    (tmp_path / "sub" / "b.js").write_text(SCRIPT)
    (tmp_path / "notes.txt").write_text("not for browsers")
    return tmp_path


def client(web: Path, policy: str = "default-src 'self'", encoding: str = "") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Starlette(routes=file_routes(web, policy)))
    headers = {"accept-encoding": encoding}
    return httpx.AsyncClient(transport=transport, base_url="http://casino", headers=headers)


async def folder(browser: httpx.AsyncClient) -> str:
    """Return the folder of the files that the page names."""
    page = (await browser.get("/")).text
    (found,) = {match[1] for match in re.finditer(r'="(page/v-[0-9a-f]{16}/)', page)}
    return f"/{found}"


async def test_files_of_a_version_are_kept_for_ever(web: Path) -> None:
    """The page itself, and files without a version, are asked for again."""
    async with client(web) as browser:
        version = await folder(browser)
        reply = await browser.get(f"{version}sub/b.js")
        assert reply.text == SCRIPT
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert reply.headers["content-security-policy"] == "default-src 'self'"
        for path in ("/", "/page/sub/b.js", "/page/v-0123456789abcdef/sub/b.js"):
            reply = await browser.get(path)
            assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize("nowhere", ["index.html", "notes.txt", "b.js", "sub", "", "..%2fa.css"])
async def test_nothing_else_is_there(web: Path, nowhere: str) -> None:
    async with client(web) as browser:
        for start in ("/page/", await folder(browser)):
            assert (await browser.get(start + nowhere)).status_code == 404


async def test_the_version_differs_with_content_names_and_policy(web: Path) -> None:
    """So that a browser keeps neither an old file nor an old policy."""
    versions = []
    for change in ("nothing", "content", "name"):
        if change == "content":
            (web / "a.css").write_text("b {}")
        if change == "name":
            (web / "a.css").rename(web / "c.css")
        async with client(web) as browser:
            versions.append(await folder(browser))
    async with client(web, "default-src 'none'") as browser:
        versions.append(await folder(browser))
    async with client(web, "default-src 'none'") as again:
        assert await folder(again) == versions[-1]
    assert len(set(versions)) == 4


@pytest.mark.parametrize("encoding", ["gzip", "br, gzip;q=0.5, *", "deflate,GZIP", "gzip;q=1.0"])
async def test_a_browser_that_takes_gzip_gets_it(web: Path, encoding: str) -> None:
    """Its tag is another than that of the plain file, and leads to 304 as well."""
    async with client(web, encoding=encoding) as browser, client(web) as plain:
        async with browser.stream("GET", "/page/sub/b.js") as reply:
            sent = b"".join([chunk async for chunk in reply.aiter_raw()])
        assert reply.headers["content-encoding"] == "gzip"
        assert reply.headers["vary"] == "Accept-Encoding"
        assert gzip.decompress(sent).decode() == SCRIPT
        assert len(sent) < len(SCRIPT) / 10
        tag = reply.headers["etag"]
        assert tag != (await plain.get("/page/sub/b.js")).headers["etag"]
        again = await browser.get("/page/sub/b.js", headers={"if-none-match": tag})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "encoding", ["", "identity", "gzip;q=0", "gzip;q=0.0", "x-gzip2", "gzip;q=1.2.3"]
)
async def test_others_get_the_plain_file(web: Path, encoding: str) -> None:
    """It says that other clients get it otherwise."""
    async with client(web, encoding=encoding) as browser:
        reply = await browser.get("/page/sub/b.js")
    assert "content-encoding" not in reply.headers
    assert reply.headers["vary"] == "Accept-Encoding"
    assert reply.text == SCRIPT


def test_comments_are_left_out_and_nothing_else() -> None:
    script = """/** What it is. */
// @ts-check
const url = "http://x"; // stays
  /**
   * @param {string} text Of */ /* two.
   */
const glob = "/*"; /* stays */
  /** @type {Text} */ (text);
const more = `**/`;
    // over
"""
    left = without_comments(script.encode(), ".js").decode().split("\n")
    written = script.split("\n")
    assert len(left) == len(written)
    kept = range(2, 9)  # also a comment before anything else in its last line
    for number, (new, old) in enumerate(zip(left, written, strict=True)):
        assert new == (old if number in kept else ""), old
    assert without_comments(b"a {}\n/* b\n c */\n", ".css") == b"a {}\n\n\n"
    assert without_comments(b"// no script", ".html") == b"// no script"
