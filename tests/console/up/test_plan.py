"""What `casino up` plays."""

from typing import Any

import pytest
from casino.commands.room_options import Rebuy, RoomOptions
from casino.up.plan import Plan
from casino_contracts import PlayerCount

STYLES = ("caller",) * 6


def plan(*, has_gateway: bool, styles: tuple[str, ...] = STYLES, **rules: object) -> Plan:
    return Plan(5, styles, (), seed="7", exits=False, has_gateway=has_gateway, rules=rules)


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
    chosen = RoomOptions(reset_stacks=True, rebuy=Rebuy.NONE, pace="700", timeout="2s").chosen()
    assert chosen == {
        "reset_stacks": True,
        "rebuy": "none",
        "pace_ms": 700,
        "action_timeout_ms": 2000,
    }
    assert plan(has_gateway=False, reset_stacks=True).config().reset_stacks is True


def test_every_room_has_decks_of_its_own() -> None:
    """The main one those of a casino with one room; a seat less is taken by own bots elsewhere."""
    several = Plan(5, STYLES, ("http://bot",) * 7, seed="7", exits=False, tables=3)
    assert several.rooms == ["main", "main-2", "main-3"]
    seeds = [several.config(room).seed for room in several.rooms]
    assert seeds[0] == "7"
    assert len(set(seeds)) == 3
    assert [several.config(room).max_seats for room in several.rooms] == [7, 6, 6]
    assert several.styles_in("main") == ()
    assert several.styles_in("main-2") == STYLES


def test_further_rooms_have_players_in_every_game() -> None:
    """Also where the own bots are enough for the main one."""
    players = PlayerCount(min=2, max=4)
    alone = Plan(5, (), ("http://a", "http://b"), seed="7", exits=False, game_type="x")
    assert alone.for_player_count(players).styles == ()
    several = Plan(5, (), ("http://a", "http://b"), seed="7", exits=False, game_type="x", tables=2)
    assert several.for_player_count(players).styles == ("generic",) * 3
