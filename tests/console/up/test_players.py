"""The ports of the sample players, and what the lobby's page offers of them."""

from casino.up.players import PlayerPorts, sample_cards
from casino.up.processes import port_of
from casino_agentkit.server.server import bind


def test_one_player_of_each_style_is_offered() -> None:
    """By name and address; the first of several."""
    cards = sample_cards(["tight", "caller", "tight"], [4101, 4102, 4103])
    assert cards == "Caller=http://127.0.0.1:4102,Tight=http://127.0.0.1:4101"
    assert sample_cards([], []) == ""


def test_a_taken_port_is_replaced_by_a_free_one() -> None:
    """So that the lobby can be named the address before the player is started."""
    with bind("127.0.0.1", 0) as listener:
        taken = listener.getsockname()[1]
        with PlayerPorts(1, taken) as ports:
            (port,) = ports.numbers
            assert port not in {0, taken}
            assert port_of(port) == 0, "nobody else gets it"
    assert port_of(port) == port
