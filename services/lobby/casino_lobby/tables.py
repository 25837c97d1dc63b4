"""Where a room's table comes from, a card URL or a process of ours, and how it is called."""

from datetime import timedelta
from typing import TypeVar

from casino_agentkit import AgentClient, Peer
from casino_agentkit.wire import CARD_PATH
from casino_contracts import CreateRoomInput, WireModel

from casino_lobby.agents import speaking_for
from casino_lobby.launcher import TableLauncher
from casino_lobby.rooms import Room

OutputT = TypeVar("OutputT")

TABLE_TIMEOUT = timedelta(seconds=10)


class Tables:
    """The table agents of the rooms."""

    def __init__(self, client: AgentClient, launcher: TableLauncher) -> None:
        self._client = client
        self._launcher = launcher
        self._peers: dict[str, Peer] = {}

    async def provide(self, room: Room, given: CreateRoomInput) -> None:
        """Find the table of the given card, or launch one.

        Raises Refusal: PORT_TAKEN, NO_TABLE, AGENT_….
        """
        if not room.table_card_url:
            port = given.launch_options.port if given.launch_options else None
            room.table_card_url = await self._launcher.launch(room.room_id, port)
        with speaking_for("The table"):
            table = await self._client.resolve(room.table_card_url, timeout=TABLE_TIMEOUT)
        room.table_base_url = room.table_card_url.removesuffix(CARD_PATH)
        self._peers[room.room_id] = table

    async def call(
        self, room: Room, skill: str, message: WireModel, output: type[OutputT]
    ) -> OutputT:
        """Call an entrypoint of a room's table; raises Refusal."""
        with speaking_for("The table"):
            return await self._peers[room.room_id].call(
                skill, message, output, timeout=TABLE_TIMEOUT
            )

    def offers(self, room: Room, skill: str) -> bool:
        """Tell whether a room's table has an entrypoint."""
        return skill in self._peers[room.room_id].skills

    async def release(self, room: Room) -> None:
        """Let a room's table go; one of the lobby's own ends after its running hand."""
        self._peers.pop(room.room_id, None)
        await self._launcher.stop(room.room_id)

    async def release_all(self) -> None:
        """End every table of the lobby's own after its running hand."""
        await self._launcher.stop_all()
