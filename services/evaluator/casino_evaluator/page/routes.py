"""The page of scorecards and replays at `/`: static files, which call the REST API.

It needs no build step and no other host; the content security policy enforces it. The API key is
sent by the page's requests alone, as `X-API-Key`.
"""

from pathlib import Path
from urllib.parse import quote

from casino_agentkit.server.page_files import file_routes
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Route

WEB = Path(__file__).parent / "web"


def page_routes() -> list[BaseRoute]:
    """Return the routes of the page: `/`, its files below `/page/`, and `/scorecards/{card_id}`."""
    return [*file_routes(WEB), Route("/scorecards/{card_id}", _card, methods=["GET"])]


async def _card(request: Request) -> RedirectResponse:
    """Lead to a card on the page: this is the address that the official clients print."""
    return RedirectResponse(f"/#/cards/{quote(request.path_params['card_id'], safe='')}")
