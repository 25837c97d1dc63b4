"""Reasons with which a joined bot refuses calls, stable words for programs."""

from enum import StrEnum, unique


@unique
class JoinReason(StrEnum):
    """Why a call of the bot was refused."""

    BOT_FAILED = "BOT_FAILED"
    """The function raised an error, or its answer is no JSON."""
    NOT_JOINING = "NOT_JOINING"
    """The bot is not joining that room now."""
    PLAYS_HOLDEM = "PLAYS_HOLDEM"
    """The room plays another game than the bot."""
    TOO_LARGE = "TOO_LARGE"
    """The answer is too large for a frame."""
    UNKNOWN_SKILL = "UNKNOWN_SKILL"
    """The bot has no such skill."""
