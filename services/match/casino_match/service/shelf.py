"""The matches that are kept: a directory for each, by its id."""

from pathlib import Path

from casino_agentkit.process.private_directory import make_private
from casino_contracts.match_results import MatchResult

from casino_match.domain.plan import Plan
from casino_match.errors import StoreFailed
from casino_match.run.stored_match import StoredMatch
from casino_match.service.live_match import LiveMatch
from casino_match.service.planned import is_match_id
from casino_match.store.match_directory import MatchDirectory
from casino_match.store.written_plan import WrittenPlan

_INTERRUPTED = "interrupted: the service ended while the match was played or waited"


class Shelf:
    """The folder of matches. Its methods read and write files, so threads call them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def open(self) -> None:
        """Make the folder; raises StoreFailed."""
        try:
            make_private(self.folder)
        except OSError as error:
            raise StoreFailed(f"{self.folder} cannot be made: {error.strerror}") from error

    @property
    def is_there(self) -> bool:
        """Whether the folder exists."""
        return self.folder.is_dir()

    def count(self) -> int:
        """Return the number of matches that are kept; raises StoreFailed."""
        try:
            return sum(is_match_id(path.name) for path in self.folder.iterdir())
        except OSError as error:
            raise StoreFailed(f"{self.folder} cannot be read: {error.strerror}") from error

    def find(self, match_id: str) -> LiveMatch | None:
        """Return a match that is kept, as suspended or complete; raises StoreFailed."""
        directory = self._directory(match_id)
        written = directory.read_plan()
        if written is None:
            return None
        plan = written.plan
        blocks = directory.blocks(plan)
        decks = sum(len(plan.decks_of(each)) for each in range(plan.blocks) if blocks.has(each))
        if directory.read_result() is not None:
            return LiveMatch(match_id, directory, written, "complete", decks)
        return LiveMatch(match_id, directory, written, "suspended", decks, _INTERRUPTED)

    def begin(self, match_id: str, plan: Plan) -> LiveMatch:
        """Write the plan of a new match, or return the match that has the id.

        Raises StoreFailed.
        """
        directory = self._directory(match_id)
        there = directory.begin(WrittenPlan(plan, self.folder))
        return LiveMatch(match_id, directory, there, "suspended")

    def result(self, match: LiveMatch) -> MatchResult:
        """Return the result of a complete match; raises StoreFailed."""
        result = StoredMatch(match.directory.path).written_result()
        if result is None:
            raise StoreFailed(f"{match.directory.result_file} was deleted; the same call makes it")
        return result

    def _directory(self, match_id: str) -> MatchDirectory:
        if not is_match_id(match_id):
            raise ValueError("not an id of a match")
        return MatchDirectory(self.folder / match_id)
