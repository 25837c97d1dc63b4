"""Play at an A2G server until it ends or the process is stopped: seat, connection, tables.

A lost connection is opened again for as long as the server keeps the seat; then what was missed is
taken as if it had just arrived.
"""

import asyncio
import signal
import ssl
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import structlog
from casino_agentkit import CommandRefused
from casino_gamespec import GameSpecError, Lobby, Specifications
from pydantic import SecretStr

from casino_player_example.a2g_client.a2g_connection import (
    A2GServer,
    JoinedSeat,
    ListedRoom,
    ServerConnection,
    connected,
)
from casino_player_example.a2g_client.a2g_decisions import A2GRulebook, ServerDecisions
from casino_player_example.a2g_client.a2g_messages import Message, ServerCode, message_of
from casino_player_example.a2g_client.a2g_table import (
    ServerTally,
    Submission,
    TablePlay,
    TableSession,
)
from casino_player_example.any_game import AnyGamePlayer, ModelPlayer, player_of
from casino_player_example.errors import A2GError, LoginRefused, NoSeat, ServerLost
from casino_player_example.settings import PlayerSettings

_MAX_SEEN = 4096
_MAX_TABLES = 16
_FIRST_DELAY_S, _MAX_DELAY_S = 0.2, 5.0
_LISTED_S = 1.2
"""A room that has just been opened may be listed so much later: ours reads its list each second."""
_COUNTED_ONCE = {"round_result", "game_error"}
_SEAT_GONE = {ServerCode.TABLE_NOT_FOUND, ServerCode.GAME_NOT_FOUND}
_REQUEST_TIMEOUT = timedelta(seconds=10)

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ClientTimes:
    """Clocks and bounds. `clock` returns seconds, `wall_ms` the time of day in milliseconds."""

    clock: Callable[[], float]
    wall_ms: Callable[[], int]
    login: timedelta = timedelta(seconds=10)
    reconnect: timedelta = timedelta(seconds=120)
    """How long a lost connection is opened again: the server keeps the seat as long."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class A2GClient:
    """One player at one server."""

    def __init__(
        self,
        server: A2GServer,
        rulebook: A2GRulebook,
        player: AnyGamePlayer,
        *,
        name: str,
        times: ClientTimes,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.tally = ServerTally()
        self._server = server
        self._rulebook = rulebook
        self._decisions = ServerDecisions(player, rulebook, times.clock)
        self._name = name
        self._times = times
        self._tls = tls
        self._tables: dict[str, TablePlay] = {}
        self._connection: ServerConnection | None = None
        self._session_id = ""
        self._last_seen = ""
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._game_model: str | None = None
        self._player_id = ""

    @property
    def defaults(self) -> dict[str, int]:
        """How many decisions the player did not make, by reason."""
        return dict(self._decisions.defaults)

    async def play(
        self, token: SecretStr | None, *, room_id: str | None = None, rounds: int | None = None
    ) -> None:
        """Log in (without a token as a guest), take a seat, and play until the seat is gone.

        `rounds` is the number of rounds after which it leaves; None: no limit. Leaves the seat when
        it ends or is cancelled. Raises LoginRefused, NoSeat or ServerLost.
        """
        if token is None:
            token = await self._server.guest_token(self._name)
        self._server.log_in(token)
        seat = await self._take_seat(room_id)
        logger.info("a2g_seat_taken", game=seat.game_type, table=seat.table_id, room=seat.room_id)
        self._player_id = seat.player_id
        keeps_seat = False
        try:
            await self._follow(seat, token, rounds)
        except LoginRefused:
            keeps_seat = True  # it may be that of another connection with the same token
            raise
        finally:
            for table in self._tables.values():
                await table.stop()
            if not keeps_seat:
                await self._leave(seat)

    async def _take_seat(self, room_id: str | None) -> JoinedSeat:
        """Sit down in the room, or in the first one that has a seat and a readable game."""
        wanted = await self._rooms(room_id)
        if room_id and not wanted:
            await self._times.sleep(_LISTED_S)
            wanted = await self._rooms(room_id)
        why = f"the lobby does not list {room_id}" if room_id else "the lobby lists no room"
        for room in wanted:
            if not room.has_free_seat:
                why = f"{room.room_id} is full"
                continue
            try:
                spec = await self._rulebook.read(room.game_type)
                seat = await self._server.join(room, self._name)
            except (GameSpecError, NoSeat) as error:
                why = f"{room.room_id}: {error}"
                continue
            self._game_model = spec.about.game_model
            return seat
        raise NoSeat(why)

    async def _rooms(self, room_id: str | None) -> list[ListedRoom]:
        rooms = await self._server.rooms()
        return [room for room in rooms if room_id in {None, room.room_id}]

    async def _follow(self, seat: JoinedSeat, token: SecretStr, rounds: int | None) -> None:
        lost_at: float | None = None
        delay = _FIRST_DELAY_S
        while True:
            try:
                async with connected(
                    self._server.socket_url,
                    token,
                    tls=self._tls,
                    timeout=self._times.login,
                    wall_ms=self._times.wall_ms,
                ) as connection:
                    await self._begin(connection)
                    lost_at, delay = None, _FIRST_DELAY_S
                    async for message in connection.messages():
                        await self._take(message, seat)
                        if rounds is not None and self.tally.rounds >= rounds:
                            return
            except ServerLost as error:
                now = self._times.clock()
                lost_at = now if lost_at is None else lost_at
                is_first = not self._session_id
                if is_first or now - lost_at > self._times.reconnect.total_seconds():
                    raise
                logger.warning("a2g_connection_lost", why=str(error), again_in_s=delay)
            finally:
                self._connection = None
            await self._times.sleep(delay)
            delay = min(delay * 2, _MAX_DELAY_S)

    async def _begin(self, connection: ServerConnection) -> None:
        self._connection = connection
        earlier, self._session_id = self._session_id, connection.session_id or "unnamed"
        self._player_id = self._player_id or connection.player_id
        if not earlier:
            return
        self.tally.reconnects += 1
        missed = {"sessionId": earlier}
        if self._last_seen:
            missed["lastSeenMessageId"] = self._last_seen
        await connection.send("reconnect", missed)

    async def _take(self, message: Message, seat: JoinedSeat) -> None:
        if message.type == "reconnect_state":
            await self._catch_up(message, seat)
        elif message.type == "seat_closed":
            raise NoSeat(f"the seat is closed: {message.payload.get('reason', 'no reason'):.100}")
        elif message.type == "error":
            self._take_error(message)
        elif message.table_id and message.game_type in {"", seat.game_type}:
            await self._take_at_table(message, seat, 0.0)

    async def _take_at_table(self, message: Message, seat: JoinedSeat, age_s: float) -> None:
        """Take a message of the seat's game; the rounds and errors in it are counted once."""
        self._last_seen = message.message_id or self._last_seen
        if message.type in _COUNTED_ONCE and message.message_id:
            if message.message_id in self._seen:
                return
            self._seen[message.message_id] = None
            if len(self._seen) > _MAX_SEEN:
                self._seen.popitem(last=False)
        if message.type == "game_error":
            self.tally.refused[message.code[:40]] += 1
        if message.type == "round_result":
            self._count_round(message, seat)
        table = self._table(message.table_id, seat)
        if table is not None:
            await table.take(message, age_s)

    async def _catch_up(self, state: Message, seat: JoinedSeat) -> None:
        """Take what was missed, each with its age by the server's own clock."""
        listed = state.payload.get("missedMessages")
        for document in listed if isinstance(listed, list) else []:
            message = message_of(document)
            if message is None or not message.table_id:
                continue
            age_ms = (state.timestamp_ms or 0.0) - (message.timestamp_ms or 0.0)
            is_known = state.timestamp_ms is not None and message.timestamp_ms is not None
            await self._take_at_table(message, seat, max(0.0, age_ms / 1000) if is_known else 0.0)
        for table in self._tables.values():
            await table.reconnected()

    def _take_error(self, message: Message) -> None:
        is_own = any(table.take_error(message) for table in self._tables.values())
        if message.code in _SEAT_GONE and not is_own:
            raise NoSeat(f"{message.code}: {message.text}")
        if message.code != ServerCode.DUPLICATE_MESSAGE:
            self.tally.refused[message.code[:40]] += 1
            logger.warning("a2g_error", code=message.code[:40], why=message.text)

    def _count_round(self, message: Message, seat: JoinedSeat) -> None:
        self.tally.rounds += 1
        faults = self._rulebook.result_faults(seat.game_type, message.spec_version, message.payload)
        if faults:
            self.tally.faults += 1
            logger.warning("result_invalid", game=seat.game_type, why=str(faults[0]))

    def _table(self, table_id: str, seat: JoinedSeat) -> TablePlay | None:
        """Return the play at a table; None for more tables than one seat can have."""
        table = self._tables.get(table_id)
        if table is None and len(self._tables) < _MAX_TABLES:
            table = self._tables[table_id] = TablePlay(
                TableSession(self._game_model),
                self._decisions,
                self._submit,
                player_id=self._player_id or seat.player_id or self._name,
                tally=self.tally,
                clock=self._times.clock,
            )
        return table

    async def _submit(self, submission: Submission) -> None:
        """Send a submission; without a connection it is sent after the next login."""
        if self._connection is None:
            return
        try:
            await self._connection.send(
                "submit_action",
                submission.payload,
                message_id=submission.message_id,
                game_type=submission.game_type,
                table_id=submission.table_id,
                extra=submission.extra,
            )
        except ServerLost:
            return  # the reader of the connection reports it

    async def _leave(self, seat: JoinedSeat) -> None:
        try:
            await self._server.leave(seat)
        except A2GError as error:
            logger.info("a2g_seat_not_left", why=str(error))


def run(settings: PlayerSettings) -> None:
    """Play at `settings.a2g_url`; SIGTERM and SIGINT leave the seat. Raises A2GError."""
    asyncio.run(_until_stopped(settings))


async def _until_stopped(settings: PlayerSettings) -> None:
    playing = asyncio.create_task(play(settings))

    def stop() -> None:
        if not playing.cancelling():  # a second signal does not disturb the leaving
            playing.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    try:
        await playing
    except asyncio.CancelledError:
        logger.info("a2g_play_stopped")


async def play(settings: PlayerSettings) -> None:
    """Play until the seat is gone or the rounds are over; logs what was played. Raises A2GError."""
    assert settings.a2g_url is not None  # noqa: S101  checked by whoever starts it
    tls = settings.client_tls()
    async with httpx.AsyncClient(verify=tls) as server_http:
        specifications = Specifications(
            Lobby(server_http, settings.a2g_url, timeout=settings.specification_timeout),
            clock=time.monotonic,
            directory=Path(settings.specifications) if settings.specifications else None,
        )
        rulebook = A2GRulebook(specifications, settings.specification_timeout)
        player = player_of(settings, rulebook)
        client = A2GClient(
            A2GServer(server_http, settings.a2g_url, timeout=_REQUEST_TIMEOUT),
            rulebook,
            player,
            name=settings.display_name,
            times=ClientTimes(time.monotonic, lambda: time.time_ns() // 1_000_000),
            tls=tls,
        )
        try:
            if isinstance(player, ModelPlayer):
                await player.prepare(settings.llm_timeout)
            await client.play(
                settings.login_token, room_id=settings.a2g_room, rounds=settings.a2g_rounds
            )
        except CommandRefused as error:
            raise NoSeat(error.message) from error
        finally:
            if isinstance(player, ModelPlayer):
                await player.close()
            await specifications.close()
            tally = client.tally
            logger.info(
                "a2g_play_ended",
                rounds=tally.rounds,
                questions=tally.questions,
                submissions=tally.submissions,
                reconnects=tally.reconnects,
                faults=tally.faults,
                refused=dict(tally.refused),
                defaults=client.defaults,
            )
