"""Complete a hand of a file: names of the shown hands, and who won where the file leaves it out."""

from dataclasses import replace

from casino_games.cards import card_from_text
from casino_games.holdem.pots import award, build_pots
from casino_games.holdem.ranking import class_name, rank_showdown
from casino_histories import HandHistory, Pot, Share

_BOARD = 5


def ranked(hand: HandHistory) -> HandHistory:
    """Return the hand with what follows from its cards."""
    if len(hand.board) != _BOARD or not hand.has_showdown:
        return hand
    board = tuple(map(card_from_text, hand.board))
    live = [seat for seat in hand.live if hand.seats[seat].cards]
    holes = []
    for seat in live:
        first, second = map(card_from_text, hand.seats[seat].cards)
        holes.append((first, second))
    ranks = dict(zip(live, rank_showdown(board, holes), strict=True))
    shown = tuple(
        item if item.rank_name else item._replace(rank_name=class_name(ranks[item.seat]))
        for item in hand.shown
        if item.seat in ranks
    )
    pots = hand.pots
    if not pots and len(live) == len(hand.live):
        awards = [award(pot, ranks) for pot in build_pots(hand.contributed, live, hand.pot)]
        pots = tuple(
            Pot(pot.amount, tuple(Share(seat, amount) for seat, amount in pot.winners))
            for pot in awards
        )
    return replace(hand, shown=shown, pots=pots)
