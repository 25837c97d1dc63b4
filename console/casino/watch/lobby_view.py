"""Render all rooms of a lobby for a terminal."""

from rich.console import Group, RenderableType
from rich.table import Table

from casino.output import counted, plain, status_word
from casino.watch.lobby_state import LobbyState

_OVER = {"closing", "closed", "failed"}


def lobby_view(lobby: LobbyState, note: str = "") -> RenderableType:
    """Return the table of rooms as a rich renderable, with `note` below."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    table.add_column("room", no_wrap=True, overflow="ellipsis", max_width=24)
    table.add_column("state", no_wrap=True)
    table.add_column("hands", justify="right", no_wrap=True)
    table.add_column("players", justify="right", no_wrap=True)
    table.add_column("last", no_wrap=True, overflow="ellipsis", ratio=1)
    for room in lobby.in_order:
        state = status_word(room.status, room.state)
        table.add_row(
            plain(room.room_id),
            plain(state),
            str(room.hand_count),
            str(room.player_count),
            plain(room.message or ""),
            style="dim" if state in _OVER else "",
        )
    heading = f"{counted(len(lobby.rooms), 'room')} · {counted(lobby.hands_seen, 'hand')} seen"
    lines: list[RenderableType] = [plain(heading, "bold"), table]
    if note:
        lines.append(plain(note, "bold yellow"))
    return Group(*lines)
