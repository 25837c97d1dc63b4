"""The README's bot, and its twin and the question that docs/bots.md has."""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()
BOTS = (ROOT / "docs/bots.md").read_text()
FILES = {"python": "mybot.py", "javascript": "mybot.mjs"}
"""What README and docs/bots.md call the file of their bot, by language."""
NAMES = {"python": "My bot", "javascript": "My bot in JavaScript"}
"""The display name of each bot."""

_BLOCKS = {
    "python": r"```python\n(\"\"\"mybot\.py.*?)```",
    "javascript": r"```js\n(// mybot\.mjs.*?)```",
}
_QUESTION = r"A whole request.*?```json\n(.*?)```\n\n```json\n(.*?)```"


def readme_bot(language: str = "python") -> str:
    found = re.search(_BLOCKS[language], README + BOTS, re.DOTALL)
    assert found
    return found[1]


def readme_question() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the question that docs/bots.md shows, and the reply to it."""
    found = re.search(_QUESTION, BOTS, re.DOTALL)
    assert found
    return json.loads(found[1]), json.loads(found[2])


def explained_fields() -> list[str]:
    """Return the fields that the table of docs/bots.md explains, such as `players[].bet`."""
    found = re.search(r"### Every field of the request\n(.*?)\n### ", BOTS, re.DOTALL)
    assert found
    rows = re.findall(r"^\| (`.*?`) \|", found[1], re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
