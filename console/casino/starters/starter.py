"""Write the starter project of a bot, or a game, into a directory."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from casino.errors import StarterNotWritten

_DEAL = "the bot's part in the deal of a fair table; nothing to change"
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
                "deal.py": _DEAL,
                "server.py": _SERVER,
            },
            " Those of `test_table.py` play at a table, which judges every answer: run them by"
            " `pytest` where it and the casino are installed; `casino new-bot` prints how.",
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
                "deal.js": _DEAL,
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
                "deal.go": _DEAL,
                "server.go": _SERVER,
                "go.mod": "names the module; there are no dependencies",
            },
        ),
    )
}
"""By name."""


DEFAULT_NAME = "My bot"
"""The display name in the templates."""

_TEMPLATES = files("casino.starters") / "templates"
_COMMON = "common"
_GAMES = "games"
_GAME = "my_game"
"""The game type in the templates."""
_GAME_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LONGEST_NAME = 32
_OTHER_CHARACTERS = " -_."
"""Allowed in a display name, besides letters and digits."""


def write_starter(language: Language, directory: Path) -> list[str]:
    """Write a bot, named as its empty directory; return the paths. Raises StarterNotWritten."""
    _require_empty(directory)
    name = display_name(directory)
    texts = {
        path: _filled(template, language, name) for path, template in sorted(_templates(language))
    }
    return _written(directory, texts)


def write_game(name: str, directory: Path) -> list[str]:
    """Write a game into `games/NAME` of a directory; return the paths. Raises StarterNotWritten."""
    if not _GAME_NAME.fullmatch(name):
        raise StarterNotWritten(
            f"{name!r:.80}: the name of a game is 1 to 64 of a-z, 0-9 and _, and begins with a"
            " letter"
        )
    place = directory / _GAMES / name
    _require_empty(place)
    texts = {
        file.name: file.read_text(encoding="utf-8").replace(_GAME, name)
        for file in sorted((_TEMPLATES / "game").iterdir(), key=lambda file: file.name)
        if file.name.endswith(".py")
    }
    return [f"{_GAMES}/{name}/{path}" for path in _written(place, texts)]


def _written(directory: Path, texts: Mapping[str, str]) -> list[str]:
    """Write new files; return their paths. Raises StarterNotWritten."""
    for path, text in texts.items():
        target = directory / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise StarterNotWritten(f"{target}: {error.strerror}") from error
    return list(texts)


def display_name(directory: Path) -> str:
    """Return the name of a bot in a directory: the directory's, without unusual characters.

    >>> display_name(Path("/tmp/shark 2"))
    'shark 2'
    >>> display_name(Path("/"))
    'My bot'
    """
    name = unicodedata.normalize("NFKC", directory.absolute().resolve().name)
    kept = "".join(
        letter for letter in name if letter.isalnum() or letter in _OTHER_CHARACTERS
    ).strip()
    return kept[:_LONGEST_NAME].strip() or DEFAULT_NAME


def _require_empty(directory: Path) -> None:
    try:
        is_empty = not directory.exists() or not any(directory.iterdir())
    except NotADirectoryError:
        raise StarterNotWritten(f"{directory} is a file; name a new directory") from None
    except OSError as error:
        raise StarterNotWritten(f"{directory}: {error.strerror}") from error
    if not is_empty:
        raise StarterNotWritten(
            f"{directory} is not empty, and nothing was written; name a new one"
        )


def _templates(language: Language) -> Iterator[tuple[str, Traversable]]:
    yield "Dockerfile", _TEMPLATES / language.name / "Dockerfile"
    for file in language.files:
        yield file, _TEMPLATES / language.name / file
    yield "README.md", _TEMPLATES / _COMMON / "README.md"
    for question in (_TEMPLATES / _COMMON / "questions").iterdir():
        yield f"questions/{question.name}", question


def _filled(template: Traversable, language: Language, name: str) -> str:
    text = template.read_text(encoding="utf-8").replace(f'"{DEFAULT_NAME}"', f'"{name}"')
    rows = "\n".join(f"| `{file}` | {purpose} |" for file, purpose in language.files.items())
    for key, value in (
        ("NAME", name),
        ("TITLE", language.title),
        ("NEEDS", language.needs),
        ("FILES", rows),
        ("START", language.start),
        ("TEST", language.test),
        ("TABLE", language.table),
    ):
        text = text.replace(f"@{key}@", value)
    return text
