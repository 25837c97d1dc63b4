"""The page of a bot's own hands, as a link for its author."""

from urllib.parse import quote

from casino_contracts import view_key


def own_link(lobby: str, room_id: str, player_id: str, seat_token: str) -> str | None:
    """Return the link; None for a seat without a token.

    The key is in the fragment, which browsers send to nobody. It reads the bot's hands, and no
    more: the seat token, with which a bot's table asks it, is not in the link.
    """
    if not seat_token:
        return None
    place = f"{quote(room_id, safe='')}/{quote(player_id, safe='')}"
    return f"{lobby.rstrip('/')}/#/me/{place}?key={view_key(seat_token)}"
