"""`casino replay FILE`: what can be read is shown, and what cannot is named."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from casino.commands.replay_file import left_out
from casino_histories import UnreadHand
from support.casino.members import ENVIRONMENT
from support.console_side import casino
from support.histories.site_hands import FIELD, hand
from support.processes import PATIENCE_S

THREE = FIELD / "k02_two_readable_one_omaha.ohh"
OMAHA = "line 3: hand 2 (#2): it is Omaha Pot Limit: only No-Limit Hold'em is read"


@pytest.mark.system
async def test_a_hand_that_cannot_be_read_is_left_out_and_named() -> None:
    command = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "casino", "replay", str(THREE)),
        env=ENVIRONMENT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert command.stdout is not None
    assert command.stderr is not None
    try:
        assert (await command.stdout.readline()).decode() == f"2 hands of {THREE}\n"
        link = (await command.stdout.readline()).decode().split()[-1]
        address = link.replace("/rooms/", "/v1/rooms/").rpartition("/")[0]
        reply = await asyncio.to_thread(lambda: urlopen(address).read())
        assert [item["handNumber"] for item in json.loads(reply)["hands"]] == [1, 2]
        command.send_signal(signal.SIGINT)
        await asyncio.wait_for(command.wait(), PATIENCE_S)
        assert (await command.stderr.read()).decode() == f"1 hand left out\n  {OMAHA}\n"
    finally:
        if command.returncode is None:
            command.kill()  # its lobby ends with it
            await command.wait()


async def test_strict_stops_at_the_first_hand_that_cannot_be_read() -> None:
    ended = await casino("replay", str(THREE), "--strict")
    assert (ended.exit_code, ended.stderr) == (1, f"casino replay: {THREE}: {OMAHA}\n")


async def test_a_file_without_a_readable_hand_says_why(tmp_path: Path) -> None:
    file = tmp_path / "cut.txt"
    file.write_text(hand(7)[:150])
    ended = await casino("replay", str(file))
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"casino replay: {file} has no hand that can be read; line 1: ")
    file.write_text("Winamax Poker - CashGame - HandId: #1")
    ended = await casino("replay", str(file))
    assert "it has the hands of Winamax, which are not read: convert it" in ended.stderr
    ended = await casino("replay", str(THREE), "--skip", "3")
    assert ended.stderr == f"casino replay: {THREE} has no hand after 3\n"


async def test_words_of_a_file_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "hostile.txt"
    file.write_text(hand(7).replace("collected $2", "collected $9").replace("Cy", "\x1b[2JCy"))
    for options in ((), ("--strict",)):
        ended = await casino("replay", str(file), *options)
        assert "Cy" in ended.stderr
        assert "\x1b" not in ended.stderr


def test_many_hands_that_are_left_out_are_counted_by_their_reasons() -> None:
    assert list(left_out([])) == []
    games = [UnreadHand(n, f"#{n}", f"line {n}: it is game {n % 20}") for n in range(1, 1_001)]
    lines = list(left_out(games))
    assert lines[:2] == ["1000 hands left out", "  line 1: hand #1: line 1: it is game 1"]
    assert lines[6] == "  50 more: it is game 6"
    assert len(lines) == 17
    assert lines[-1].endswith("more for other reasons")
    counts = [int(line.split()[0]) for line in lines[6:]]
    assert sum(counts) == 995
