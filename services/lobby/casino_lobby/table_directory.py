"""Find, configure and call the table of a room.

A room's table is the one whose card URL was requested, otherwise a free announced table, otherwise
one that the lobby launches. Its card must list the room's game; one that lists none plays Hold'em.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

import structlog
from casino_agentkit import (
    AgentClient,
    CommandRefused,
    KitReason,
    RemoteAgent,
    Unreachable,
    Violation,
)
from casino_contracts import Continuation, NoInput, Reason, SeatAssignment, WireModel

from casino_lobby.domain.fleet import Fleet, base_url, origin_of
from casino_lobby.domain.room import Room
from casino_lobby.domain.room_limits import SCOPES, RoomCaps
from casino_lobby.domain.rooms_by_table import TablesInUse
from casino_lobby.table_launcher import TableLauncher
from casino_lobby.table_messages import (
    LobbyIdentity,
    TableReply,
    configuration_of,
    games_of,
    plays,
    translate_errors,
)

OutputT = TypeVar("OutputT")

_NOT_ADMITTED = {KitReason.UNAUTHORIZED, KitReason.FORBIDDEN}
_TRY_ANOTHER = _NOT_ADMITTED | {
    Reason.AGENT_CONTRACT_VIOLATION,
    Reason.AGENT_REFUSED,
    Reason.AGENT_TIMED_OUT,
    Reason.AGENT_UNREACHABLE,
    Reason.TABLE_BUSY,
    Reason.TABLE_UNPROVEN,
    Reason.UNKNOWN_GAME,
}
_KEY_SCHEME = "roomKey"
"""Security scheme on the card of a table that requires the room key."""
TABLE_TIMEOUT = timedelta(seconds=10)
_SHORTEST = timedelta(milliseconds=50)
"""A call gets at least so long, also to a table that is about to be lost."""

_MOST_NAMED = 20
"""Games that a refusal names; tables that it names, each with its cause, are a quarter of it."""

logger = structlog.get_logger(__name__)


def _looked_at(skipped: Mapping[str, CommandRefused]) -> str:
    """Return the causes of the tables that did not take a room, as the end of a sentence."""
    if not skipped:
        return "."
    shown = [refusal.message.rstrip(".") for refusal in skipped.values()][: _MOST_NAMED // 4]
    more = f"; and {len(skipped) - len(shown)} more" if len(skipped) > len(shown) else ""
    return f". Looked at: {'; '.join(shown)}{more}."


class RoomSource(Protocol):
    """Holds the rooms whose tables are looked up, as the store does."""

    in_use: TablesInUse

    def rooms(self) -> list[Room]: ...

    def own_rooms(self) -> list[Room]: ...


class Tables:
    """The table agents of the rooms; without a `launcher` the lobby launches none."""

    def __init__(
        self,
        lobby: LobbyIdentity,
        client: AgentClient,
        fleet: Fleet,
        launcher: TableLauncher | None,
        rooms: RoomSource,
        caps: RoomCaps,
    ) -> None:
        self._lobby = lobby
        self._client = client
        self.fleet = fleet
        self._launcher = launcher
        self._rooms = rooms
        self._caps = caps
        self._peers: dict[str, RemoteAgent] = {}
        rooms.in_use.report_to(fleet)

    def announce(self, card_url: str, *, is_busy: bool = False) -> bool:
        """Return whether the table became available. Raises CommandRefused: TOO_MANY_TABLES."""
        is_available = self.fleet.announce(card_url, is_busy=is_busy)
        if is_available:
            logger.info("table_announced", table=card_url)
        return is_available

    async def provide(self, room: Room) -> None:
        """Find a table for a room, store its card URL in the room and configure it.

        Raises CommandRefused: PORT_TAKEN, NO_TABLE, TABLE_DAMAGED, AGENT_…, and refusal reasons of
        the table.
        """
        if room.table_card_url:
            await self._configure_new(room)
            return
        skipped: dict[str, CommandRefused] = {}
        if room.launch_port is None and await self._is_placed_in_fleet(room, skipped):
            return
        if self._launcher is None:
            raise self._none_found(room, skipped)
        try:
            await self._launch(room, self._launcher)
        except CommandRefused as refusal:
            if not skipped:
                raise
            text = refusal.message.rstrip(".") + _looked_at(skipped)
            raise CommandRefused(
                refusal.reason, text, refusal.violations, refusal.details
            ) from refusal

    def _none_found(self, room: Room, skipped: dict[str, CommandRefused]) -> CommandRefused:
        """Return why no announced table takes a room: who is busy, who lacks the game, who fails.

        The tables that were `skipped` are free. Whether a busy one plays the game is known from its
        card.
        """
        is_lacked = bool(skipped) and all(
            refusal.reason == Reason.UNKNOWN_GAME for refusal in skipped.values()
        )
        if is_lacked and not any(
            plays(peer.about, room.game_type) for peer in self._peers.values()
        ):
            text = f"No table here plays {room.game_type}{_looked_at(skipped)}"
            return CommandRefused(Reason.UNKNOWN_GAME, text, (Violation("gameType", text),))
        announced = [url for url, _ in self.fleet.announced()]
        busy = sum(map(self._rooms.in_use.has, announced))
        if room.launch_port is not None:
            what = "A port can be chosen only for a table that the lobby launches"
        elif busy:
            what = f"{busy} of {len(announced)} announced tables are busy, and no other is free"
        else:
            what = "No announced table takes the room" if announced else "No table announced itself"
        return CommandRefused(
            Reason.NO_TABLE,
            f"{what}, and this lobby launches none itself: start one more table agent that"
            f" announces itself here, or set tableAgentCardUrl{_looked_at(skipped)}",
        )

    async def _launch(self, room: Room, launcher: TableLauncher) -> None:
        self._caps.refuse_launch_beyond(self._rooms.own_rooms(), room.owner)
        room.launch_table()
        room.move_table(await launcher.launch(room.room_id, room.launch_port))
        await self._configure_new(room)

    async def find(self, room: Room, timeout: timedelta = TABLE_TIMEOUT) -> None:
        """Resolve the card of a room's table; start a launched table again if it has ended.

        `timeout` bounds the resolution.
        Raises CommandRefused: PORT_TAKEN, NO_TABLE, TABLE_DAMAGED, AGENT_….
        """
        if room.is_launched and self._launcher and not self._launcher.runs(room.room_id):
            port = urlsplit(room.table_card_url).port
            room.move_table(await self._launcher.launch(room.room_id, room.launch_port, port))
        with translate_errors("The table"):
            peer = await self._client.resolve(room.table_card_url, timeout=timeout)
        self._peers[room.room_id] = peer
        is_keyed = _KEY_SCHEME in peer.card.security_schemes
        room.identify_table(base_url(room.table_card_url), is_keyed=is_keyed)
        room.deals.key = peer.signer

    async def _is_placed_in_fleet(self, room: Room, skipped: dict[str, CommandRefused]) -> bool:
        """Try the free announced tables one after another; some services leave the last one.

        Adds to `skipped` why each of the others did not take the room; of a process whose card
        lacks the game, one. Raises CommandRefused: NO_TABLE.
        """
        tried: set[str] = set()
        while (url := self.fleet.choose(tried)) is not None:
            tried.add(url)
            if room.owner and SCOPES[room.owner].leaves_a_table and not self.fleet.choose(tried):
                if self._launcher is None:
                    raise CommandRefused(
                        Reason.NO_TABLE,
                        f"The {room.owner} leaves the last free table to the operator's rooms:"
                        " start one more table agent that announces itself here.",
                    )
                break
            room.take_from_fleet(url)
            try:
                await self._configure_new(room)
            except CommandRefused as refusal:
                room.release_table()
                if refusal.reason not in _TRY_ANOTHER:
                    raise
                skipped[url] = refusal
                if refusal.reason == Reason.UNKNOWN_GAME:  # all tables of a process play the same
                    origin = origin_of(url)
                    tried |= {one for one, _ in self.fleet.announced() if origin_of(one) == origin}
                logger.warning(
                    "table_skipped", table=url, reason=refusal.reason, error=refusal.message
                )
            else:
                return True
        return False

    def refuse_other_game(self, room: Room) -> None:
        """Refuse a table whose card does not list the room's game, before it is configured.

        Raises CommandRefused: UNKNOWN_GAME.
        """
        about = self._peers[room.room_id].about
        if plays(about, room.game_type):
            return
        listed = ", ".join(sorted(games_of(about))[:_MOST_NAMED]) or "none"
        text = f"does not play {room.game_type}; the games of its card are: {listed}"
        raise CommandRefused(
            Reason.UNKNOWN_GAME,
            f"The table at {room.table_base_url} {text}.",
            (Violation("gameType", f"the table {text}"),),
        )

    async def _configure_new(self, room: Room) -> None:
        await self.find(room)
        self.refuse_other_game(room)
        await self.configure(room, room.epoch)
        if room.refused:  # what it has reported of this configuration
            raise CommandRefused(
                Reason.TABLE_UNPROVEN,
                f"The table at {room.table_base_url} sends its events without the token that is in"
                " the path of its casinoCallback.agentCardUrl and in its eventSkill, so nothing of"
                " its play would be recorded: use a table that calls by them, or a lobby on"
                " loopback without an operator key.",
            )

    async def configure(
        self,
        room: Room,
        epoch: int,
        seats: tuple[SeatAssignment, ...] | None = None,
        continuation: Continuation | None = None,
        timeout: timedelta = TABLE_TIMEOUT,
    ) -> None:
        """Configure a room's table, which holds the room key of `epoch` or is free.

        `seats` and `continuation` are those of a table whose play it continues. A table of the
        fleet gets a lease; its silence counts from this call, so that the lease ends before it is
        lost. Raises CommandRefused.
        """
        lease = self.fleet.lease if room.is_from_fleet else None
        peer = self._peers.get(room.room_id)
        is_invoked = peer is not None and peer.is_invoke and not room.is_keyed
        configuration = configuration_of(
            self._lobby, room, seats, continuation, lease, is_invoked=is_invoked
        )
        skill, room_token = room.skills.configure, room.key(epoch).table
        self._expect(room)
        try:
            table = await self.call(
                room, skill, configuration, TableReply, room_token, timeout=timeout
            )
        except CommandRefused as refusal:
            key = self._key_while_free(room)
            if refusal.reason not in _NOT_ADMITTED or key is None:
                raise
            self._expect(room)
            table = await self.call(room, skill, configuration, TableReply, key, timeout=timeout)
        self._expect(room)
        room.note_table_sequence(table.sequence)

    def _expect(self, room: Room) -> None:
        if room.is_from_fleet:
            self.fleet.expect(room.table_card_url)

    def _key_while_free(self, room: Room) -> str | None:
        """Return the key of a free table, only for one that holds it: announced or launched."""
        if room.is_launched:
            return self._lobby.launch_key
        return self._lobby.fleet_key if self.fleet.knows(room.table_card_url) else None

    async def serves(self, room: Room) -> bool:
        """Return whether a room's table still answers for the room at its address."""
        try:
            table = await self.call(
                room, room.skills.summary, NoInput(), TableReply, timeout=self.patience(room)
            )
        except CommandRefused:
            return False
        return table.table_id in {None, room.table_id}

    async def call(
        self,
        room: Room,
        skill: str,
        message: WireModel,
        output: type[OutputT],
        token: str | None = None,
        *,
        timeout: timedelta = TABLE_TIMEOUT,
    ) -> OutputT:
        """Call an entrypoint of a room's table, by default with the room's `table` token.

        Raises CommandRefused.
        """
        with translate_errors("The table"):
            peer = self._peers.get(room.room_id)
            if peer is None:
                why = "its room is over" if room.is_over else "its agent card has not been read yet"
                raise Unreachable(room.table_card_url, why)
            sent = (token or room.key().table) if room.is_keyed else None
            return await peer.call(skill, message, output, timeout=timeout, token=sent)

    def patience(self, room: Room) -> timedelta:
        """Wait for a table of the fleet no longer than until it is lost."""
        if not room.is_from_fleet:
            return TABLE_TIMEOUT
        left = self.fleet.time_left(room.table_card_url)
        if not left and self.fleet.is_available(room.table_card_url):  # it has come back
            left = self.fleet.call_limit
        return min(self.placing_limit, max(left, _SHORTEST))

    @property
    def placing_limit(self) -> timedelta:
        """How long a call may take that gives a room to a table of the fleet."""
        return min(TABLE_TIMEOUT, self.fleet.call_limit)

    def disconnect(self, room: Room) -> None:
        self._peers.pop(room.room_id, None)

    def offers(self, room: Room, skill: str) -> bool:
        """Return whether a room's table has an entrypoint; true while its card is unread."""
        peer = self._peers.get(room.room_id)
        return peer is None or skill in peer.skills

    async def release(self, room: Room) -> None:
        """Disconnect from a room's table; a launched one is stopped after its running hand."""
        self._peers.pop(room.room_id, None)
        if self._launcher is not None:
            await self._launcher.stop(room.room_id)

    async def release_all(self) -> None:
        if self._launcher is not None:
            await self._launcher.stop_all()
