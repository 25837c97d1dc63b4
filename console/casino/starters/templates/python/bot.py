"""The decisions of the bot: change `act`, and run `python -m unittest` after it."""

import random

NAME = "My bot"
"""What the casino displays."""

STRENGTH = "23456789TJQKA"


def act(turn: dict) -> dict:
    """Decide one turn; `turn["legalActions"]` is exactly what is accepted."""
    legal = turn["legalActions"]
    if "rejected" in turn:  # the second and last attempt: play safe
        return {"action": "check" if "check" in legal else "fold"}
    # The same requestId always gets the same answer: a request may be sent again.
    dice = random.Random(turn.get("requestId"))
    strength = strength_of(turn["holeCards"], turn["communityCards"])
    kind = next((kind for kind in ("bet", "raise") if kind in legal), None)
    if kind and strength >= 2 and dice.random() < 0.8:
        # A total for this betting round: half of the pot more than now, within the limits.
        wanted = round(turn["currentBet"] + turn["pot"] // 2, 6)
        amount = min(max(wanted, turn["minRaiseTo"]), turn["maxRaiseTo"])
        return {"action": kind, "amount": amount, "reasoning": f"strength {strength}"}
    if "check" in legal:
        return {"action": "check"}
    is_cheap = turn["toCall"] * 4 <= turn["pot"]
    if "call" in legal and (strength >= 2 or (strength == 1 and is_cheap)):
        return {"action": "call"}
    return {"action": "fold"}


def strength_of(hole: list, board: list) -> int:
    """Return 3 (two pair or better with my cards), 2 (good), 1 (something) or 0 (nothing)."""
    ranks = [STRENGTH.index(card["rank"]) for card in hole]
    shared = [STRENGTH.index(card["rank"]) for card in board]
    if ranks[0] == ranks[1]:
        return 3 if ranks[0] in shared or min(ranks) >= 9 else 2
    hits = sum(rank in shared for rank in ranks)
    if hits == 2:
        return 3
    if hits == 1:
        pair = next(rank for rank in ranks if rank in shared)
        return 2 if pair == max(shared) else 1
    if board:
        return 0
    if min(ranks) >= 9:  # two of J, Q, K, A
        return 2
    return 1 if max(ranks) >= 9 else 0
