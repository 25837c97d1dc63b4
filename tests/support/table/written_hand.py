"""Hands of Hold'em in short form, as the events that a table reports of them."""

from typing import Any

from casino_contracts.events.content import ActionTaken, HandStarted
from casino_contracts.play_counts import PlayedHand

Event = tuple[str, dict[str, Any]]
ROUNDS = ("preflop", "flop", "turn", "river")


def events_of(stacks: dict[str, float], *rounds: str, ante: float = 0) -> list[Event]:
    """Return `hand_started` and each `action_taken` of a hand at 1/2.

    The first two of `stacks` post the blinds. Each round is a text such as "a raise 6, b fold":
    player, action, and the player's total in the round where chips are put in; a word behind, such
    as `sitting_out`, is the outcome.
    """
    small, big, *_ = stacks
    posted = [{"playerId": player_id, "kind": "ante", "amount": ante} for player_id in stacks]
    posted = posted if ante else []
    blinds = {small: min(1.0, stacks[small]), big: min(2.0, stacks[big])}
    posted += [
        {"playerId": small, "kind": "small-blind", "amount": blinds[small]},
        {"playerId": big, "kind": "big-blind", "amount": blinds[big]},
    ]
    players = [
        {"playerId": player_id, "seatNumber": number, "stack": stack}
        for number, (player_id, stack) in enumerate(stacks.items())
    ]
    started = {"players": players, "posted": posted, "smallBlind": 1, "bigBlind": 2}
    events: list[Event] = [("hand_started", started)]
    left = {
        player_id: stack - ante - blinds.get(player_id, 0) for player_id, stack in stacks.items()
    }
    for name, text in zip(ROUNDS, rounds, strict=False):
        bets = blinds if name == "preflop" else {}
        for words in filter(None, text.split(", ")):
            player_id, action, *rest = words.split()
            total = float(rest.pop(0)) if rest and rest[0][0].isdigit() else bets.get(player_id, 0)
            left[player_id] -= total - bets.get(player_id, 0)
            bets[player_id] = total
            payload: dict[str, Any] = {"playerId": player_id, "bettingRound": name}
            payload |= {"action": action, "stack": left[player_id]}
            payload["outcome"] = rest[0] if rest else "ok"
            events.append(("action_taken", payload))
    return events


def played(events: list[Event], big_blind: float | None = 2) -> PlayedHand:
    hand = PlayedHand.begin(HandStarted(events[0][1]), big_blind)
    for _, payload in events[1:]:
        decision = ActionTaken.of(payload)
        assert decision is not None
        hand.decide(decision)
    return hand
