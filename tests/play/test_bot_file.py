"""The function of a bot's file is loaded, and what is wrong with it is named."""

import threading
from pathlib import Path

import pytest
from casino_play.bot_file import line_of, load_act, own_lines
from casino_play.errors import BotFileFailed


def bot(folder: Path, source: str) -> Path:
    file = folder / "bot.py"
    file.write_text(source)
    return file


async def test_a_plain_function_runs_in_a_thread(tmp_path: Path) -> None:
    """It may take its time without stopping the loop."""
    source = "import threading\ndef act(turn):\n    return [turn, threading.get_ident()]\n"
    turn, thread = await load_act(f"{bot(tmp_path, source)}:act")({"a": 1})
    assert turn == {"a": 1}
    assert thread != threading.get_ident()


async def test_an_asynchronous_function_is_awaited(tmp_path: Path) -> None:
    """The name of the function may be left out."""
    file = bot(tmp_path, "async def act(turn):\n    return turn['a']\n")
    assert await load_act(str(file))({"a": 1}) == 1


async def test_a_neighbour_is_imported_and_main_is_not_run(tmp_path: Path) -> None:
    """As with `python bot.py`, but without its server."""
    (tmp_path / "my_neighbour.py").write_text("WORD = 'fold'\n")
    source = "import my_neighbour\ndef play(turn):\n    return my_neighbour.WORD\n"
    source += "if __name__ == '__main__':\n    raise SystemExit\n"
    assert await load_act(f"{bot(tmp_path, source)}:play")({}) == "fold"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def act(turn)\n    pass\n", r"bot\.py, line 1: SyntaxError: expected ':'"),
        ("x = 1\nimport no_such_thing\n", r"bot\.py, line 2: ModuleNotFoundError: .*no_such_thing"),
        ("raise SystemExit(3)\n", r"bot\.py, line 1: SystemExit: 3"),
        ("def decide(turn): ...\n", r"bot\.py has no function act: write def act\(turn\): \.\.\."),
        ("act = 5\n", r"act in .*bot\.py is no function but a int"),
        ("def act(): ...\n", r"act in .*bot\.py cannot be called with the turn alone .*: write"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(BotFileFailed, match=message):
        load_act(f"{bot(tmp_path, source)}:act")


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BotFileFailed, match=r"there is no file .*bot\.py"):
        load_act(f"{tmp_path / 'bot.py'}:act")


async def test_the_traceback_has_the_bot_s_own_lines_alone(tmp_path: Path) -> None:
    """The frames of the casino say nothing to the bot's author."""
    file = bot(tmp_path, "def act(turn):\n    return turn['absent']\n")
    with pytest.raises(KeyError) as caught:
        await load_act(str(file))({})
    assert line_of(caught.value, file) == 2
    first, *_, last = own_lines(caught.value, file)
    assert first.strip() == f'File "{file.resolve()}", line 2, in act'
    assert last == "KeyError: 'absent'"
