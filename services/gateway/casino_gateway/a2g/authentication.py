"""Sign-in: guests, wallets, links, and who a token belongs to.

Wallets sign in with Ethereum (the text of EIP-4361, signed by EIP-191), which needs the extra
`ethereum`; all else of the gateway works without it.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from importlib.util import find_spec
from urllib.parse import urlsplit

import structlog
from casino_agentkit.installation import installation_hint
from casino_contracts.base import displayed

from casino_gateway.a2g.a2g_codes import A2gCode, A2gRefused, Clocks
from casino_gateway.a2g.a2g_frames import invalid
from casino_gateway.domain.login import LIFETIME, Login, Permissions
from casino_gateway.store.login_rows import Logins, TokenHashes

_SESSION = b"a2a-casino a2g session"
VALID_S = 300.0
_MOST = 10_000
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_SIGNATURE = re.compile(r"0x[0-9a-fA-F]{130}")
_LIBRARY = "eth_keys"
_PERSONAL = b"\x19Ethereum Signed Message:\n%d"
"""What EIP-191 puts before a text of so many bytes."""
_ETHEREUM_RECOVERY = 27
"""Ethereum's recovery ids are 27 and 28; some wallets send 0 and 1."""
GUEST = "Guest"
_NOTED = timedelta(minutes=1)
"""A login's last message is stored once in this time."""

logger = structlog.get_logger(__name__)


def new_token() -> str:
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


@dataclass(frozen=True, slots=True)
class Challenge:
    """A text that a wallet is asked to sign."""

    address: str
    message: str = field(repr=False)
    ends_at: float
    """Monotonic seconds."""


class Nonces:
    """Open challenges by nonce; beyond 10,000 the oldest is forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Challenge] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, nonce: str, address: str, message: str) -> None:
        self._open[nonce] = Challenge(address, message, self._clock() + VALID_S)
        while len(self._open) > _MOST:
            self._open.popitem(last=False)

    def take(self, nonce: str) -> Challenge | None:
        """Return the challenge of a nonce and forget it; None if it is unknown, used or too old."""
        challenge = self._open.pop(nonce, None)
        if challenge is None or self._clock() >= challenge.ends_at:
            return None
        return challenge


def check_installed() -> None:
    """Raise A2gRefused (NOT_SUPPORTED) if the library that recovers signers is not installed."""
    if not _is_installed():
        raise A2gRefused(
            A2gCode.NOT_SUPPORTED,
            "sign-in with Ethereum needs the extra `ethereum` at the gateway;"
            " POST /api/auth/guest works without it",
        )


@cache
def _is_installed() -> bool:
    """Return whether signers can be recovered; the first time, log how they could."""
    is_installed = find_spec(_LIBRARY) is not None
    if not is_installed:
        logger.warning("no_ethereum", install=installation_hint("ethereum"))
    return is_installed


def checked_address(text: object) -> str:
    """Return a wallet's address with the checksum of EIP-55. Raises A2gRefused."""
    if not (isinstance(text, str) and _ADDRESS.fullmatch(text)):
        raise invalid("address: must be 0x and 40 hexadecimal digits")
    check_installed()
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  part of the extra

    return str(to_checksum_address(text))


def sign_in_text(address: str, url: str, nonce: str, at: datetime, valid: timedelta) -> str:
    return (
        f"{urlsplit(url).netloc} wants you to sign in with your Ethereum account:\n"
        f"{address}\n"
        "\n"
        "Sign in to play for chips. This costs nothing and moves nothing.\n"
        "\n"
        f"URI: {url}\n"
        "Version: 1\n"
        "Chain ID: 1\n"
        f"Nonce: {nonce}\n"
        f"Issued At: {_rfc_3339(at)}\n"
        f"Expiration Time: {_rfc_3339(at + valid)}"
    )


def signer_of(message: str, signature: object) -> str:
    """Return the address whose key signed a text (EIP-191). Raises A2gRefused."""
    if not (isinstance(signature, str) and _SIGNATURE.fullmatch(signature)):
        raise invalid("signature: must be 0x and 130 hexadecimal digits")
    check_installed()
    from eth_hash.auto import keccak  # noqa: PLC0415  part of the extra
    from eth_keys.datatypes import Signature  # noqa: PLC0415

    text = message.encode()
    digest = keccak(_PERSONAL % len(text) + text)
    content = bytes.fromhex(signature.removeprefix("0x"))
    recovery = content[-1] - (_ETHEREUM_RECOVERY if content[-1] >= _ETHEREUM_RECOVERY else 0)
    try:
        key = Signature(content[:-1] + bytes([recovery])).recover_public_key_from_msg_hash(digest)
    except Exception as error:  # the library raises its own errors, and those of its key back end
        raise A2gRefused(A2gCode.AUTH_INVALID, "signature: is none of this text") from error
    return str(key.to_checksum_address())


def _rfc_3339(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Issued:
    """A new login with its secrets, which are returned once."""

    login: Login
    token: str = field(repr=False)
    session_id: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SignInText:
    """A text that a wallet is asked to sign."""

    message: str = field(repr=False)
    nonce: str


class Authentication:
    """Logins of guests and wallets. All methods raise A2gRefused and StoreFailed."""

    def __init__(self, logins: Logins, url: str, clocks: Clocks) -> None:
        self._logins = logins
        self._url = url
        self._clocks = clocks
        self._nonces = Nonces(clocks.monotonic)

    async def guest(self, display_name: str | None) -> Issued:
        """Return a login without an account; its name is only shown."""
        name = displayed(display_name or "") or GUEST
        return await self._issued(secrets.token_hex(16), name, None)

    def challenge(self, address: object) -> SignInText:
        wallet = checked_address(address)
        nonce = secrets.token_hex(16)
        message = sign_in_text(
            wallet, self._url, nonce, self._clocks.wall(), timedelta(seconds=VALID_S)
        )
        self._nonces.add(nonce, wallet, message)
        return SignInText(message, nonce)

    async def verify(self, address: object, signature: object, nonce: str) -> Issued:
        wallet = self._proved(address, signature, nonce)
        login_id = await self._logins.of_wallet(wallet) or secrets.token_hex(16)
        return await self._issued(login_id, f"{wallet[:6]}…{wallet[-4:]}", wallet)

    def _proved(self, address: object, signature: object, nonce: str) -> str:
        """Return the wallet that signed the challenge of a nonce, which is used up."""
        wallet = checked_address(address)
        challenge = self._nonces.take(nonce)
        if challenge is None:
            raise A2gRefused(
                A2gCode.AUTH_INVALID,
                "nonce: is unknown, used or older than 5 minutes: ask for a new",
            )
        if challenge.address != wallet or signer_of(challenge.message, signature) != wallet:
            raise A2gRefused(
                A2gCode.AUTH_INVALID, "signature: is not of this address for this nonce"
            )
        return wallet

    async def by_token(self, token: str) -> Login:
        """Return who a token belongs to, and note that it was heard."""
        return await self._valid(await self._logins.by_token(hash_of(token)))

    async def by_session(self, session_id: str) -> Login:
        return await self._valid(await self._logins.by_session(hash_of(session_id)))

    async def link(
        self, login: Login, wallet: object, signature: object, nonce: str, permissions: Permissions
    ) -> str:
        """Let a wallet that signed a challenge play for an account; returns the link's id."""
        address = self._proved(wallet, signature, nonce)
        link_id = secrets.token_hex(16)
        if not await self._logins.add_link(link_id, login.login_id, address, permissions):
            raise A2gRefused(
                A2gCode.NOT_PERMITTED,
                "walletAddress: is linked to an account; unlink it first",
                409,
            )
        return link_id

    async def links(self, login: Login) -> list[dict[str, object]]:
        """Return the links that an account made, or that bind its wallet."""
        return [
            {"linkId": link_id, "walletAddress": wallet, "permissions": permissions.as_json()}
            for link_id, wallet, permissions in await self._logins.links(login)
        ]

    async def unlink(self, login: Login, link_id: str) -> None:
        if not await self._logins.remove_link(link_id, login):
            raise A2gRefused(A2gCode.NOT_FOUND, "linkId: is none of your links")

    async def _issued(self, login_id: str, name: str, wallet: str | None) -> Issued:
        token, now = new_token(), self._clocks.wall()
        session_id = session_id_of(token)
        login = Login(login_id, name, wallet, None, Permissions(), now + LIFETIME, now)
        await self._logins.add(login, TokenHashes(hash_of(token), hash_of(session_id)))
        return Issued(login, token, session_id)

    async def _valid(self, login: Login | None) -> Login:
        if login is None:
            raise A2gRefused(
                A2gCode.AUTH_INVALID, "the token is unknown or over: sign in, POST /api/auth/guest"
            )
        now = self._clocks.wall()
        if login.is_over(now):
            raise A2gRefused(A2gCode.AUTH_EXPIRED, "the login is over: sign in again")
        if now - login.heard_at >= _NOTED:
            await self._logins.heard(login.login_id, now)
        return login
