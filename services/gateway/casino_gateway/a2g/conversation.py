"""What a client says over its socket, and the replies: one handler for each message."""

from collections.abc import Awaitable, Callable

from casino_agentkit.bounded_state import RateLimit
from casino_agentkit.violations import violations_of
from casino_contracts import ContributeOutput, Defaulted
from casino_gamespec.a2g import from_a2g
from casino_lobby_client.errors import CallFailed
from casino_seats.errors import ActionRefused
from casino_seats.offered_action import default_said
from pydantic import ValidationError

from casino_gateway.a2g.a2g_codes import (
    A2gCode,
    A2gRefused,
    Clocks,
    GameCode,
    game_code_of,
    milliseconds,
    refusal_of,
)
from casino_gateway.a2g.a2g_frames import (
    PROTOCOL_VERSION,
    REFUSED,
    Incoming,
    Json,
    MessageDraft,
    SocketOutput,
    frame,
    invalid,
    new_message_id,
    read,
    text_of,
)
from casino_gateway.a2g.a2g_session import LoginSession, SeatedTable
from casino_gateway.a2g.a2g_sessions import LoginSessions
from casino_gateway.a2g.a2g_wallet import Wallet
from casino_gateway.a2g.authentication import Authentication, session_id_of
from casino_gateway.domain.login import LIFETIME, Login
from casino_gateway.store.login_rows import Logins

_ATTEMPTS = 5
"""Failed sign-ins of one socket."""
_REFUSED = 200
"""Messages of one socket beyond the rate limit, until it is closed."""
_SECRET_LIMIT = 512
TALK_LIMIT = 500
"""Table talk, in characters; the protocol document of the casino says so."""


class ClientConversation:
    """One socket's conversation. `session` is None until the client is authenticated."""

    def __init__(
        self,
        connection: SocketOutput,
        sessions: LoginSessions,
        authentication: Authentication,
        logins: Logins,
        wallet: Wallet,
        rate: RateLimit,
        clocks: Clocks,
    ) -> None:
        self.session: LoginSession | None = None
        self._connection = connection
        self._sessions = sessions
        self._authentication = authentication
        self._logins = logins
        self._wallet = wallet
        self._rate = rate
        self._clocks = clocks
        self._failed = 0
        self._flooded = 0
        self._handlers: dict[str, Callable[[LoginSession, Incoming], Awaitable[None]]] = {
            "submit_action": self._submit_action,
            "contribution": self._contribution,
            "heartbeat": self._heartbeat,
            "reconnect": self._reconnect,
            "session_extend": self._session_extend,
            "balance_query": self._balance_query,
            "sit_out": self._sit_out,
        }

    def begin(self, server_id: str, games: list[str]) -> None:
        payload = {
            "protocolVersion": PROTOCOL_VERSION,
            "serverId": server_id,
            "supportedGames": games,
            # Of the whole server; each room of GET /api/lobby says whether its own deal is.
            "capabilities": {"provablyFair": False, "multiTable": True},
        }
        self._say(MessageDraft("hello", payload))

    async def take(self, content: str | bytes) -> None:
        """Handle one frame. Whatever is wrong with it is said in an `error`."""
        message: Incoming | None = None
        try:
            is_within = self._rate.take()
            message = read(content)
            if not is_within:
                self._count_flood()
                raise A2gRefused(A2gCode.RATE_LIMITED, "too many messages: wait a second")
            await self._handle(message)
        except CallFailed as error:
            refused = refusal_of(error)
            self._refuse(refused.code, refused.message, message.message_id if message else None)

    def late(self) -> None:
        self._refuse(A2gCode.AUTH_REQUIRED, "authenticate within 10 seconds of hello", None)
        self._connection.close(REFUSED, "not authenticated")

    def end(self) -> None:
        if self.session is not None:
            self.session.detach(self._connection)

    async def _handle(self, message: Incoming) -> None:
        session = self.session
        if session is None:
            await self._sign_in(message)
            return
        session.heard(self._clocks.wall())
        if message.message_id is not None and session.is_repeated(message.message_id):
            raise A2gRefused(
                A2gCode.DUPLICATE_MESSAGE, "messageId: was used before; a new message has a new one"
            )
        handler = self._handlers.get(message.kind)
        if handler is not None:
            await handler(session, message)

    # Before the client is authenticated.

    async def _sign_in(self, message: Incoming) -> None:
        if message.kind not in {"authenticate", "reconnect"}:
            if message.kind in self._handlers:
                raise A2gRefused(A2gCode.AUTH_REQUIRED, "send authenticate first, with your token")
            return
        try:
            if message.kind == "authenticate":
                await self._authenticate(message)
            else:
                await self._resume(message)
        except A2gRefused:
            self._failed += 1
            if self._failed >= _ATTEMPTS:
                self._connection.close(REFUSED, "too many failed attempts to sign in")
            raise

    async def _authenticate(self, message: Incoming) -> None:
        version = message.payload.get("protocolVersion", PROTOCOL_VERSION)
        if not (isinstance(version, str) and version.partition(".")[0] == "1"):
            raise A2gRefused(
                A2gCode.VERSION_UNSUPPORTED, f"payload.protocolVersion: must be {PROTOCOL_VERSION}"
            )
        token = text_of(message.payload, "token", "payload.token", _SECRET_LIMIT)
        if token is None:
            raise A2gRefused(A2gCode.AUTH_INVALID, "payload.token: is missing")
        login = await self._authentication.by_token(token)
        session = await self._attach(login, session_id_of(token))
        session.introduce()

    async def _resume(self, message: Incoming) -> None:
        """Sign in by the session id, which is as secret as the token."""
        session_id = text_of(message.payload, "sessionId", "payload.sessionId", _SECRET_LIMIT)
        if session_id is None:
            raise A2gRefused(A2gCode.AUTH_INVALID, "payload.sessionId: is missing")
        last_seen = text_of(message.payload, "lastSeenMessageId", "payload.lastSeenMessageId")
        login = await self._authentication.by_session(session_id)
        session = await self._attach(login, session_id)
        session.reconnected(last_seen)
        session.introduce()

    async def _attach(self, login: Login, session_id: str) -> LoginSession:
        balance = await self._wallet.balance(login)
        session = await self._sessions.open(login)
        session.attach(self._connection)  # at once, before the session could be dropped as unused
        session.heard(self._clocks.wall())
        self.session = session
        seats = [
            {
                "tableId": table.table_id,
                "gameType": table.messages.game_type,
                "playerId": table.seat.identity.player_id,
                "seatNumber": table.seat.identity.seat_number,
            }
            for table in session.tables.values()
        ]
        payload = {
            "sessionId": session_id,
            "walletAddress": login.wallet_address,
            "linkedUserId": login.linked_user_id,
            "displayName": login.display_name,
            "playerIds": [seat["playerId"] for seat in seats],
            "seats": seats,
            "balance": balance,
            "permissions": login.permissions.as_json(),
            "expiresAt": milliseconds(login.expires_at),
        }
        session.publish(MessageDraft("authenticated", payload))
        return session

    # Afterwards.

    async def _submit_action(self, session: LoginSession, message: Incoming) -> None:
        if message.message_id is None:
            raise invalid("messageId: is missing; each action needs one of its own")
        table = _table_of(session, message)
        question = table.seat.question
        talk = message.payload.get("message", message.fields.get("message"))
        if talk is not None and not isinstance(talk, str):
            raise invalid("message: must be a text")
        payload = {key: value for key, value in message.payload.items() if key != "message"}
        fault = session.login.permissions.fault_of_stake(payload.get("amount"))
        if question is not None and fault is not None:
            self._refuse_action(session, table, GameCode.INVALID_AMOUNT, fault, message)
            return
        try:
            await table.seat.act(
                from_a2g(payload, question.offers if question else ()),
                turn=_turn_of(message),
                message=talk[:TALK_LIMIT] if talk else None,
                defaulted=_default_of(message),
            )
        except ActionRefused as error:
            code = game_code_of(
                error, is_window=table.messages.is_window, is_hand_over=table.messages.is_hand_over
            )
            self._refuse_action(session, table, code, error.message, message, error.offers)
            return
        table.seat.touch()
        self._rate.give_back()  # an answer to a question, of which the table sets the number
        session.publish(
            MessageDraft("ack", {"relatedMessageId": message.message_id}, table.table_id)
        )

    async def _heartbeat(self, session: LoginSession, message: Incoming) -> None:
        if message.payload.get("direction", "ping") == "ping":
            related = {"direction": "pong", "relatedMessageId": message.message_id}
            session.publish(MessageDraft("heartbeat", related))

    async def _reconnect(self, session: LoginSession, message: Incoming) -> None:
        session_id = text_of(message.payload, "sessionId", "payload.sessionId", _SECRET_LIMIT)
        last_seen = text_of(message.payload, "lastSeenMessageId", "payload.lastSeenMessageId")
        login = await self._authentication.by_session(session_id or "")
        if login.login_id != session.login.login_id:
            raise A2gRefused(A2gCode.AUTH_INVALID, "payload.sessionId: is of another login")
        session.reconnected(last_seen)

    async def _session_extend(self, session: LoginSession, _message: Incoming) -> None:
        now = self._clocks.wall()
        await self._logins.heard(session.login.login_id, now, now + LIFETIME)
        session.extend(now + LIFETIME)
        expires_at = milliseconds(session.login.expires_at)
        session.publish(MessageDraft("session_extended", {"expiresAt": expires_at}))

    async def _balance_query(self, session: LoginSession, _message: Incoming) -> None:
        balance = await self._wallet.balance(session.login)
        session.publish(MessageDraft("balance_response", balance))

    async def _sit_out(self, session: LoginSession, message: Incoming) -> None:
        """Sit out or come back: an addition of this casino."""
        table = _table_of(session, message)
        if message.payload.get("sittingOut", True) is False:
            table.seat.touch()
        else:
            table.seat.sit_out()

    async def _contribution(self, session: LoginSession, message: Incoming) -> None:
        """Take a person's part in the deal: an addition of this casino."""
        table = _table_of(session, message)
        block = message.payload.get("block")
        if not isinstance(block, str):
            raise invalid("payload.block: must be the text of the contribution_request")
        try:
            part = ContributeOutput.model_validate(message.payload)
        except ValidationError as error:
            fault = violations_of(error)[0]
            raise invalid(f"payload.{fault.field}: {fault.message}") from error
        table.seat.contribution.take(block, part)

    # What is said.

    @staticmethod
    def _refuse_action(
        session: LoginSession,
        table: SeatedTable,
        code: GameCode,
        fault: str,
        message: Incoming,
        offers: tuple[Json, ...] = (),
    ) -> None:
        session.publish(table.messages.error(code, fault, message.message_id, offers))

    def _count_flood(self) -> None:
        self._flooded += 1
        if self._flooded >= _REFUSED:
            self._connection.close(REFUSED, "too many messages")

    def _refuse(self, code: A2gCode, message: str, related: str | None) -> None:
        payload: Json = {"code": code, "message": message, "relatedMessageId": related}
        if self.session is None:
            self._say(MessageDraft("error", payload))
        else:
            self.session.error(payload)

    def _say(self, draft: MessageDraft) -> None:
        self._connection.put(frame(draft, new_message_id(), self._clocks.at_ms()))


def _table_of(session: LoginSession, message: Incoming) -> SeatedTable:
    """Return the table that a message is about; the only one if it names none."""
    table_id = message.text("tableId")
    if table_id is None and len(session.tables) == 1:
        (table_id,) = session.tables
    table = session.tables.get(table_id or "")
    if table is None or table.seat.closed is not None:  # its last chips may not be booked yet
        raise A2gRefused(A2gCode.TABLE_NOT_FOUND, "tableId: this login has no seat at this table")
    game_type = message.text("gameType")
    if game_type is not None and game_type != table.messages.game_type:
        raise invalid(f"gameType: this table plays {table.messages.game_type}")
    return table


def _default_of(message: Incoming) -> Defaulted | None:
    try:
        return default_said(message.fields.get("defaulted"))
    except ValueError as error:
        raise invalid(str(error)) from error


def _turn_of(message: Incoming) -> int | None:
    turn = message.fields.get("turn")
    if turn is not None and type(turn) is not int:
        raise invalid("turn: must be a whole number, as in the request")
    return turn
