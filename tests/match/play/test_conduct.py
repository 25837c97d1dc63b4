"""The counts of play are those of counting every hand by itself."""

from casino_contracts.events.content import PostedBet
from casino_contracts.statistics.play_counts import PlayCounts, count_hand
from casino_contracts.statistics.played_hand import PlayedHand
from casino_games.holdem import Hand
from casino_match.domain.seatings import seatings_of
from casino_match.play.block import play_block
from casino_match.play.positions import positions
from casino_match.play.replayed import replay
from casino_match.players.local import local_players
from support.match.plans import plan_of

STYLES = ["style:random", "style:maniac", "style:tight", "style:random", "style:caller"]
_KINDS = {"fold": "fold", "check": "check", "call": "call", "bet": "raise", "raise": "raise"}


def as_counted(hand: Hand, stack: int, names: list[str]) -> PlayedHand:
    return PlayedHand(
        stacks=dict.fromkeys(names, float(stack)),
        posted=tuple(
            PostedBet(player_id=names[seat], kind=kind.replace("_", "-"), amount=paid)
            for seat, kind, paid in hand.forced_bets
        ),
        big_blind=2,
        decisions=[
            (names[seat], (street, _KINDS[kind]), left, None, None)  # type: ignore[misc]
            for seat, street, kind, _, _, left, _ in hand.actions
        ],
    )


def test_counts_are_those_of_single_hands() -> None:
    """By player and position, in a block of five players with short stacks."""
    plan = plan_of(STYLES, 8, rules={"stack": 30})
    block = play_block(plan, 0, local_players(plan))
    expected = [{place: PlayCounts() for place in positions(5)} for _ in STYLES]
    for deck in block.decks:
        for index, seating in enumerate(seatings_of(5)):
            hand = replay(plan, deck.number, index, deck.hands[index])
            names = [f"{player}" for player in seating]
            winners = {names[payment.seat] for pot in hand.awards for payment in pot.winners}
            counts = {
                name: expected[int(name)][place]
                for name, place in zip(names, positions(5), strict=True)
            }
            count_hand(as_counted(hand, 30, names), winners, counts)
    assert [conduct.play for conduct in block.conduct] == expected
    assert sum(counts.showdowns_won for play in expected for counts in play.values()) > 20
