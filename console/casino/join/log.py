"""The log of a bot: JSON lines of every question, answer, refusal and fault."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from casino.errors import BotLogFailed


def _now() -> datetime:
    return datetime.now(UTC)


class BotLog:
    """Appends to a file, which only its owner can read: it has the bot's own cards."""

    def __init__(self, path: Path, now: Callable[[], datetime] = _now) -> None:
        self.path = path
        self._now = now
        try:
            path.touch(mode=0o600)
            self._file: TextIO = path.open("a", encoding="utf-8")
        except OSError as error:
            raise BotLogFailed(f"--log {path}: it cannot be written ({error.strerror})") from error

    def joined(self, room_id: str, player_id: str, name: str) -> None:
        """Write that a seat was taken."""
        self._line("joined", {"roomId": room_id, "playerId": player_id, "displayName": name})

    def question(self, turn: Mapping[str, Any]) -> None:
        """Write a question as it came, before the bot sees it."""
        self._line("question", {"requestId": turn.get("requestId"), "turn": turn})

    def answer(self, turn: Mapping[str, Any], answer: Any, latency_ms: float) -> None:
        """Write what the bot answered."""
        fields = {"requestId": turn.get("requestId"), "answer": answer}
        self._line("answer", {**fields, "latencyMs": round(latency_ms, 3)})

    def failed(self, turn: Mapping[str, Any], reason: str, latency_ms: float) -> None:
        """Write why the bot gave no answer."""
        fields = {"requestId": turn.get("requestId"), "error": reason}
        self._line("failed", {**fields, "latencyMs": round(latency_ms, 3)})

    def rejected(self, turn: Mapping[str, Any], reason: str) -> None:
        """Write why the table did not accept the answer before."""
        self._line("rejected", {"requestId": turn.get("requestId"), "reason": reason})

    def fault(self, fields: Mapping[str, Any]) -> None:
        """Write a fault as the lobby has it."""
        self._line("fault", fields)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _line(self, event: str, fields: Mapping[str, Any]) -> None:
        at = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._file.write(json.dumps({"at": at, "event": event, **fields}) + "\n")
        self._file.flush()
