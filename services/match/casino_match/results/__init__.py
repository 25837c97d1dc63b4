"""From blocks to the result of a match. Pure."""

from casino_match.results.match_result import result_of, result_of_running
from casino_match.results.running_result import ResultProgress, RunningResult

__all__ = ["ResultProgress", "RunningResult", "result_of", "result_of_running"]
