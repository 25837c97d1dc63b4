"""Reasons of refusals and of waits, stable words for programs."""

from enum import StrEnum, unique
from typing import Literal, Self


@unique
class Reason(StrEnum):
    """Why a lobby or table refuses a command, or cannot do what was asked.

    Agents may also refuse with words of the agent kit (such as `UNAUTHORIZED`), or with their own.
    """

    # Rooms.
    DRAINING = "DRAINING"  # the lobby is shutting down
    NO_TABLE = "NO_TABLE"  # no table could be found or launched
    OPERATOR_ONLY = "OPERATOR_ONLY"
    """Only an operator may read this, and the lobby has no operator's key."""
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    """The request id belongs to a command with other content."""
    ROOM_CLOSED = "ROOM_CLOSED"  # the room is not open, or no longer takes events
    ROOM_EXISTS = "ROOM_EXISTS"  # another room has the room id
    ROOM_FULL = "ROOM_FULL"  # every seat of the room is taken
    ROOM_NOT_FOUND = "ROOM_NOT_FOUND"  # no room has the id
    STANDBY = "STANDBY"  # another lobby is active on the same database; this one waits for its end
    STORE_FAILED = "STORE_FAILED"  # the lobby's store failed, so nothing was saved
    TABLE_AWAY = "TABLE_AWAY"  # the room's table cannot be reached at the moment
    TABLE_DAMAGED = "TABLE_DAMAGED"  # the journal of the room's table cannot be read
    TABLE_ID_TAKEN = "TABLE_ID_TAKEN"  # another room has the table id
    TABLE_UNPROVEN = "TABLE_UNPROVEN"  # the table's events lack the token of its callback
    TABLE_IN_USE = "TABLE_IN_USE"  # the table agent serves another room of this lobby
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS"  # the address has used up its budget of requests
    TOO_MANY_ROOMS = "TOO_MANY_ROOMS"  # the number of open rooms has reached the lobby's limit
    TOO_MANY_TABLES = "TOO_MANY_TABLES"
    """The number of announced tables has reached the lobby's limit."""
    UNSUPPORTED = "UNSUPPORTED"  # the room's table does not have this skill

    # Matches and leagues.
    INVALID_PLAN = "INVALID_PLAN"  # the match cannot be played as it is planned
    LEAGUE_NOT_FOUND = "LEAGUE_NOT_FOUND"  # no published league has the id
    MATCH_EXISTS = "MATCH_EXISTS"  # a published match with another digest has the id
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"  # no match has the id
    TOO_MANY_MATCHES = "TOO_MANY_MATCHES"
    """As many matches wait, or are kept, as the service allows."""
    TOO_MANY_PUBLISHED = "TOO_MANY_PUBLISHED"
    """The number of published matches or leagues has reached the lobby's limit."""

    # Calls of the lobby to players and tables.
    AGENT_CONTRACT_VIOLATION = "AGENT_CONTRACT_VIOLATION"
    """The agent's card or reply violates the casino protocol."""
    AGENT_REFUSED = "AGENT_REFUSED"  # the agent refused without a reason of its own
    AGENT_TIMED_OUT = "AGENT_TIMED_OUT"  # the agent did not answer in time
    AGENT_UNREACHABLE = "AGENT_UNREACHABLE"  # the agent cannot be reached

    # Events.
    EVENT_TOO_LARGE = "EVENT_TOO_LARGE"  # the event exceeds the size limit
    EVENT_UNREADABLE = "EVENT_UNREADABLE"  # the event cannot be stored and read back unchanged
    SEQUENCE_CONFLICT = "SEQUENCE_CONFLICT"  # another event is stored with this sequence
    SEQUENCE_GAP = "SEQUENCE_GAP"
    """Events before this one are missing; `wanted` is the expected sequence."""
    SEQUENCE_MISSING = "SEQUENCE_MISSING"
    """The event has no sequence or epoch, and the table numbers its events."""
    STALE_EPOCH = "STALE_EPOCH"  # the event's epoch is not the room's current one
    UNKNOWN_TABLE = "UNKNOWN_TABLE"  # no table of the lobby has the id

    # Hands.
    DEAL_REFUSED = "DEAL_REFUSED"  # the lobby adds nothing to this block of the table's deal
    HAND_NOT_FOUND = "HAND_NOT_FOUND"  # the lobby has no such completed hand
    HAND_RUNNING = "HAND_RUNNING"  # the hand is being played, and its record shows every card
    HAND_UNFINISHED = "HAND_UNFINISHED"  # the hand ended without a result, so it has no record
    NO_PROOF = "NO_PROOF"  # nobody can check the deal of the hand
    UNKNOWN_HAND = "UNKNOWN_HAND"  # the table has no record of the hand

    # Seats and chips.
    BUY_IN_OUT_OF_RANGE = "BUY_IN_OUT_OF_RANGE"  # the buy-in is outside the room's range
    INVALID_AMOUNT = "INVALID_AMOUNT"
    """The amount is not a multiple of the table's unit, or too large."""
    INVALID_SEATS = "INVALID_SEATS"  # the seats to restore do not fit the table
    PLAYER_ID_TAKEN = "PLAYER_ID_TAKEN"  # a player with this id is seated
    SEAT_OUT_OF_RANGE = "SEAT_OUT_OF_RANGE"  # the room has no seat of this number
    TABLE_FULL = "TABLE_FULL"  # every seat of the table is taken
    UNKNOWN_PLAYER = "UNKNOWN_PLAYER"  # no seated player has the id

    # Games and sessions.
    ALREADY_RUNNING = "ALREADY_RUNNING"  # a session is running
    GAME_NOT_FOUND = "GAME_NOT_FOUND"  # no table of the lobby offers the game
    INVALID_BLINDS = "INVALID_BLINDS"  # the blinds do not fit each other or the room
    INVALID_GAME_CONFIG = "INVALID_GAME_CONFIG"  # the game rejects its configuration
    NOT_ENOUGH_PLAYERS = "NOT_ENOUGH_PLAYERS"  # too few seated players have chips
    SPECIFICATION_UNAVAILABLE = "SPECIFICATION_UNAVAILABLE"
    """The player needs the game's specification to take the seat, and could not read it."""
    UNKNOWN_GAME = "UNKNOWN_GAME"  # the table does not offer the game

    # Tables.
    CLOSING = "CLOSING"  # the table is closing
    JOURNAL_DAMAGED = "JOURNAL_DAMAGED"  # the table's journal cannot be read back
    JOURNAL_FAILED = "JOURNAL_FAILED"
    """The table's journal cannot be written, so nothing was changed."""
    JOURNAL_HELD = "JOURNAL_HELD"  # another process uses the table's journal
    NOT_CONFIGURED = "NOT_CONFIGURED"  # the table agent has no table yet
    TABLE_BUSY = "TABLE_BUSY"  # the table agent has a table for another room
    TABLE_ERROR = "TABLE_ERROR"  # the table has stopped because of an error


Gravity = Literal["pause", "part", "wait", "stop"]
"""pause: on purpose, and over by itself; part: hands are played all the same; wait: for others;
stop: its process cannot do its work."""


@unique
class WaitReason(StrEnum):
    """Why a table, room, session, match or delivery waits, with what that means and its fix.

    Each goes on by itself, where it was, once the cause is over.
    """

    what: str
    fix: str
    gravity: Gravity

    def __new__(cls, word: str, what: str, fix: str, gravity: Gravity = "wait") -> Self:
        """Make a member that is equal to its word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.what, member.fix, member.gravity = what, fix, gravity
        return member

    # At tables.
    DISK_FULL = (
        "disk-full",
        "the disk of the table's journal is full",
        "free some space there; the table's log names the folder",
        "stop",
    )
    JOURNAL_FAILED = (
        "journal-failed",
        "the table's journal cannot be written",
        "mend what the table's log names, such as a full disk or missing rights",
        "stop",
    )
    LEASE_OVER = (
        "lease-over",
        "the lobby has not answered the table for so long that another one may have the room",
        "start the lobby, or mend the network between it and the table",
    )
    PLAYERS_AWAY = (
        "players-away",
        "too few players are there for a hand",
        "bring them back or seat others; otherwise the session ends after a minute",
    )
    PACE = (
        "pace",
        "the table waits so that people can follow",
        "none is needed; the room's paceMs says how long",
        "pause",
    )
    RESULT_SHOWN = (
        "result-shown",
        "the table shows the result of the hand",
        "none is needed; the room's resultMs says how long",
        "pause",
    )
    DELIVERY_BEHIND = (
        "delivery-behind",
        "the lobby does not take the events of the process's tables, which play on",
        "start the lobby, or mend the network; no event is lost",
        "part",
    )

    # At lobbies.
    NO_TABLE = (
        "no-table",
        "the room's table is lost, and no other one is free",
        "start one more table agent that announces itself at the lobby",
    )
    TABLE_AWAY = (
        "table-away",
        "the room's table cannot be reached",
        "start it again, or mend the network between it and the lobby",
    )
    STORE_FAILED = (
        "store-failed",
        "the database cannot be written, so nothing is recorded",
        "mend what the service's log names, such as a full disk or a stopped database",
        "stop",
    )

    # Of those who wait for others.
    LOBBY_AWAY = (
        "lobby-away",
        "the lobby does not answer",
        "start the lobby, or mend the network to it; what is missing is delivered then",
    )
    PLAYER_AWAY = (
        "player-away",
        "a player's program does not answer",
        "start it again, or mend the network to it",
    )
    PROVIDER_AWAY = (
        "provider-away",
        "the provider of a player's model refuses, or does not answer",
        "mend its key, quota or network; the player's log has the provider's words",
        "part",
    )
    SERVICE_FULL = (
        "service-full",
        "as many sessions or matches run as the service allows",
        "none is needed; or raise the service's limit",
    )
