"""Faults of a player, as far as a reader may see them."""

from casino_agentkit import CommandRefused
from casino_contracts import PlayerFaults, Reason

from casino_lobby.access.player_readers import FaultReader
from casino_lobby.domain.room import Room


def faults_of(room: Room, player_id: str, reader: FaultReader) -> PlayerFaults:
    """Return the outcomes of a player's decisions, with the faults for the operator and the player.

    The operator gets the reasons of a hand once it is over. Raises CommandRefused: UNKNOWN_PLAYER.
    """
    if player_id not in room.seats and player_id not in room.faults.players:
        raise CommandRefused(
            Reason.UNKNOWN_PLAYER, f"No player with the id {player_id} sits or sat in this room."
        )
    counts = room.faults.counts(room.room_id, player_id)
    if reader == "anyone":
        return counts
    hidden_since = room.running_since if reader == "operator" else None
    newest = room.faults.newest(player_id, hidden_since=hidden_since)
    return counts.model_copy(update={"faults": newest})
