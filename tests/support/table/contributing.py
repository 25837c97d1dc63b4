"""Agents with a part in a table's deal, and the check of a session's events by anybody."""

from collections.abc import Callable, Iterable
from typing import Any

from casino_agentkit import ANYONE, Agent
from casino_agentkit.canonical_json import decoded
from casino_agentkit.contributor import Contributor
from casino_agentkit.fair_deal import BYTES, DealKey, block_entropy, block_root
from casino_contracts import ContributeInput, ContributeOutput, TableEvent
from casino_histories.fair_check import checked

Answer = Callable[[ContributeInput, dict[str, Any]], Any]
"""Takes a request and the answer of an honest contributor; returns the answer, or awaits it."""


def with_part(agent: Agent, answer: Answer) -> list[ContributeInput]:
    """Let an agent contribute; returns the requests that it gets."""
    contributor, requests = Contributor(), list[ContributeInput]()

    @agent.entrypoint("contribute", who=ANYONE)
    async def contribute(request: ContributeInput) -> ContributeOutput:
        """Contribute."""
        requests.append(request)
        honest = contributor.answer(request.model_dump(mode="json"))
        given = answer(request, honest)
        return ContributeOutput.model_validate(given if isinstance(given, dict) else await given)

    return requests


class CheckedDeal:
    """What the public events of a session say of its deal; raises AssertionError if it is not fair.

    `hands` counts the checked hands; `blocks` and `outcomes` are in the order of the events.
    """

    def __init__(self, events: Iterable[TableEvent]) -> None:
        told = [event.model_dump(mode="json") for event in events]
        report = checked(told)
        assert report.fault is None, str(report.fault)
        self.hands = report.checked
        payloads = [event["payload"] for event in told]
        self.blocks = [one["commitment"] for one in payloads if "commitment" in one]
        self.outcomes = [one["contributed"] for one in payloads if "contributed" in one]

    def of_hand(self, hand: int) -> tuple[dict[str, Any], list[bytes], DealKey]:
        """Return the block of a hand, its contributions, and what decides on the hand."""
        dealt = {one["block"]: one for one in self.outcomes if "missing" not in one}
        block = next(
            one
            for one in self.blocks
            if one["block"] in dealt
            and 0 <= hand - one["firstHand"] < len(decoded(one["roots"])) // BYTES
        )
        given = [decoded(one["entropy"]) for one in dealt[block["block"]]["contributions"]]
        return block, given, DealKey(block_entropy(block_root(block), given), hand)
