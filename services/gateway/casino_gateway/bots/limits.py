"""Limits of the bots that dial out; `app` sets those that are settings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BotLimits:
    """Limits of one gateway. Times in seconds."""

    connections: int = 500
    """Connections of bots at a time."""
    per_address: int = 20
    """Of these, those of one network address; 0: any."""
    pending: int = 8
    """Calls of one bot that wait for an answer."""
    own_requests: int = 4
    """Requests of one bot that the gateway works on."""
    frames_per_second: float = 500.0
    """Frames of one bot, on average; a burst may have twice as many."""
    connections_per_minute: float = 60.0
    """New connections of one address, on average and at once."""
    hello: float = 10.0
    """How long a connection may take to send its first frame."""
    call: float = 30.0
    """How long a call may take that names no clock."""
    longest_call: float = 900.0
    """How long a call may take at most, whatever clock it names."""
    kept: float = 600.0
    """How long the address of a bot that is gone answers that it is gone."""
    kept_bots: int = 1_000
    """How many of these addresses are kept."""
    levels: int = 32
    """Levels of objects and lists in a frame."""
