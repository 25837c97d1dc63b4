"""No server here sends a reply in two writes: the second would wait 40 ms for the first."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("bench", "console", "containers", "deploy", "docs", "services", "shared", "tests")
HANDLER = re.compile(r"^( *)class \w+\(BaseHTTPRequestHandler\):\n((?:\1 +.*\n|\n)*)", re.MULTILINE)
"""A class of the standard library's HTTP server, which writes headers and body apart."""


def handlers(text: str) -> list[str]:
    """Return the bodies of the HTTP handlers in a text."""
    return [body for _, body in HANDLER.findall(text)]


def test_every_handler_of_the_standard_library_is_buffered() -> None:
    """In code, tests, samples and pages."""
    files = [ROOT / "README.md"]
    for folder in FOLDERS:
        files += [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md")]
    found = {
        str(path.relative_to(ROOT)): bodies
        for path in files
        if (bodies := handlers(path.read_text()))
    }
    assert {"README.md", "console/casino/starters/templates/python/server.py"} < set(found)
    unbuffered = [
        path
        for path, bodies in found.items()
        if not all("wbufsize = -1" in body for body in bodies)
    ]
    assert unbuffered == []


def test_an_unbuffered_handler_is_found() -> None:
    """Also within a function."""
    handler = "    class A(BaseHTTPRequestHandler):\n        x = 1\n\n        y = 2\n"
    text = f"def f():\n{handler}    z = 3\n"
    assert handlers(text) == ["        x = 1\n\n        y = 2\n"]
