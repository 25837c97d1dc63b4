"""The bot of a file: loaded anew when it has changed, its errors in the lines of its author."""

import os
from pathlib import Path

import pytest
from casino.errors import BotFailed
from casino.join.bot import Bot
from casino_play.errors import BotFileFailed


def write(path: Path, source: str, second: int = 0) -> None:
    """Write a version of the file, with a time of its own."""
    path.write_text(source)
    os.utime(path, (1_700_000_000 + second, 1_700_000_000 + second))


def remove(path: Path) -> None:
    """Remove the file, as some editors do before they write it."""
    path.unlink()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the bot is."""
    return tmp_path / "mine.py"


async def test_plain_and_asynchronous_functions_decide(path: Path) -> None:
    """The function may have another name, and use its neighbours."""
    said: list[str] = []
    (path.parent / "neighbour_of_mine.py").write_text("WORD = 'fold'\n")
    write(
        path,
        "from neighbour_of_mine import WORD\n"
        "def act(turn): return {'action': WORD}\n"
        "async def play(turn): return {'action': turn['wanted']}\n",
    )
    assert await Bot(str(path), said.append).decide({}) == {"action": "fold"}
    assert await Bot(f"{path}:play", said.append).decide({"wanted": "call"}) == {"action": "call"}
    assert said == []


async def test_a_changed_file_is_loaded_between_two_decisions(path: Path) -> None:
    """Once for each change; a file that is gone for a moment changes nothing."""
    said: list[str] = []
    write(path, "def act(turn): return 1\n")
    bot = Bot(str(path), said.append)
    assert await bot.decide({}) == 1
    write(path, "def act(turn): return 2\n", 1)
    assert (await bot.decide({}), await bot.decide({})) == (2, 2)
    remove(path)
    assert await bot.decide({}) == 2
    assert said == ["mine.py was loaded again"]


async def test_two_changes_within_one_second_are_both_seen(path: Path) -> None:
    """Although Python itself compares versions by whole seconds and size."""
    bot = None
    for number in range(3):
        write(path, f"def act(turn): return {number}\n")
        at = 1_700_000_000 * 10**9 + number
        os.utime(path, ns=(at, at))
        bot = bot or Bot(str(path), lambda _line: None)
        assert await bot.decide({}) == number


async def test_a_bot_that_exits_ends_no_process(path: Path) -> None:
    said: list[str] = []
    write(path, "def act(turn):\n    exit(3)\n")
    with pytest.raises(BotFailed, match=r"SystemExit: 3 \(mine.py:2\)"):
        await Bot(str(path), said.append).decide({})
    assert said == ["mine.py:2 in act", "    exit(3)", "SystemExit: 3"]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def act(turn):\n    return {\n", "mine.py, line 2: SyntaxError: '{' was never closed"),
        ("import nothing_of_that_name\n", "mine.py, line 1: ModuleNotFoundError: No module named"),
        ("def react(turn): return 1\n", "mine.py has no function act: write def act(turn): ..."),
        ("raise SystemExit\n", "mine.py, line 1: SystemExit"),
    ],
)
async def test_a_broken_version_leaves_the_old_one_at_work(
    path: Path, source: str, line: str
) -> None:
    """It is reported once, with its line; as the first version it is an error."""
    said: list[str] = []
    write(path, "def act(turn): return 1\n")
    bot = Bot(str(path), said.append)
    write(path, source, 1)
    assert (await bot.decide({}), await bot.decide({})) == (1, 1)
    assert line in said[-1]
    assert said[-1].endswith("; the version before plays on")
    assert len([text for text in said if "plays on" in text]) == 1
    write(path, "def act(turn): return 3\n", 2)
    assert await bot.decide({}) == 3
    write(path, source, 3)
    with pytest.raises(BotFileFailed, match="mine.py"):
        Bot(str(path), said.append)


async def test_an_error_is_shown_in_the_lines_of_its_author(path: Path) -> None:
    """Frames of libraries are left out, the same error is not written out a second time."""
    said: list[str] = []
    write(
        path,
        "import json\ndef read(text):\n    return json.loads(text)\n\n\ndef act(turn):\n"
        "    return read('{')\n",
    )
    bot = Bot(str(path), said.append)
    expected = (
        "JSONDecodeError: Expecting property name enclosed in double quotes:"
        " line 1 column 2 (char 1)"
    )
    for _ in range(2):
        with pytest.raises(BotFailed) as failed:
            await bot.decide({})
        assert str(failed.value) == f"{expected} (mine.py:3)"
    assert said == [
        "mine.py:7 in act",
        "    return read('{')",
        "mine.py:3 in read",
        "    return json.loads(text)",
        expected,
        f"the same again: {expected}",
    ]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("{'amount': float('nan')}", "Out of range float values are not JSON compliant"),
        ("{1, 2}", "Object of type set is not JSON serializable"),
    ],
)
async def test_an_answer_that_is_no_json_is_an_error_of_the_bot(
    path: Path, answer: str, why: str
) -> None:
    """The table gets a sentence, not a broken reply."""
    said: list[str] = []
    write(path, f"def act(turn): return {answer}\n")
    with pytest.raises(BotFailed, match=why):
        await Bot(str(path), said.append).decide({})
    assert said[0].startswith("mine.py: the answer is no JSON: ")


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BotFileFailed, match=r"there is no file .*none\.py"):
        Bot(str(tmp_path / "none.py:act"), print)
