"""Results of matches that were really played, with the luck of real cards."""

import math

import pytest
from casino_match.domain.plan import Deal, Entrant, Plan
from casino_match.play.block import play_block
from casino_match.players.local import local_players
from casino_match.results import result_of
from casino_match.run.notable_hands import describe_of


def plan_of(*styles: str, decks: int) -> Plan:
    return Plan(
        players=tuple(
            Entrant(name=f"{style} {number}", player=f"style:{style}")
            for number, style in enumerate(styles)
        ),
        deal=Deal(seed="played", decks=decks, decks_per_block=15),
    )


@pytest.mark.parametrize("players", [2, 3])
def test_equal_players_tie_by_every_estimator(players: int) -> None:
    """At exactly 0, also where luck is taken out."""
    plan = plan_of(*["tight"] * players, decks=30)
    seated = local_players(plan)
    result = result_of(plan, (play_block(plan, number, seated) for number in range(plan.blocks)))
    for player in result.players:
        assert player.net == 0
        assert [estimate.bb_per_100 for estimate in player.estimates] == [0, 0, 0]
    assert all("exactly the same on each of 30 decks" in pair.sentence for pair in result.pairs)


def test_a_real_match_has_everything() -> None:
    """Estimates that add up to 0, conduct, positions, streets and hands to look at."""
    plan = plan_of("caller", "maniac", "tight", decks=30)
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
