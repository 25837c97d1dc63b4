"""Tests of the decisions, with recorded questions: `python -m unittest`."""

import json
import unittest
from pathlib import Path

from bot import act
from deal import contribute

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


class Deals(unittest.TestCase):
    """The bot's part in a fair deal."""

    def test_its_part_is_for_the_first_commitment_of_a_block_only(self) -> None:
        block = {"tableId": "main", "playerId": "p1", "block": "main/1/1"}
        own = contribute(block)
        self.assertEqual(contribute(block), own)
        first = {**block, "commitment": {"roots": "a", "commitments": [{"playerId": "p1", **own}]}}
        self.assertEqual(len(contribute(first)["entropy"]), 43)
        self.assertEqual(contribute(first), contribute(first))
        for changed in ({"roots": "b"}, {"commitments": []}):
            with self.assertRaises(ValueError):
                contribute({**block, "commitment": {**first["commitment"], **changed}})
        self.assertEqual(contribute({**block, "contributed": {"block": "main/1/1"}}), {})
        self.assertNotEqual(contribute({**block, "block": "main/1/2"}), own)


if __name__ == "__main__":
    unittest.main()
