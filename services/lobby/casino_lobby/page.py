"""The web page at `/`: static files that are read once and served as they are.

It needs no build step and no other host but the gateway; the content security policy enforces it.
"""

from pathlib import Path
from urllib.parse import urlsplit

from casino_agentkit.server.page_files import FRONT, OWN_FILES_ONLY, file_routes
from starlette.routing import BaseRoute

__all__ = ["FRONT", "WEB", "page_routes", "policy_for"]

WEB = Path(__file__).parent / "web"


def policy_for(gateway_url: str | None) -> str:
    """Return the content security policy; it allows connections to the gateway's origin."""
    if gateway_url is None:
        return OWN_FILES_ONLY
    gateway = urlsplit(gateway_url)
    socket = "wss" if gateway.scheme == "https" else "ws"
    origins = f"{gateway.scheme}://{gateway.netloc} {socket}://{gateway.netloc}"
    return f"{OWN_FILES_ONLY}; connect-src 'self' {origins}"


def page_routes(gateway_url: str | None = None) -> list[BaseRoute]:
    """Return the routes of the page: `/`, and its files below `/page/`.

    The page may connect to the gateway's origin, if there is a gateway.
    """
    return file_routes(WEB, policy_for(gateway_url))
