"""What JOSE, the format of signatures, prescribes: algorithm and encoding."""

import base64
from typing import Final

ALGORITHM: Final = "ES256"


def encoded(content: bytes) -> str:
    """Encode bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Decode base64url without padding. Raises ValueError."""
    if not text.isascii() or set("+/=") & set(text):
        raise ValueError("is not base64url")
    padded = text + "=" * (-len(text) % 4)
    return base64.b64decode(padded, altchars=b"-_", validate=True)
