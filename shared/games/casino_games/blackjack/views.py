"""Public data of a round of blackjack: cards, totals and bets, without the hole card."""

from collections.abc import Iterable

from casino_games.blackjack.counting import BLACKJACK, count
from casino_games.blackjack.round import DEALER, Box, Hand, Happened, Round, won_by
from casino_games.cards import NAMES
from casino_games.game import HOUSE, Json


def actions(now: Round, min_bet: int, max_bet: int) -> list[Json]:
    """Return the legal actions of the seat to act; the first one has no amount."""
    if now.phase == "over":
        return []
    if now.phase == "betting":
        most = min(max_bet, now.boxes[now.actor].stack)
        return [{"action_type": "PASS"}, {"action_type": "BET", "min": min_bet, "max": most}]
    offered = ["STAND", "HIT"]
    if now.can_double:
        offered.append("DOUBLE")
    if now.can_split:
        offered.append("SPLIT")
    return [{"action_type": kind} for kind in offered]


def dealer(now: Round) -> Json:
    """Return the dealer's shown cards."""
    shown = now.dealer if now.phase == "over" else now.dealer[:1]
    return {
        "cards": [NAMES[card] for card in shown],
        "total": count(shown)[0],
        "hidden": len(now.dealer) - len(shown),
    }


def players(now: Round, ids: Iterable[str]) -> list[Json]:
    """Return each player's chips and hands, in seat order."""
    return [
        {
            "player_id": player_id,
            "stack": box.left if now.phase != "over" else box.stack + box.won,
            "status": _status(now, seat, box),
            "bet": box.bet,
            "hands": [
                _hand(now, hand, is_active=(seat, place) == (now.actor, now.active))
                for place, hand in enumerate(box.hands)
            ],
        }
        for seat, (player_id, box) in enumerate(zip(ids, now.boxes, strict=True))
    ]


def dealt(happened: Iterable[Happened], ids: list[str]) -> list[Json]:
    """Return the events of dealt and shown cards."""
    return [
        {
            "event": "card_dealt",
            "to": HOUSE if seat == DEALER else ids[seat],
            "hand": place,
            "card": None if card is None else NAMES[card],
        }
        for seat, place, card in happened
    ]


def _status(now: Round, seat: int, box: Box) -> str:
    if box.bet == 0:
        return "passed"
    if now.phase == "over":
        return "done"
    if seat == now.actor:
        return "deciding"
    return "done" if now.phase == "playing" and seat < now.actor else "waiting"


def _hand(now: Round, hand: Hand, *, is_active: bool) -> Json:
    total, is_soft = count(hand.cards)
    if total > BLACKJACK:
        status = "bust"
    elif hand.is_natural:
        status = "natural"
    elif hand.is_done or now.phase == "over":
        status = "standing"
    else:
        status = "deciding" if is_active else "waiting"
    return {
        "cards": [NAMES[card] for card in hand.cards],
        "bet": hand.bet,
        "total": total,
        "is_soft": is_soft,
        "status": status,
        "won": won_by(hand, now.dealer) if now.phase == "over" else None,
    }
