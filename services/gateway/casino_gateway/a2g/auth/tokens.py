"""Secrets of a login: the token, and the session id that follows from it."""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode

_SESSION = b"a2a-casino a2g session"


def new_token() -> str:
    """Return a token of 256 random bits."""
    return secrets.token_urlsafe(32)


def session_id_of(token: str) -> str:
    """Return the session id that belongs to a token; the token does not follow from it.

    >>> session_id_of("a") == session_id_of("a") != session_id_of("b")
    True
    """
    digest = hmac.digest(token.encode(errors="surrogatepass"), _SESSION, "sha256")
    return urlsafe_b64encode(digest).decode().rstrip("=")


def hash_of(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
