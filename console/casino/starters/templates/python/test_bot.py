"""Tests of the decisions, with recorded questions: `python -m unittest`."""

import json
import unittest
from pathlib import Path

from bot import act

QUESTIONS = Path(__file__).parent / "questions"


def question(name: str, **changes: object) -> dict:
    """Return a recorded question, with some fields changed."""
    return json.loads((QUESTIONS / f"{name}.json").read_text()) | changes


class Decisions(unittest.TestCase):
    """What the bot does in situations that it has met."""

    def test_nothing_is_folded_that_can_be_checked(self) -> None:
        self.assertEqual(act(question("free_check")), {"action": "check"})

    def test_a_low_pair_calls_only_if_that_is_cheap(self) -> None:
        self.assertEqual(act(question("short_stack")), {"action": "call"})  # 230 into 973
        self.assertEqual(act(question("short_stack", pot=900)), {"action": "fold"})

    def test_after_a_refusal_it_plays_safe(self) -> None:
        self.assertEqual(act(question("second_attempt")), {"action": "fold"})

    def test_a_raise_is_a_total_between_the_limits(self) -> None:
        aces = [{"rank": "A", "suit": "clubs"}, {"rank": "A", "suit": "hearts"}]
        for number in range(100):
            turn = question("free_check", holeCards=aces, requestId=f"main/7:{number}:1")
            answer = act(turn)
            self.assertIn(answer["action"], ("bet", "check"))
            if answer["action"] == "bet":
                self.assertGreaterEqual(answer["amount"], turn["minRaiseTo"])
                self.assertLessEqual(answer["amount"], turn["maxRaiseTo"])

    def test_a_request_that_is_sent_again_gets_the_same_answer(self) -> None:
        for name in ("free_check", "short_stack", "second_attempt"):
            self.assertEqual(act(question(name)), act(question(name)))


if __name__ == "__main__":
    unittest.main()
