"""`/api/auth`: guests, sign-in with Ethereum, links of wallets."""

from starlette.requests import Request
from starlette.responses import Response

from casino_gateway.a2g.auth.authentication import Issued
from casino_gateway.a2g.codes import A2gRefused, Code
from casino_gateway.a2g.incoming import invalid
from casino_gateway.a2g.limits import milliseconds
from casino_gateway.a2g.rest.request import body_of, network, reply, text
from casino_gateway.a2g.server import A2g
from casino_gateway.domain.login import Login, Permissions


class AuthHandlers:
    """Handles sign-in. None but the links needs a token."""

    def __init__(self, a2g: A2g) -> None:
        self._a2g = a2g
        self._authentication = a2g.authentication

    async def guest(self, request: Request) -> Response:
        """Return a login without an account."""
        self._count(request)
        name = text(await body_of(request), "displayName", 256)
        return reply(_issued(await self._authentication.guest(name)))

    async def challenge(self, request: Request) -> Response:
        """Return the text that a wallet is to sign."""
        self._count(request)
        challenge = self._authentication.challenge(request.query_params.get("address"))
        return reply({"message": challenge.message, "nonce": challenge.nonce})

    async def verify(self, request: Request) -> Response:
        """Return the login of a wallet that signed its challenge."""
        self._count(request)
        body = await body_of(request)
        nonce = text(body, "nonce") or ""
        issued = await self._authentication.verify(
            body.get("address"), body.get("signature"), nonce
        )
        return reply({**_issued(issued), "walletAddress": issued.login.wallet_address})

    async def link(self, request: Request, login: Login) -> Response:
        """Let a wallet play for the account within limits."""
        body = await body_of(request)
        written = body.get("permissions", {})
        if not isinstance(written, dict):
            raise invalid("permissions: must be an object")
        try:
            permissions = Permissions.of(written)
        except ValueError as error:
            raise invalid(str(error)) from error
        self._count(request)
        wallet, nonce = body.get("walletAddress"), text(body, "nonce")
        if nonce is None:
            raise invalid(
                "nonce, signature: are missing; the wallet signs the message of"
                " GET /api/auth/challenge?address=0x…"
            )
        link_id = await self._authentication.link(
            login, wallet, body.get("signature"), nonce, permissions
        )
        return reply({"linkId": link_id, "permissions": permissions.as_json()}, 201)

    async def links(self, _request: Request, login: Login) -> Response:
        """Return the links of the account, and those that bind its wallet."""
        return reply({"links": await self._authentication.links(login)})

    async def unlink(self, request: Request, login: Login) -> Response:
        """Remove a link."""
        link_id: str = request.path_params["link_id"]
        await self._authentication.unlink(login, link_id)
        return Response(status_code=204)

    def _count(self, request: Request) -> None:
        if not self._a2g.sign_ins.take(network(request)):
            raise A2gRefused(
                Code.RATE_LIMITED,
                f"this address may sign in {self._a2g.limits.logins_per_address} times a minute",
            )


def _issued(issued: Issued) -> dict[str, object]:
    return {
        "token": issued.token,
        "expiresAt": milliseconds(issued.login.expires_at),
        "sessionId": issued.session_id,
        "displayName": issued.login.display_name,
    }
