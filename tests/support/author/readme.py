"""The README's bots, and the question that it explains."""

import json
import re
from pathlib import Path
from typing import Any

README = (Path(__file__).parents[3] / "README.md").read_text()
FILES = {"python": "mybot.py", "javascript": "mybot.mjs"}
"""What the README calls the file of its bot, by language."""
NAMES = {"python": "My bot", "javascript": "My bot in JavaScript"}
"""The display name of each bot."""

_BLOCKS = {
    "python": r"```python\n(\"\"\"mybot\.py.*?)```",
    "javascript": r"```js\n(// mybot\.mjs.*?)```",
}
_QUESTION = r"A whole request.*?```json\n(.*?)```\n\n```json\n(.*?)```"


def readme_bot(language: str = "python") -> str:
    found = re.search(_BLOCKS[language], README, re.DOTALL)
    assert found
    return found[1]


def readme_question() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the question that the README shows, and the reply to it."""
    found = re.search(_QUESTION, README, re.DOTALL)
    assert found
    return json.loads(found[1]), json.loads(found[2])


def explained_fields() -> list[str]:
    """Return the fields of a question that the README's table explains, such as `players[].bet`."""
    found = re.search(r"Every field of the request</summary>(.*?)</details>", README, re.DOTALL)
    assert found
    rows = re.findall(r"^\| (`.*?`) \|", found[1], re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
