"""What a joined bot answers its lobby and table, and what its log keeps."""

import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from casino.errors import BotFailed, BotLogFailed
from casino.join.log import BotLog
from casino.join.player import Player
from casino_agentkit import CommandRefused

INVITATION = {"tableId": "t1", "roomId": "green", "playerId": "player-1", "seatToken": "secret"}
TURN: dict[str, Any] = {"requestId": "green/17:3:1", "legalActions": ["fold", "call"]}


class Side:
    """A player whose answers are a list, and what it says and logs."""

    def __init__(self, directory: Path, **options: Any) -> None:
        self.said: list[str] = []
        self.answers: list[object] = []
        self.path = directory / "mine.log"
        self.log = BotLog(self.path, lambda: datetime(2026, 11, 23, tzinfo=UTC))
        ticks = count(step=0.002)
        self.player = Player(
            "Mine", self._decide, self.log, self.said.append, now=lambda: next(ticks), **options
        )

    async def _decide(self, _turn: dict[str, Any]) -> object:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def side(tmp_path: Path) -> Iterator[Side]:
    """Return a player that joins the room green."""
    side = Side(tmp_path, room_id="green")
    yield side
    side.log.close()


async def test_every_decision_is_logged_before_and_after(side: Side) -> None:
    """In JSON lines that only the owner can read."""
    side.answers = [{"action": "call"}]
    assert await side.player.answer("act", TURN) == {"action": "call"}
    at = "2026-11-23T00:00:00.000Z"
    request = {"requestId": "green/17:3:1"}
    assert side.logged == [
        {"at": at, "event": "question", **request, "turn": TURN},
        {"at": at, "event": "answer", **request, "answer": {"action": "call"}, "latencyMs": 2.0},
    ]
    assert stat.S_IMODE(side.path.stat().st_mode) == 0o600
    assert side.said == []


async def test_why_an_answer_was_not_accepted_is_said_and_logged(side: Side) -> None:
    """With the hand, when the table asks for the second time."""
    side.answers = [{"action": "call"}]
    rejected = {"reason": "ILLEGAL_ACTION", "message": "check is not possible now"}
    await side.player.act({**TURN, "rejected": rejected})
    assert side.said == ["hand 17: not accepted: check is not possible now; asked once more"]
    assert side.logged[0]["event"] == "rejected"
    assert side.logged[0]["reason"] == "check is not possible now"


async def test_an_error_of_the_bot_is_an_answer_that_the_table_understands(side: Side) -> None:
    """It comes back as `rejected`, which needs no second line."""
    side.answers = [BotFailed("KeyError: 'x' (mine.py:3)"), {"action": "fold"}]
    with pytest.raises(CommandRefused) as refusal:
        await side.player.act(TURN)
    assert (refusal.value.reason, refusal.value.message) == (
        "BOT_FAILED",
        "KeyError: 'x' (mine.py:3)",
    )
    await side.player.act({**TURN, "rejected": {"message": "KeyError: 'x' (mine.py:3)"}})
    assert side.said == []
    assert [entry["event"] for entry in side.logged] == [
        "question",
        "failed",
        "rejected",
        "question",
        "answer",
    ]
    assert side.logged[1]["error"] == "KeyError: 'x' (mine.py:3)"


def test_a_seat_is_taken_only_where_and_while_the_bot_joins(side: Side) -> None:
    """Another lobby that finds the card gets no seat, and no right to ask."""
    with pytest.raises(CommandRefused, match="takes no seat here now"):
        side.player.signup(INVITATION)
    side.player.is_joining = True
    with pytest.raises(CommandRefused, match="takes no seat here now"):
        side.player.signup({**INVITATION, "roomId": "red"})
    assert side.player.signup(INVITATION) == {"displayName": "Mine"}
    invited = side.player.invited("player-1")
    assert invited is not None
    assert (invited.table_id, invited.seat_token) == ("t1", "secret")
    assert "secret" not in repr(invited)


def test_another_game_is_refused_unless_the_bot_plays_any(tmp_path: Path) -> None:
    leduc = {**INVITATION, "gameType": "leduc_poker"}
    holdem = Side(tmp_path)
    with pytest.raises(CommandRefused, match="this room plays leduc_poker: `casino join --any-gam"):
        holdem.player.signup(leduc)
    anything = Side(tmp_path, plays_any_game=True, clock_ms=600_000)
    reply = {"displayName": "Mine", "playsAnyGame": True, "clockMs": 600_000}
    assert anything.player.signup(leduc) == reply
    holdem.log.close()
    anything.log.close()


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(BotLogFailed, match=r"--log .*/none/mine.log: it cannot be written"):
        BotLog(tmp_path / "none" / "mine.log")
