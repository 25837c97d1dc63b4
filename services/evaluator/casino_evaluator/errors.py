"""Exceptions of the evaluator.

```
EvaluatorError            root of all
├── RequestRefused        a request that cannot be taken, with its code and HTTP status
├── SeatsTaken            somebody else took a seat of a level's room
├── LevelLost             the room of a level is lost, or its replay differs
├── InvalidLevels         the file of levels cannot be read
└── StoreFailed           the database could not be opened, read or written
```
"""

from enum import StrEnum


class EvaluatorError(Exception):
    """Root of the exceptions of this package."""


class ErrorName(StrEnum):
    """Error names of the ARC-AGI-3 API, on the wire as `error`."""

    VALIDATION_ERROR = "VALIDATION_ERROR"
    SERVER_ERROR = "SERVER_ERROR"
    GAME_NOT_STARTED_ERROR = "GAME_NOT_STARTED_ERROR"
    GAME_NOT_AVAILABLE_ERROR = "GAME_NOT_AVAILABLE_ERROR"
    RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"


class RequestRefused(EvaluatorError):
    """A request that cannot be taken; nothing has changed."""

    def __init__(self, code: ErrorName, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


class SeatsTaken(EvaluatorError):
    """Somebody else took a seat of a level's room: the level gets another room."""


class LevelLost(EvaluatorError):
    """The room of a level is lost, or its replay differs: the level is to be reset."""


class InvalidLevels(EvaluatorError):
    """The file of levels cannot be read; the message names the field."""


class StoreFailed(EvaluatorError):
    """The database could not be opened, read or written."""
