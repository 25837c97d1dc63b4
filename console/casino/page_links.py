"""Links to the lobby's page, as commands print them. Pure."""

from urllib.parse import quote


def room_link(lobby: str, room_id: str) -> str:
    """Return the link to a room.

    >>> room_link("http://127.0.0.1:4000/", "a/b")
    'http://127.0.0.1:4000/rooms/a%2Fb'
    """
    return f"{lobby.rstrip('/')}/rooms/{quote(room_id, safe='')}"


def hand_link(lobby: str, room_id: str, number: int, epoch: int | None = None) -> str:
    """Return the link to the replay of a hand; without an epoch it is the newest one.

    >>> hand_link("http://127.0.0.1:4000", "main", 17, 2)
    'http://127.0.0.1:4000/rooms/main/hands/17?epoch=2'
    """
    query = "" if epoch is None else f"?epoch={epoch}"
    return f"{room_link(lobby, room_id)}/hands/{number}{query}"


def match_link(lobby: str, match_id: str) -> str:
    """Return the link to a published match.

    >>> match_link("http://127.0.0.1:4000", "equity-tight-9c1d")
    'http://127.0.0.1:4000/#/matches/equity-tight-9c1d'
    """
    return f"{lobby.rstrip('/')}/#/matches/{quote(match_id, safe='')}"


def league_link(lobby: str, league_id: str) -> str:
    """Return the link to a published league.

    >>> league_link("http://127.0.0.1:4000/", "styles")
    'http://127.0.0.1:4000/#/leagues/styles'
    """
    return f"{lobby.rstrip('/')}/#/leagues/{quote(league_id, safe='')}"
