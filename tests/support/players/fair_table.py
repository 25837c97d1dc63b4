"""A table's side of a fair deal, for tests of its contributors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.card_key import CardKey
from casino_agentkit.fair_deal import (
    PROTOCOL,
    CommittedDeck,
    DealKey,
    DeckName,
    DeckPlan,
    block_entropy,
    block_root,
    commitment_to,
    committed_hand,
    deck_root,
    deck_secret,
)
from casino_contracts import CardProof

LOBBY = b"lobby's part of 32 bytes in all.."[:32]
PLAN = DeckPlan(52, (2, 2, 3, 1, 1))

QUESTION: dict[str, Any] = {
    "tableId": "main", "bettingRound": "preflop", "communityCards": [], "pot": 3, "currentBet": 2,
    "minimumRaise": 2, "playerStack": 98, "legalActions": ["fold", "call"], "handNumber": 1,
    "playerId": "player-1", "seatNumber": 2, "buttonSeat": 4, "minRaiseTo": None,
    "maxRaiseTo": None, "players": [
        {"playerId": f"player-{seat // 2}", "displayName": "X", "seatNumber": seat, "stack": 98,
         "bet": 1, "status": "active"} for seat in (2, 4)
    ],
}  # fmt: skip
"""Of hand 1, without hole cards and proof."""


@dataclass
class FairTable:
    """The table `main` with two seats, of which `player-1` contributes; all hands have leaves."""

    block: str = "main/1/1"
    secret: bytes = bytes(range(32))
    hands: int = 3
    first: int = 1
    key: CardKey | None = None
    plan: DeckPlan = PLAN
    commitment: dict[str, Any] = field(default_factory=dict)
    outcome: bytes = b""

    def request(self, **more: Any) -> dict[str, Any]:
        table, _, _ = self.block.rsplit("/", 2)
        return {"tableId": table, "block": self.block, "playerId": "player-1", **more}

    def commit(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Commit itself to all hands; return the second call."""
        numbers = range(self.first, self.first + self.hands)
        roots = [committed_hand(self.secret, self.block, hand, self.plan) for hand in numbers]
        self.commitment = {
            "protocol": PROTOCOL,
            "block": self.block,
            "gameType": "texas-holdem",
            "firstHand": self.first,
            "cards": self.plan.cards,
            "leaves": list(self.plan.leaves),
            "seats": ["player-1", "player-2"],
            "commitments": [
                {"commitment": commitment_to(LOBBY)},
                {"playerId": "player-1", "commitment": answer["commitment"]},
            ],
            "roots": encoded(b"".join(roots)),
        }
        if self.key is not None:
            self.commitment["key"] = dict(self.key.public.jwk)
            signature = self.key.sign(block_root(self.commitment))
            self.commitment["signature"] = encoded(signature)
        return self.request(commitment=self.commitment)

    def contribute(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Learn the entropy of all; return the third call."""
        entropy = decoded(answer["entropy"])
        self.outcome = block_entropy(block_root(self.commitment), [LOBBY, entropy])
        parts = [
            {"entropy": encoded(LOBBY)},
            {"playerId": "player-1", "entropy": answer["entropy"]},
        ]
        return self.request(contributed={"block": self.block, "contributions": parts})

    def deal(self, hand: int, leaf: int = 0) -> tuple[dict[str, Any], list[int]]:
        """Return a proof of a leaf, and its cards."""
        key = DealKey(self.outcome, hand)
        played, other = (DeckName(self.block, hand, side) for side in (key.played, key.audited))
        deck = CommittedDeck(deck_secret(self.secret, hand, key.played), played, self.plan)
        opened = deck.opening({leaf})
        root = deck_root(deck_secret(self.secret, hand, key.audited), other, self.plan)
        values = key.values(self.plan.cards)
        proof = CardProof(block=self.block, **opened.to_json(), other=encoded(root))
        return proof.model_dump(mode="json"), [values[number] for number in opened.numbers]
