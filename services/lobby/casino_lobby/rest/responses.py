"""JSON responses of the REST API."""

from casino_contracts import WireModel
from starlette.responses import Response


def json_response(
    content: WireModel, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return a message as a JSON response."""
    return Response(
        content.wire(), status_code=status, media_type="application/json", headers=headers
    )
