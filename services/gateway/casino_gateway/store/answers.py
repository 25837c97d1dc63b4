"""Turns and answers of seats by request, the newest of each seat."""

import json

from casino_seats.turns import ANSWERS_KEPT, Answer
from casino_storage.sqlite_file import Database
from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from casino_gateway.store.schema import questions

_insert = insert(questions)
_OPENED = _insert.on_conflict_do_nothing()
_ANSWERED = _insert.on_conflict_do_update(
    index_elements=["seat_id", "request_id"],
    set_={"action": _insert.excluded.action, "message": _insert.excluded.message},
)
_FORGET_OLD = delete(questions).where(
    questions.c.seat_id == bindparam("of_seat"), questions.c.turn < bindparam("oldest")
)


class Answers:
    """Keeps the newest turns and answers of every seat."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def opened(self, seat_id: str, request_id: str, turn: int) -> None:
        """Store the turn of a question durably; raises StoreFailed."""
        oldest = turn - ANSWERS_KEPT
        if oldest > 0:
            self._database.soon(_FORGET_OLD, {"of_seat": seat_id, "oldest": oldest})
        values = {"seat_id": seat_id, "request_id": request_id, "turn": turn}
        await self._database.write(_OPENED, {**values, "action": None, "message": None})

    async def answered(self, seat_id: str, answer: Answer) -> None:
        """Store an answer durably; raises StoreFailed."""
        values = {
            "seat_id": seat_id,
            "request_id": answer.request_id,
            "turn": answer.turn,
            "action": json.dumps(answer.action),
            "message": answer.message,
        }
        await self._database.write(_ANSWERED, values)

    async def of(self, seat_id: str) -> tuple[dict[str, int], dict[str, Answer]]:
        """Return a seat's turns and answers, oldest first; raises StoreFailed."""
        query = select(questions).where(questions.c.seat_id == seat_id).order_by(questions.c.turn)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        turns = {row.request_id: row.turn for row in rows}
        answers = {
            row.request_id: Answer(row.request_id, row.turn, json.loads(row.action), row.message)
            for row in rows
            if row.action is not None
        }
        return turns, answers
