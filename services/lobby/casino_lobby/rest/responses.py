"""What the REST face answers with."""

from casino_contracts import WireModel
from starlette.responses import Response


def message(
    content: WireModel, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return a message of the contracts as an answer."""
    return Response(
        content.wire(), status_code=status, media_type="application/json", headers=headers
    )
