"""The reference of the REST API: its OpenAPI document and its problem types."""

import json

from casino_lobby import __version__
from casino_lobby.problems.pages import markdown_page
from casino_lobby.rest.openapi.document import openapi_document


def files() -> dict[str, str]:
    """Return file name → content."""
    document = json.dumps(openapi_document(__version__), indent=2, ensure_ascii=False)
    return {"openapi.json": document + "\n", "problems.md": markdown_page()}
