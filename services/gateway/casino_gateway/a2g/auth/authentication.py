"""Use cases of sign-in: guests, wallets, links, and who a token belongs to."""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from casino_contracts.names import displayed

from casino_gateway.a2g.auth import ethereum
from casino_gateway.a2g.auth.nonces import VALID_S, Nonces
from casino_gateway.a2g.auth.tokens import hash_of, new_token, session_id_of
from casino_gateway.a2g.codes import A2gRefused, Code
from casino_gateway.a2g.limits import Clocks
from casino_gateway.domain.login import LIFETIME, Login, Permissions
from casino_gateway.store.logins import Logins, TokenHashes

GUEST = "Guest"
_NOTED = timedelta(minutes=1)
"""A login's last message is stored once in this time."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A new login with its secrets, which are returned once."""

    login: Login
    token: str = field(repr=False)
    session_id: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Asked:
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

    def challenge(self, address: object) -> Asked:
        """Return the text that a wallet is to sign."""
        wallet = ethereum.checked_address(address)
        nonce = secrets.token_hex(16)
        message = ethereum.sign_in_text(
            wallet, self._url, nonce, self._clocks.wall(), timedelta(seconds=VALID_S)
        )
        self._nonces.add(nonce, wallet, message)
        return Asked(message, nonce)

    async def verify(self, address: object, signature: object, nonce: str) -> Issued:
        """Return the login of a wallet that signed a challenge. The nonce is used up."""
        wallet = self._proved(address, signature, nonce)
        login_id = await self._logins.of_wallet(wallet) or secrets.token_hex(16)
        return await self._issued(login_id, f"{wallet[:6]}…{wallet[-4:]}", wallet)

    def _proved(self, address: object, signature: object, nonce: str) -> str:
        """Return the wallet that signed the challenge of a nonce, which is used up."""
        wallet = ethereum.checked_address(address)
        challenge = self._nonces.take(nonce)
        if challenge is None:
            raise A2gRefused(
                Code.AUTH_INVALID, "nonce: is unknown, used or older than 5 minutes: ask for a new"
            )
        if (
            challenge.address != wallet
            or ethereum.signer_of(challenge.message, signature) != wallet
        ):
            raise A2gRefused(Code.AUTH_INVALID, "signature: is not of this address for this nonce")
        return wallet

    async def by_token(self, token: str) -> Login:
        """Return who a token belongs to, and note that it was heard."""
        return await self._valid(await self._logins.by_token(hash_of(token)))

    async def by_session(self, session_id: str) -> Login:
        """Return who a session id belongs to, and note that it was heard."""
        return await self._valid(await self._logins.by_session(hash_of(session_id)))

    async def link(
        self, login: Login, wallet: object, signature: object, nonce: str, permissions: Permissions
    ) -> str:
        """Let a wallet that signed a challenge play for an account; returns the link's id."""
        address = self._proved(wallet, signature, nonce)
        link_id = secrets.token_hex(16)
        if not await self._logins.add_link(link_id, login.login_id, address, permissions):
            raise A2gRefused(
                Code.NOT_PERMITTED, "walletAddress: is linked to an account; unlink it first", 409
            )
        return link_id

    async def links(self, login: Login) -> list[dict[str, object]]:
        """Return the links that an account made, or that bind its wallet."""
        return [
            {"linkId": link_id, "walletAddress": wallet, "permissions": permissions.as_json()}
            for link_id, wallet, permissions in await self._logins.links(login)
        ]

    async def unlink(self, login: Login, link_id: str) -> None:
        """Remove a link that an account made, or that binds its wallet."""
        if not await self._logins.remove_link(link_id, login):
            raise A2gRefused(Code.NOT_FOUND, "linkId: is none of your links")

    async def _issued(self, login_id: str, name: str, wallet: str | None) -> Issued:
        token, now = new_token(), self._clocks.wall()
        session_id = session_id_of(token)
        login = Login(login_id, name, wallet, None, Permissions(), now + LIFETIME, now)
        await self._logins.add(login, TokenHashes(hash_of(token), hash_of(session_id)))
        return Issued(login, token, session_id)

    async def _valid(self, login: Login | None) -> Login:
        if login is None:
            raise A2gRefused(
                Code.AUTH_INVALID, "the token is unknown or over: sign in, POST /api/auth/guest"
            )
        now = self._clocks.wall()
        if login.is_over(now):
            raise A2gRefused(Code.AUTH_EXPIRED, "the login is over: sign in again")
        if now - login.heard_at >= _NOTED:
            await self._logins.heard(login.login_id, now)
        return login
