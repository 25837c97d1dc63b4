"""The colours of drawn cards: those of the page's dark theme."""

from typing import Final

GROUND: Final = 0x121417
FELT: Final = 0x1F5442
INK: Final = 0xECE9E2
MUTED: Final = 0xA2A8B2
GOLD: Final = 0xF2C14E
ACCENT: Final = 0x6FD3A7
LOSS: Final = 0xFF9B90
ON_FELT: Final = 0xEEF5EF
FELT_MUTED: Final = 0xB5CCBF
CARD: Final = 0xFFFEFB
SUITS: Final = {"hearts": 0xC6262E, "diamonds": 0x1668B8, "clubs": 0x1A7A3C, "spades": 0x1C2025}
"""Four colours, as on the page."""
UNKNOWN_SUIT: Final = 0x5B616B
