"""From blocks to the result of a match. Pure."""

from casino_match.results.match_result import result_of, result_of_reading
from casino_match.results.running_result import Progress, Reading

__all__ = ["Progress", "Reading", "result_of", "result_of_reading"]
