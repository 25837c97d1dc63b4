"""Generates the reference of the REST API: its OpenAPI document and its problem types.

`python tools/rest_reference.py docs/reference`
"""

import json
import sys
from pathlib import Path

from casino_lobby import __version__
from casino_lobby.problems.pages import markdown_page
from casino_lobby.rest.openapi.document import openapi_document


def files() -> dict[str, str]:
    """Return file name → content."""
    document = json.dumps(openapi_document(__version__), indent=2, ensure_ascii=False)
    return {"openapi.json": document + "\n", "problems.md": markdown_page()}


def main() -> None:
    """Write the files to the folder in the first argument."""
    for name, content in files().items():
        (Path(sys.argv[1]) / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
