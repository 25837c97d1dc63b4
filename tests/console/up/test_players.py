"""The processes of `casino up`: sample players, their ports, and the end of the lobby."""

import asyncio

from casino.up.plan import Plan
from casino.up.players import (
    PlayerPorts,
    SampleProcess,
    cards_by_room,
    sample_cards,
    sample_processes,
)
from casino.up.processes import Processes, port_of
from casino.up.report import Report
from casino_agentkit.server.server import bind


def plan(*styles: str, seats: int = 0, tables: int = 1) -> Plan:
    """Return a plan with sample players and own bots."""
    bots = tuple(f"http://bot-{number}" for number in range(seats))
    return Plan(5, styles, bots, seed="7", exits=True, tables=tables)


def test_one_player_of_each_style_is_offered() -> None:
    """By name and address; the first of several."""
    processes = sample_processes(plan("tight", "caller", "tight"))
    cards = sample_cards(processes, [4101, 4102, 4103])
    assert cards == "Caller=http://127.0.0.1:4102,Tight=http://127.0.0.1:4101"
    assert sample_cards([], []) == ""
    several = sample_processes(plan("tight", "caller", tables=2))
    assert sample_cards(several, [4101, 4102]) == (
        "Caller=http://127.0.0.1:4102/players/1,Tight=http://127.0.0.1:4101/players/1"
    )


def test_the_players_of_one_room_have_a_process_each() -> None:
    """With names of their own; an own bot is in place of the last one."""
    only = plan("caller", "tight", "caller", "caller", seats=1)
    samples = sample_processes(only)
    assert samples == [
        SampleProcess("caller", "Caller"),
        SampleProcess("tight", "Tight"),
        SampleProcess("caller", "Caller 2"),
    ]
    cards = cards_by_room(only, samples, [["c1"], ["t1"], ["c2"]])
    assert cards == {"main": ["c1", "t1", "c2"]}


def test_the_players_of_several_rooms_share_a_process_for_each_style() -> None:
    """Own bots are in place of players of the main room only; nobody sits in two rooms."""
    several = plan("caller", "tight", "caller", seats=1, tables=3)
    samples = sample_processes(several)
    assert samples == [SampleProcess("caller", "Caller", 5), SampleProcess("tight", "Tight", 3)]
    assert [str(sample) for sample in samples] == ["Caller 1 to 5", "Tight 1 to 3"]
    callers, tights = [f"c{number}" for number in range(1, 6)], ["t1", "t2", "t3"]
    assert cards_by_room(several, samples, [callers, tights]) == {
        "main": ["c1", "t1"],
        "main-2": ["c2", "t2", "c3"],
        "main-3": ["c4", "t3", "c5"],
    }
    assert str(sample_processes(plan("caller", "tight", seats=1, tables=2))[1]) == "Tight"


def test_a_taken_port_is_replaced_by_a_free_one() -> None:
    """So that the lobby can be named the address before the player is started."""
    with bind("127.0.0.1", 0) as listener:
        taken = listener.getsockname()[1]
        with PlayerPorts(1, taken) as ports:
            (port,) = ports.numbers
            assert port not in {0, taken}
            assert port_of(port) == 0, "nobody else gets it"
    assert port_of(port) == port


async def test_the_end_of_the_lobby_is_waited_for() -> None:
    """A failed request may be noticed before the end of the process."""
    stopping = asyncio.Event()
    processes = Processes(Report(as_json=True), stopping)
    asked = asyncio.create_task(processes.has_lost_needed_soon())
    await asyncio.sleep(0)
    assert not asked.done()
    processes.has_lost_needed = True  # as `_watch` does when the process has ended
    stopping.set()
    assert await asked


async def test_ctrl_c_is_no_end_of_the_lobby() -> None:
    stopping = asyncio.Event()
    stopping.set()
    assert not await Processes(Report(as_json=True), stopping).has_lost_needed_soon()
