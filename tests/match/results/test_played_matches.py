"""Results of matches that were really played, with the luck of real cards."""

import math

import pytest
from casino_match.play.block import play_block
from casino_match.players.local import local_players
from casino_match.results import result_of
from casino_match.run.notable_hands import describe_of
from support.match.plans import plan_of


def test_a_real_match_has_everything() -> None:
    """Estimates that add up to 0, conduct, positions, streets and hands to look at."""
    styles = ["style:caller", "style:maniac", "style:tight"]
    plan = plan_of(styles, 30, deal={"decks_per_block": 15})
    seated = local_players(plan)
    blocks = [play_block(plan, number, seated) for number in range(plan.blocks)]
    result = result_of(plan, blocks, describe=describe_of(plan))
    for place in range(3):
        total = math.fsum(player.estimates[place].bb_per_100 for player in result.players)
        assert total == pytest.approx(0, abs=0.001)
    for player in result.players:
        assert player.statistics is not None
        assert sum(each.hands for each in player.positions) == player.hands == 90
        assert sum(each.net for each in player.positions) == player.net
        assert sum(each.net for each in player.streets) == player.net
        assert [each.position for each in player.positions] == ["BTN", "SB", "BB"]
    assert [hand.kind for hand in result.notable_hands] == ["biggest"] * 5 + ["decisive"] * 5
    for hand in result.notable_hands:
        assert sum(hand.net.values()) == 0
        assert hand.pot >= sum(net for net in hand.net.values() if net > 0)
        assert hand.history.startswith("variant")
