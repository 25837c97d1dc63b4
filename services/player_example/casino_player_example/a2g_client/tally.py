"""What was played at an A2G server, counted for its last log line."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """Counts of one client. `refused` counts the server's error codes."""

    rounds: int = 0
    questions: int = 0
    submissions: int = 0
    reconnects: int = 0
    faults: int = 0
    """Payloads that do not conform to the specification."""
    refused: Counter[str] = field(default_factory=Counter)
