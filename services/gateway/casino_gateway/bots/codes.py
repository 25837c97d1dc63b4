"""Reasons of the errors on a bot's connection, stable words for programs."""

from enum import StrEnum, unique


@unique
class BotReason(StrEnum):
    """Why a call of a bot failed, or a request of it."""

    BAD_FRAME = "BAD_FRAME"
    """A message is neither a request nor an answer."""
    BOT_AWAY = "BOT_AWAY"
    """The bot is not connected."""
    BOT_BUSY = "BOT_BUSY"
    """The bot has too many unanswered calls."""
    BOT_FAILED = "BOT_FAILED"
    """The bot answered with an error that has no reason."""
    BOT_SILENT = "BOT_SILENT"
    """The bot did not answer in time."""
    BUSY = "BUSY"
    """The bot sent too many requests at a time."""
    FAILED = "FAILED"
    """The gateway failed."""
    INVALID_INPUT = "INVALID_INPUT"
    """Fields of a request are missing or wrong."""
    LOBBY_UNAVAILABLE = "LOBBY_UNAVAILABLE"
    """The lobby cannot be reached."""
    RATE_LIMITED = "RATE_LIMITED"
    """The address connects too often."""
    TOO_MANY_BOTS = "TOO_MANY_BOTS"
    """The gateway, or the address, has too many bots."""
    TOO_MANY_SEATS = "TOO_MANY_SEATS"
    """The bot has too many seats."""
    UNKNOWN_ROOM = "UNKNOWN_ROOM"
    """The lobby has no such room."""
    UNKNOWN_SKILL = "UNKNOWN_SKILL"
    """The gateway has no such request."""
