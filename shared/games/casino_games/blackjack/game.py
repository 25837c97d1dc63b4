"""Blackjack as a `Game`: maps players and action types to seats and hands.

What is public has the dealer's hole card when the round is over.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from casino_games.blackjack.config import BlackjackConfig
from casino_games.blackjack.round import (
    BLACKJACK,
    DEALER,
    Box,
    Hand,
    Happened,
    Round,
    count,
    won_by,
)
from casino_games.cards import DECK, NAMES
from casino_games.game import HOUSE, GameConfig, Json
from casino_games.replayed import BankGame


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
    shown = now.dealer if now.phase == "over" else now.dealer[:1]
    return {
        "cards": [NAMES[card] for card in shown],
        "total": count(shown)[0],
        "hidden": len(now.dealer) - len(shown),
    }


def players(now: Round, ids: Iterable[str]) -> list[Json]:
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


class BlackjackGame(BankGame[BlackjackConfig, Round]):
    """One round of blackjack from a freshly shuffled shoe, for 1 to 7 players.

    The order has a number for each card of the shoe; the number modulo 52 is the card.
    """

    game_type = "blackjack"
    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 7
    timeout_action: ClassVar[str] = "STAND"  # before the deal the default is the first offer, PASS
    config_model: ClassVar[type[GameConfig]] = BlackjackConfig

    @classmethod
    def deck_plan(cls, game_config: Mapping[str, Any], seats: int) -> tuple[int, tuple[int, ...]]:
        del seats
        return BlackjackConfig.checked(game_config).decks * len(DECK), ()

    def get_current_player(self) -> str:
        now = self._round()
        return "" if now.phase == "over" else self._players[now.actor]

    def get_public_state(self) -> Json:
        now = self._round()
        config = self._config
        return {
            "game_type": self.game_type,
            "phase": now.phase,
            "min_bet": config.min_bet,
            "max_bet": config.max_bet,
            "decks": config.decks,
            "stands_on_soft_17": config.stands_on_soft_17,
            "current_player": self.get_current_player(),
            "current_hand": now.active if now.phase == "playing" else None,
            "dealer": dealer(now),
            "players": players(now, self._players),
        }

    def get_public_words(self) -> list[str]:
        now = self._round()
        if now.phase == "betting":
            return [f"Bets of {self._config.min_bet} to {self._config.max_bet} are placed."]
        if now.phase == "playing":
            return [f"The dealer shows {dealer(now)['total']}."]
        if not now.dealer:
            return ["Nobody has bet."]
        total, _ = count(now.dealer)
        if total > BLACKJACK:
            return [f"The dealer has {total} and busts."]
        is_natural = total == BLACKJACK and len(now.dealer) == len("AK")
        return [f"The dealer has {'blackjack' if is_natural else total}."]

    def get_private_state(self, player_id: str) -> Json:
        """Return an empty state: all cards of the players are public."""
        self._round()
        self._index(player_id)
        return {}

    def get_available_actions(self) -> list[Json]:
        return actions(self._round(), self._config.min_bet, self._config.max_bet)

    def _deck_size(self) -> int:
        return self._config.decks * len(DECK)

    def _deal(self, order: list[int]) -> Round:
        shoe = (place % len(DECK) for place in order)
        return Round(self._config.stacks, shoe, stands_on_soft_17=self._config.stands_on_soft_17)

    def _perform(self, answer: Json) -> list[Json]:
        now = self._round()
        kind = answer["action_type"]
        before = len(now.happened)
        event = {"event": "action", "player_id": self._players[now.actor], "action": kind}
        match kind:
            case "BET":
                event["amount"] = answer["amount"]
                now.bet(answer["amount"])
            case "PASS":
                now.bet(0)
            case "STAND":
                now.stand()
            case "HIT":
                now.hit()
            case "DOUBLE":
                now.double()
            case _:
                now.split()
        events = [event, *dealt(now.happened[before:], self._players)]
        if now.phase == "over":
            events.append({"event": "hand_over", "scores": self.get_scores()})
        return events

    def _won(self) -> list[int]:
        return [box.won for box in self._round().boxes]
