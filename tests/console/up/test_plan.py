"""What `casino up` plays, its processes, and the end of the lobby."""

import asyncio
from typing import Any

import pytest
from casino.commands.room_options import RoomOptions
from casino.up.casino_plan import DEFAULT_STYLES, CasinoPlan
from casino.up.run_report import Report
from casino.up.service_processes import ServiceProcesses
from casino.up.up_players import (
    SampleProcess,
    cards_by_room,
    sample_cards,
    sample_processes,
)
from casino_contracts import PlayerCount

STYLES = ("caller",) * 6


def plan(*, has_gateway: bool, styles: tuple[str, ...] = STYLES, **rules: object) -> CasinoPlan:
    return CasinoPlan(5, styles, (), seed="7", exits=False, has_gateway=has_gateway, rules=rules)


@pytest.mark.parametrize(
    ("given", "seats", "clock_ms"),
    [
        ({"has_gateway": True}, 8, 30_000),  # two more, and time for people who ask for it
        ({"has_gateway": False}, 6, None),  # the lobby starts it when the last one is seated
        ({"has_gateway": False, "max_seats": 9}, 9, None),
        ({"has_gateway": True, "styles": ("caller",) * 9}, 10, 30_000),
        ({"has_gateway": True, "styles": ("caller",) * 10}, 10, 30_000),
        ({"has_gateway": True, "action_timeout_ms": 600_000}, 8, 600_000),  # for a debugger
    ],
)
def test_seats_and_clocks(given: Any, seats: int, clock_ms: int | None) -> None:
    """With a gateway seats stay free, and people have time."""
    config = plan(**given).config()
    assert (config.max_seats, config.max_action_timeout_ms) == (seats, clock_ms)


@pytest.mark.parametrize(
    ("players", "seats"), [((2, 2), 2), ((1, 7), 5), ((2, 40), 5), ((1, 1), 2)]
)
def test_free_seats_fit_the_game(players: tuple[int, int], seats: int) -> None:
    """Up to three sample players, and two more where the game allows them."""
    least, most = players
    chosen = plan(has_gateway=True, styles=()).for_player_count(PlayerCount(min=least, max=most))
    assert chosen.config().max_seats == seats


def test_the_rules_of_the_options_are_those_of_the_room() -> None:
    """The others have their defaults; the buy-in follows from stack and blinds."""
    config = plan(
        has_gateway=False, starting_stack=50, small_blind=0.5, big_blind=1, rebuy="none"
    ).config()
    assert (config.starting_stack, config.big_blind, config.rebuy) == (50, 1, "none")
    assert (config.min_buy_in, config.max_buy_in) == (20, 100)
    assert (config.max_hands, config.max_seats, config.seed) == (5, 6, "7")


def test_a_flag_of_the_options_is_a_rule() -> None:
    """The other options that were not given leave the defaults."""
    chosen = RoomOptions(
        reset_stacks=True, rebuy="none", pace="700", timeout="2s", button="moving"
    ).chosen()
    assert chosen == {
        "reset_stacks": True,
        "button_rule": "moving",
        "rebuy": "none",
        "pace_ms": 700,
        "action_timeout_ms": 2000,
    }
    assert plan(has_gateway=False, reset_stacks=True).config().reset_stacks is True


def test_every_room_has_decks_of_its_own() -> None:
    """The main one those of a casino with one room; a seat less is taken by own bots elsewhere."""
    several = CasinoPlan(5, STYLES, ("http://bot",) * 7, seed="7", exits=False, tables=3)
    assert several.rooms == ["main", "main-2", "main-3"]
    seeds = [several.config(room).seed for room in several.rooms]
    assert seeds[0] == "7"
    assert len(set(seeds)) == 3
    assert [several.config(room).max_seats for room in several.rooms] == [7, 6, 6]
    assert several.styles_in("main") == ()
    live = several.config("live")
    assert (live.max_hands, live.pace_ms, live.seed) == (100_000, 700, None)  # a fair deal
    assert several.styles_in("main-2") == STYLES


def test_further_rooms_have_players_in_every_game() -> None:
    """Also where the own bots are enough for the main one."""
    players = PlayerCount(min=2, max=4)
    alone = CasinoPlan(5, (), ("http://a", "http://b"), seed="7", exits=False, game_type="x")
    assert alone.for_player_count(players).styles == ()
    several = CasinoPlan(
        5, (), ("http://a", "http://b"), seed="7", exits=False, game_type="x", tables=2
    )
    assert several.for_player_count(players).styles == ("generic",) * 3


def plan_of(*styles: str, seats: int = 0, tables: int = 1) -> CasinoPlan:
    """Return a plan with sample players and own bots."""
    bots = tuple(f"http://bot-{number}" for number in range(seats))
    return CasinoPlan(5, styles, bots, seed="7", exits=True, tables=tables)


def test_one_player_of_each_style_is_offered() -> None:
    processes = sample_processes(plan_of("tight", "caller", "tight"))
    cards = sample_cards(processes, [4101, 4102, 4103], {})
    assert cards == "Caller=http://127.0.0.1:4102,Tight=http://127.0.0.1:4101"
    assert sample_cards([], [], {}) == ""
    several = sample_processes(plan_of("tight", "caller", tables=2))
    assert sample_cards(several, [4101, 4102], {"caller": "KEY"}) == (
        "Caller=http://127.0.0.1:4102/t/KEY/players/1,Tight=http://127.0.0.1:4101/players/1"
    )


def test_the_players_of_one_room_have_a_process_each() -> None:
    """With names of their own; an own bot is in place of the last one."""
    only = plan_of("caller", "tight", "caller", "caller", seats=1)
    samples = sample_processes(only)
    assert samples == [
        SampleProcess("caller", "Caller"),
        SampleProcess("tight", "Tight"),
        SampleProcess("caller", "Caller 2"),
    ]
    cards = cards_by_room(only, samples, [["c1"], ["t1"], ["c2"]])
    assert cards == {"main": ["c1", "t1", "c2"]}


def test_players_whom_nobody_has_chosen_have_names_of_their_own() -> None:
    """One process of a style for several rooms, too; the page's offers say the style."""
    samples = sample_processes(plan_of(*DEFAULT_STYLES, seats=3))
    assert [sample.name for sample in samples] == ["Ruth", "Emil", "Wanda"]
    assert sample_cards(samples[:1], [4101], {}) == "Ruth (tight)=http://127.0.0.1:4101"
    several = sample_processes(plan_of(*DEFAULT_STYLES, tables=2))
    assert str(several[0]) == "Ruth 1 to 2"


def test_the_players_of_several_rooms_share_a_process_for_each_style() -> None:
    """Own bots are in place of players of the main room only; nobody sits in two rooms."""
    several = plan_of("caller", "tight", "caller", seats=1, tables=3)
    samples = sample_processes(several)
    assert samples == [SampleProcess("caller", "Caller", 5), SampleProcess("tight", "Tight", 3)]
    assert [str(sample) for sample in samples] == ["Caller 1 to 5", "Tight 1 to 3"]
    callers, tights = [f"c{number}" for number in range(1, 6)], ["t1", "t2", "t3"]
    assert cards_by_room(several, samples, [callers, tights]) == {
        "main": ["c1", "t1"],
        "main-2": ["c2", "t2", "c3"],
        "main-3": ["c4", "t3", "c5"],
    }
    assert str(sample_processes(plan_of("caller", "tight", seats=1, tables=2))[1]) == "Tight"


async def test_the_end_of_the_lobby_is_waited_for() -> None:
    """A failed request may be noticed before the end of the process."""
    stopping = asyncio.Event()
    processes = ServiceProcesses(Report(as_json=True), stopping)
    asked = asyncio.create_task(processes.has_lost_needed_soon())
    await asyncio.sleep(0)
    assert not asked.done()
    processes.has_lost_needed = True  # as `_watch` does when the process has ended
    stopping.set()
    assert await asked


async def test_ctrl_c_is_no_end_of_the_lobby() -> None:
    stopping = asyncio.Event()
    stopping.set()
    assert not await ServiceProcesses(Report(as_json=True), stopping).has_lost_needed_soon()
