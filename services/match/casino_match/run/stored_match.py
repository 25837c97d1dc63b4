"""A match on disk: plan, blocks, the result as far as it is played, and its notable hands."""

from pathlib import Path

from casino_contracts.match_results import MatchResult
from casino_histories.phh import phh
from pydantic import ValidationError

from casino_match.domain.plan import Plan
from casino_match.errors import StoreFailed
from casino_match.hand_export import MatchHands
from casino_match.match_directory import BlockFiles, MatchDirectory
from casino_match.results.match_result import result_of
from casino_match.results.running_result import Describe, HandText


def describe_of(plan: Plan) -> Describe:
    hands = MatchHands(plan)

    def describe(deck: int, seating: int, actions: str) -> HandText:
        hand = hands.hand(deck, seating, actions)
        return HandText(hand.pot, phh(hand))

    return describe


class StoredMatch:
    """A match that has begun."""

    def __init__(self, path: Path) -> None:
        """Read the plan; raises StoreFailed."""
        self.directory = MatchDirectory(path)
        written = self.directory.read_plan()
        if written is None:
            raise StoreFailed(
                f"{path} holds no match: there is no {self.directory.plan_file}."
                " `casino match` prints the directory of each match"
            )
        self.plan: Plan = written.plan
        self.folder = written.folder
        self.blocks: BlockFiles = self.directory.blocks(self.plan)

    def result(self) -> MatchResult:
        """Return the result that was written, or that of the blocks so far; raises StoreFailed."""
        return self.written_result() or self.computed_result()

    def written_result(self) -> MatchResult | None:
        """Return the result of a complete match; raises StoreFailed if the file is damaged."""
        content = self.directory.read_result()
        if content is None:
            return None
        try:
            result = MatchResult.model_validate_json(content)
        except ValidationError as error:
            raise StoreFailed(
                f"{self.directory.result_file} is damaged. Delete the file: casino match"
                f" {self.directory.path} computes it again from the blocks"
            ) from error
        if result.plan_digest != self.plan.digest:
            raise StoreFailed(f"{self.directory.result_file} is the result of another plan")
        return result

    def computed_result(self) -> MatchResult:
        """Return the result of the blocks before the first that lacks; raises StoreFailed."""
        return result_of(self.plan, self.blocks.in_order(), describe=describe_of(self.plan))
