"""Rooms and payloads of tables that follow the protocol document, or nothing."""

from casino_lobby.domain.room import Room

from support.casino.store_side import new_room


def nested(depth: int, leaf: str = "1") -> str:
    """Return the JSON of an object of so many levels, which Python's encoder would refuse."""
    return '{"d":' * depth + leaf + "}" * depth


def document_room() -> Room:
    """Return a room whose table follows the protocol document: its events have no numbers."""
    room = new_room()
    room.is_keyed = False
    return room
