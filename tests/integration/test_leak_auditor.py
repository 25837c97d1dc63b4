"""The leak auditor detects every kind of leak."""

import json
from typing import Any

import pytest
from casino_contracts import Card
from support.casino.leak_auditor import SEED, LeakAuditor


class TestLeakAuditor:
    """The auditor of a hand that p1 folded."""

    @pytest.fixture
    def auditor(self) -> LeakAuditor:
        """Return an auditor that knows the hand."""
        cards = {
            "p1": {Card.from_text("As"), Card.from_text("Ad")},
            "p2": {Card.from_text("Ks"), Card.from_text("Kd")},
            "p3": {Card.from_text("Qs"), Card.from_text("Qd")},
        }
        auditor = LeakAuditor({"t/1": cards})
        fold = {"playerId": "p1", "action": "fold"}
        board = [json.loads(Card.from_text(text).wire()) for text in ("2c", "3c", "4c")]
        flop = {"kind": "street_dealt", "communityCards": board}
        auditor.learn(
            [
                {"eventType": kind, "handId": "t/1", "message": "", "payload": payload}
                for kind, payload in (("action_taken", fold), ("table_status", flop))
            ]
        )
        return auditor

    def test_shown_cards_pass(self, auditor: LeakAuditor) -> None:
        """At the end of the hand, by players who did not fold."""
        auditor.audit({"event": completed("p2", "Ks", "Kd")})

    @pytest.mark.parametrize(
        "leak",
        [
            {
                "event": {
                    "eventType": "action_taken",
                    "handId": "t/1",
                    "x": {"rank": "K", "suit": "spades"},
                }
            },
            {
                "event": {
                    "eventType": "hand_completed",
                    "handId": "t/1",
                    "payload": {},
                    "x": [{"rank": "5", "suit": "clubs"}],
                }
            },
            {"summary": {"rank": "A", "suit": "spades", "owner": "p1"}},
            {"message": "p1 folds As Ad"},
            {"event": {"eventType": "player_busted", "handId": "t/1", "message": "with Ks Kd"}},
            {"message": "p1 was holding aces"},
            {"config": {"seed": SEED}},
        ],
    )
    def test_hidden_cards_and_secrets_are_found(self, auditor: LeakAuditor, leak: Any) -> None:
        """As JSON, as text, too early, or of the deck."""
        with pytest.raises(AssertionError):
            auditor.audit(leak)

    def test_a_folded_hand_that_claims_to_be_shown_is_found(self, auditor: LeakAuditor) -> None:
        """Folded cards may never be public."""
        with pytest.raises(AssertionError, match="folded"):
            auditor.audit({"event": completed("p1", "As", "Ad")})


def completed(player_id: str, *cards: str) -> dict[str, Any]:
    """Return the end of a hand that shows a player's cards."""
    reported = [json.loads(Card.from_text(text).wire()) for text in cards]
    shown = [{"playerId": player_id, "cards": reported}]
    return {"eventType": "hand_completed", "handId": "t/1", "payload": {"shown": shown}}
