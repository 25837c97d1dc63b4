"""Languages of the starters: their files, and the commands that run them."""

from collections.abc import Mapping
from dataclasses import dataclass

_SERVER = "speaks A2A; nothing to change for better play"


@dataclass(frozen=True)
class Language:
    """One language: `name` is that of its folder of templates."""

    name: str
    title: str
    needs: str
    """What must be installed to run the bot."""
    start: str
    test: str
    files: Mapping[str, str]
    """The source files, with what each is for."""
    table: str = ""
    """A sentence about tests at a table, where there are any."""


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            "python",
            "Python",
            "Python 3.11 or newer",
            "python server.py",
            "python -m unittest",
            {
                "bot.py": "decides: change `act` here",
                "test_bot.py": "tests of the decisions",
                "test_table.py": "tests at a table of the casino, in one process",
                "server.py": _SERVER,
            },
            " Those of `test_table.py` play at a table, which judges every answer: run them by"
            " `pytest` where it and the casino are installed (`pip install pytest"
            " 'a2a-casino[console,match,table]'`).",
        ),
        Language(
            "javascript",
            "JavaScript",
            "Node 20 or newer",
            "node server.js",
            "node --test",
            {
                "bot.js": "decides: change `act` here",
                "bot.test.js": "tests of the decisions",
                "server.js": _SERVER,
                "package.json": "names the project; there are no packages to install",
            },
        ),
        Language(
            "go",
            "Go",
            "Go 1.19 or newer",
            "go run .",
            "go test",
            {
                "bot.go": "decides: change `act` here",
                "bot_test.go": "tests of the decisions",
                "server.go": _SERVER,
                "go.mod": "names the module; there are no dependencies",
            },
        ),
    )
}
"""By name."""
