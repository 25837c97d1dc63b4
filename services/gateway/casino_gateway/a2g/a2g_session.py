"""One login while its process runs: its socket, its tables, and its messages in their order."""

from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from casino_agentkit.bounded_state import LruDict
from casino_seats.turns import Question

from casino_gateway.a2g.a2g_codes import Clocks, milliseconds
from casino_gateway.a2g.a2g_frames import (
    REPLACED,
    MessageDraft,
    SocketOutput,
    frame,
    new_message_id,
)
from casino_gateway.a2g.a2g_table_messages import TableMessages, state_with_offers
from casino_gateway.domain.login import Login
from casino_gateway.seats.live_seat import LiveSeat

MESSAGES = 256
SIZE = 256 * 1024
"""Limits for each login; a hand of Hold'em with six players is about 30 messages, 20 KiB."""
_SEEN = 1_024
"""Message ids of the client that are remembered."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message that was sent, or would have been."""

    message_id: str
    sequence: int
    table_id: str | None = None
    body: bytes = field(default=b"", repr=False)
    """Empty for a message that is not sent again, such as a heartbeat or a question."""


class Missed(NamedTuple):
    """Messages after one that the client saw."""

    messages: tuple[SentMessage, ...]
    is_complete: bool
    """Whether none is gone: the message that the client saw is still known."""


class RecentMessages:
    """The newest messages, bounded in number and in bytes; the oldest go first."""

    def __init__(self, messages: int = MESSAGES, size: int = SIZE) -> None:
        self._messages = messages
        self._size = size
        self._kept: deque[SentMessage] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, sent: SentMessage) -> None:
        self._kept.append(sent)
        self._bytes += len(sent.body)
        while len(self._kept) > self._messages or self._bytes > self._size:
            self._bytes -= len(self._kept.popleft().body)

    def after(self, message_id: str, before: int) -> Missed:
        """Return the messages after one and below `before`; all if the one is unknown."""
        places = [place for place, sent in enumerate(self._kept) if sent.message_id == message_id]
        later = list(self._kept)[places[0] + 1 :] if places else self._kept
        kept = tuple(sent for sent in later if sent.body and sent.sequence < before)
        return Missed(kept, is_complete=bool(places))


class SeatedTable:
    """A seat of a login, and how its messages are written."""

    def __init__(self, seat: LiveSeat, messages: TableMessages) -> None:
        self.seat = seat
        self.messages = messages
        self.held: Question | None = None
        """A question that is not sent yet, because the result of the hand before is on its way."""
        self._request: tuple[str, str] | None = None

    @property
    def table_id(self) -> str:
        return self.seat.identity.room_id

    def id_of(self, question: Question) -> str:
        """Return the message id of a question: the same whenever it is sent again."""
        if self._request is None or self._request[0] != question.request_id:
            self._request = (question.request_id, new_message_id())
        return self._request[1]

    def current_state(self) -> dict[str, Any] | None:
        """Return the newest state that the seat may know, with the offers of an open question."""
        question = self.seat.question
        if question is not None:
            return state_with_offers(question.state, question.offers)
        return self.seat.view


class LoginSession:
    """A login's messages, numbered from `first`: sent to its socket, or kept while it is away."""

    def __init__(self, login: Login, first: int, clocks: Clocks) -> None:
        self.login = login
        self.tables: dict[str, SeatedTable] = {}
        self.lost_at = clocks.monotonic()
        """When the login was last without a socket; it starts without one."""
        self.heartbeat_at = 0.0
        self.is_warned = False
        self.sequence = first
        """Of the next message."""
        self._clocks = clocks
        self._outbox = RecentMessages()
        self._seen = LruDict[str, bool](_SEEN)
        self._connection: SocketOutput | None = None
        self._first_here = first
        self._presence = ExitStack()

    @property
    def is_connected(self) -> bool:
        return self._connection is not None

    def attach(self, connection: SocketOutput) -> None:
        if self._connection is not None:
            self._connection.close(REPLACED, "a newer connection of the same login")
            self._presence.close()
        self._connection = connection
        self._first_here = self.sequence
        self.heartbeat_at = self._clocks.monotonic()
        for table in self.tables.values():
            self._presence.enter_context(table.seat.connected())

    def detach(self, connection: SocketOutput) -> None:
        if self._connection is connection:
            self._connection = None
            self._presence.close()
            self.lost_at = self._clocks.monotonic()

    def close(self, code: int, reason: str) -> None:
        if self._connection is not None:
            self._connection.close(code, reason)

    def add(self, table: SeatedTable) -> None:
        """Add a seat; its owner is there if a socket is."""
        self.tables[table.table_id] = table
        self.lost_at = self._clocks.monotonic()
        if self._connection is not None:
            self._presence.enter_context(table.seat.connected())

    def heard(self, at: datetime) -> None:
        self.login = replace(self.login, heard_at=at)
        self.is_warned = False

    def extend(self, expires_at: datetime) -> None:
        self.login = replace(self.login, expires_at=expires_at)
        self.is_warned = False

    def is_repeated(self, message_id: str) -> bool:
        """Return whether the client sent a message with this id before; remembers it."""
        if self._seen.get(message_id):
            return True
        self._seen.put(message_id, True)
        return False

    def publish(
        self, draft: MessageDraft, message_id: str | None = None, *, is_kept: bool = False
    ) -> None:
        """Send a message; `is_kept`: it is sent again to a client that was away."""
        message_id = message_id or new_message_id()
        body = frame(draft, message_id, self._clocks.at_ms(), self.sequence)
        kept = body if is_kept else b""
        self._outbox.add(SentMessage(message_id, self.sequence, draft.table_id, kept))
        self.sequence += 1
        if self._connection is not None:
            self._connection.put(body)

    def ask(self, table: SeatedTable, question: Question) -> None:
        """Send a question with the time that is left."""
        draft = table.messages.request(question, self._clocks.monotonic())
        self.publish(draft, table.id_of(question))

    def introduce(self) -> None:
        """Send the state of each table and the open questions, as to a new socket."""
        for table in self.tables.values():
            view = table.seat.view
            if view is not None:
                self.publish(table.messages.state(view))
            asked = table.seat.contribution.asked
            if asked is not None:
                self.publish(table.messages.part(asked.request))
            if table.seat.question is not None and table.held is None:
                self.ask(table, table.seat.question)

    def reconnected(self, last_seen: str | None) -> None:
        """Tell a client the state of each table and what it missed, nothing of it twice."""
        missed = self._outbox.after(last_seen or "", self._first_here)
        for table in self.tables.values():
            messages = [sent for sent in missed.messages if sent.table_id == table.table_id]
            payload = {
                "gameType": table.messages.game_type,
                "tableId": table.table_id,
                "currentState": table.current_state(),
                "missedMessages": [orjson.Fragment(sent.body) for sent in messages],
                "isComplete": missed.is_complete,
            }
            self.publish(_reconnect_state(payload))
        if not self.tables:
            nothing = {"gameType": None, "tableId": None, "currentState": None}
            complete = {"missedMessages": [], "isComplete": missed.is_complete}
            self.publish(_reconnect_state({**nothing, **complete}))

    def error(self, payload: Mapping[str, Any]) -> None:
        self.publish(MessageDraft("error", payload))

    def warn(self) -> None:
        """Tell the client once that its login ends soon."""
        if not self.is_warned:
            self.is_warned = True
            ends_at = milliseconds(self.login.ends_at)
            self.publish(MessageDraft("session_expiring", {"expiresAt": ends_at}))


def _reconnect_state(payload: Mapping[str, Any]) -> MessageDraft:
    table_id, game_type = payload["tableId"], payload["gameType"]
    return MessageDraft("reconnect_state", payload, table_id, game_type)
