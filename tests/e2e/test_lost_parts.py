"""Parts of `casino up` that are killed."""

import psutil
import pytest
from support.casino.commands import UP, all_end, started

pytestmark = [pytest.mark.full, pytest.mark.timeout(240)]

TABLES = ("--tables", "2", "--table-processes", "2", "--no-gateway")


@pytest.mark.parametrize("what", ["lobby", "table process"])
def test_a_lost_part_ends_the_casino_with_its_results(what: str) -> None:
    """Nothing is played without it; it is named, with its last lines."""
    players = ("--players", "caller,maniac", "--hands", "100000", "--pace", "1")
    with started(*UP, *players, *TABLES) as up:
        up.until_hand(2)
        processes = up.processes()
        if what == "lobby":
            psutil.Process(up.pid_of("lobby")).kill()
        else:
            (second,) = psutil.Process(up.pid_of("2 tables in 2")).children()
            second.kill()
        rest = up.rest()
        assert up.ended() == 1
    troubles = [line for line in rest if line["event"] == "trouble"]
    name = "lobby ended with code -9" if what == "lobby" else "tables ended with code 1"
    assert any(trouble["text"].startswith(name) for trouble in troubles)
    reported = {line["event"]: line for line in rest}
    assert reported["results"]["conserved"] is True
    assert reported["results"]["hands"] >= 2
    all_end(processes)
