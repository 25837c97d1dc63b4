"""`/api/wallet`: play chips only."""

from starlette.requests import Request
from starlette.responses import Response

from casino_gateway.a2g.codes import A2gRefused, Code
from casino_gateway.a2g.rest.request import reply
from casino_gateway.a2g.wallet import CONFIG, Period, Wallet
from casino_gateway.domain.login import Login


class WalletHandlers:
    """Handles the wallet. All need a token."""

    def __init__(self, wallet: Wallet) -> None:
        self._wallet = wallet

    async def config(self, _request: Request, _login: Login) -> Response:
        """Return what the wallet can do."""
        return reply(CONFIG)

    async def transactions(self, request: Request, login: Login) -> Response:
        """Return the login's bookings, newest first."""
        period = Period(dict(request.query_params))
        return reply(await self._wallet.transactions(login, period))

    async def withdraw(self, _request: Request, _login: Login) -> Response:
        """Refuse: play chips are worth nothing."""
        raise A2gRefused(
            Code.NOT_SUPPORTED,
            "this casino plays for play chips, which have no value and cannot be withdrawn",
            403,
        )
