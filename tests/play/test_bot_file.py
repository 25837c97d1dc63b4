"""The function of a bot's file is loaded, and what is wrong with it is named."""

import asyncio
import threading
from pathlib import Path

import pytest
from casino_play.bot_file import load_act
from casino_play.errors import BotFileFailed, FunctionFailed


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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return turn['absent']", "bot.py, line 2: KeyError: 'absent'"),
        ("return neighbour.decide()", r"by_.*\.py, line 1: ZeroDivisionError"),
        ("raise SystemExit(3)", "bot.py, line 2: SystemExit: 3"),
        ("raise BaseException('all')", "bot.py, line 2: BaseException: all"),
        ("next(iter(()))", "bot.py, line 2: "),
        ("raise asyncio.CancelledError", "bot.py, line 2: CancelledError"),
        ("raise TimeoutError", "bot.py, line 2: TimeoutError"),
        ("raise type('Odd', (Exception,), {'__str__': lambda _: 1 / 0})", "bot.py, line 2: Odd$"),
        ("yield {'action': 'fold'}", "bot.py: the answer is no JSON: it is of the type .*gener"),
        ("return {'usage': [float('inf')]}", r"bot.py: .* no JSON: usage\[0\] is inf, no JSON num"),
        ("return {'action': {1}}", "bot.py: the answer is no JSON: action is of the type set"),
        ("return {(1,): 2}", "bot.py: the answer is no JSON: keys must be str"),
    ],
)
@pytest.mark.parametrize("head", ["def", "async def"])
async def test_whatever_a_function_raises_is_its_failure(
    tmp_path: Path, head: str, body: str, message: str
) -> None:
    """With the innermost place in its folder; what is no JSON, by its part."""
    neighbour = f"by_{tmp_path.name}"  # no other test has imported it
    (tmp_path / f"{neighbour}.py").write_text("def decide(): return 1 / 0\n")
    source = f"{head} act(turn):\n    {body}\nimport asyncio, {neighbour} as neighbour\n"
    with pytest.raises(FunctionFailed, match=message):
        await load_act(str(bot(tmp_path, source)))({})


async def test_ctrl_c_in_a_thread_is_the_function_s_own(tmp_path: Path) -> None:
    """A real one reaches the main thread."""
    file = bot(tmp_path, "def act(turn):\n    raise KeyboardInterrupt\n")
    with pytest.raises(FunctionFailed, match=r"bot\.py, line 2: KeyboardInterrupt"):
        await load_act(str(file))({})


async def test_the_end_of_the_clock_is_no_failure_of_an_asynchronous_function(
    tmp_path: Path,
) -> None:
    source = "import asyncio\nasync def act(turn):\n    await asyncio.Event().wait()\n"
    deciding = asyncio.ensure_future(load_act(str(bot(tmp_path, source)))({}))
    await asyncio.sleep(0)
    deciding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await deciding


@pytest.mark.parametrize(
    "answer",
    [
        "{'action': 'call', 'usage': {'inputTokens': 7}}",
        "ActionResponse(action='call', usage=Usage(input_tokens=7))",
        "{'action': 'call', 'usage': Usage(input_tokens=7)}",
        "later()",
    ],
)
async def test_an_answer_may_be_a_message_or_be_awaited(tmp_path: Path, answer: str) -> None:
    source = (
        "from casino_contracts import ActionResponse, Usage\n"
        "async def later():\n    return {'action': 'call', 'usage': Usage(input_tokens=7)}\n"
        f"def act(turn):\n    return {answer}\n"
    )
    expected = {"action": "call", "usage": {"inputTokens": 7}}
    assert await load_act(str(bot(tmp_path, source)))({}) == expected


async def test_the_author_reads_the_bot_s_own_lines_alone(tmp_path: Path) -> None:
    """The frames of the casino say nothing to the bot's author."""
    file = bot(tmp_path, "def act(turn):\n    return turn['absent']\n")
    with pytest.raises(FunctionFailed) as caught:
        await load_act(str(file))({})
    assert caught.value.lines == (
        "bot.py:2 in act",
        "    return turn['absent']",
        "KeyError: 'absent'",
    )
