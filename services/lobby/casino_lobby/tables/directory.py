"""Where a room's table comes from, and how it is called.

From the card URL that the room was created with; else from the announced tables, one that is free;
else the lobby launches one.
"""

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import TypeVar
from urllib.parse import urlsplit

import structlog
from casino_agentkit import AgentClient, CommandRefused, Peer, Unreachable
from casino_contracts import ConfigureTableInput, NoInput, TableSummary, WireModel

from casino_lobby.domain.fleet import Fleet, base_url
from casino_lobby.domain.room import Room
from casino_lobby.tables.agent_errors import translate_errors
from casino_lobby.tables.launcher import TableLauncher

OutputT = TypeVar("OutputT")
Configuration = Callable[[Room], ConfigureTableInput]

_UNKNOWN_GAME = "UNKNOWN_GAME"
_NOT_THIS_ONE = {"TABLE_BUSY", _UNKNOWN_GAME}
"""Another table may take the room."""
_NOT_ADMITTED = {"UNAUTHORIZED", "FORBIDDEN"}
_KEY_SCHEME = "roomKey"
"""A card that declares it is of a table that asks for the room's key."""
TABLE_TIMEOUT = timedelta(seconds=10)

logger = structlog.get_logger(__name__)


class Tables:
    """The table agents of the rooms.

    `taken` returns the card URLs of all tables that have a room; without a `launcher` the lobby
    launches none. `configuration` returns what a room's table is configured with. `fleet_key` opens
    free tables that announced themselves, `launch_key` those that the lobby launches;
    `refuse_launch` raises CommandRefused: NO_TABLE when it may launch no more.
    """

    def __init__(
        self,
        client: AgentClient,
        fleet: Fleet,
        launcher: TableLauncher | None,
        taken: Callable[[], Collection[str]],
        configuration: Configuration,
        fleet_key: str | None,
        launch_key: str | None,
        refuse_launch: Callable[[], None],
    ) -> None:
        self._client = client
        self._fleet = fleet
        self._launcher = launcher
        self._taken = taken
        self._configuration = configuration
        self._fleet_key = fleet_key
        self._launch_key = launch_key
        self._refuse_launch = refuse_launch
        self._peers: dict[str, Peer] = {}

    def announce(self, card_url: str) -> None:
        """Take a table into the fleet."""
        if self._fleet.announce(card_url):
            logger.info("table_announced", table=card_url)

    async def provide(self, room: Room) -> None:
        """Find a table for a room and configure it; the room knows its address from then on.

        Raises CommandRefused: PORT_TAKEN, NO_TABLE, AGENT_…, and whatever the table refuses.
        """
        if room.table_card_url:
            await self._take(room)
            return
        unknown: CommandRefused | None = None
        if room.launch_port is None:
            is_found, unknown = await self._found_in_fleet(room)
            if is_found:
                return
        try:
            await self._launch(room)
        except CommandRefused as refusal:
            # That the tables here do not have the game tells more than that no other was found.
            raise unknown or refusal from refusal

    async def _launch(self, room: Room) -> None:
        if self._launcher is None:
            raise CommandRefused(
                "NO_TABLE",
                "No announced table is free, and this lobby launches none itself: start one more"
                " table agent that announces itself here, or give tableAgentCardUrl.",
            )
        self._refuse_launch()
        room.is_launched = True
        room.table_card_url = await self._launcher.launch(room.room_id, room.launch_port)
        await self._take(room)

    async def find(self, room: Room) -> None:
        """Find a room's table again: read its card anew, launch it again if it is the lobby's own.

        Raises CommandRefused: PORT_TAKEN, NO_TABLE, AGENT_….
        """
        if room.is_launched and self._launcher and not self._launcher.runs(room.room_id):
            port = urlsplit(room.table_card_url).port
            room.table_card_url = await self._launcher.launch(room.room_id, port)
        with translate_errors("The table"):
            peer = await self._client.resolve(room.table_card_url, timeout=TABLE_TIMEOUT)
        self._peers[room.room_id] = peer
        room.is_keyed = _KEY_SCHEME in peer.card.security_schemes
        room.table_base_url = base_url(room.table_card_url)

    async def _found_in_fleet(self, room: Room) -> tuple[bool, CommandRefused | None]:
        """Try the free announced tables, one after the other.

        Tells whether one took the room, and the refusal of those that do not have its game.
        """
        tried: set[str] = set()
        unknown: CommandRefused | None = None
        while (url := self._fleet.choose({*self._taken(), *tried})) is not None:
            tried.add(url)
            room.table_card_url = url  # from here on it is taken
            try:
                await self._take(room)
            except CommandRefused as refusal:
                room.table_card_url = ""
                if (
                    refusal.reason not in _NOT_THIS_ONE | _NOT_ADMITTED
                    and not refusal.reason.startswith("AGENT_")
                ):
                    raise
                if refusal.reason == _UNKNOWN_GAME:
                    unknown = refusal
                logger.warning("table_passed_over", table=url, reason=refusal.reason)
            else:
                return True, None
        return False, unknown

    async def _take(self, room: Room) -> None:
        await self.find(room)
        await self.configure(room, self._configuration(room), room.epoch)

    async def configure(self, room: Room, configuration: ConfigureTableInput, epoch: int) -> None:
        """Configure a room's table, which may hold the room's key of `epoch`, or be free.

        Raises CommandRefused.
        """
        skill, right = room.skills.configure, room.key(epoch).table
        try:
            await self.call(room, skill, configuration, TableSummary, right)
        except CommandRefused as refusal:
            key = self._key_of_free(room)
            if refusal.reason not in _NOT_ADMITTED or key is None:
                raise
            await self.call(room, skill, configuration, TableSummary, key)

    def _key_of_free(self, room: Room) -> str | None:
        """Return what opens a room's table while it is free.

        It is shown only to tables that have it: those that announced themselves with it, and those
        that the lobby launched.
        """
        if room.is_launched:
            return self._launch_key
        return self._fleet_key if self._fleet.knows(room.table_card_url) else None

    async def serves(self, room: Room) -> bool:
        """Tell whether a room's table is still where it was."""
        try:
            summary = await self.call(room, room.skills.summary, NoInput(), TableSummary)
        except CommandRefused:
            return False
        return summary.table_id == room.table_id

    async def call(
        self,
        room: Room,
        skill: str,
        message: WireModel,
        output: type[OutputT],
        token: str | None = None,
    ) -> OutputT:
        """Call an entrypoint of a room's table, by default with the room's own right.

        Raises CommandRefused.
        """
        with translate_errors("The table"):
            peer = self._peers.get(room.room_id)
            if peer is None:
                raise Unreachable(room.table_card_url, "it has not been found again yet")
            shown = (token or room.key().table) if room.is_keyed else None
            return await peer.call(skill, message, output, timeout=TABLE_TIMEOUT, token=shown)

    def offers(self, room: Room, skill: str) -> bool:
        """Tell whether a room's table has an entrypoint."""
        peer = self._peers.get(room.room_id)
        return peer is None or skill in peer.skills

    async def release(self, room: Room) -> None:
        """Let a room's table go; one of the lobby's own ends after its running hand."""
        self._peers.pop(room.room_id, None)
        if self._launcher is not None:
            await self._launcher.stop(room.room_id)

    async def release_all(self) -> None:
        """End every table of the lobby's own after its running hand."""
        if self._launcher is not None:
            await self._launcher.stop_all()
