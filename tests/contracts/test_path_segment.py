"""An id is one segment of a path, or is refused: no URL that is sent leads elsewhere."""

from collections.abc import Callable
from urllib.parse import quote

import httpx
import pytest
from casino_contracts.base import path_segment

IDS = ["a", "a/b", "../x", "%2e%2e", "a?b#c", "a b", "ёж 😀", "...", ".a", "\\..", "\x00", "a\nb"]
DOTS = [".", "..", ""]


def sent(segment: str) -> str:
    return httpx.Request("GET", f"http://lobby/v1/matches/{segment}").url.raw_path.decode()


@pytest.mark.parametrize("name", IDS)
def test_an_id_stays_one_segment(name: str) -> None:
    assert sent(path_segment(name)).removeprefix("/v1/matches/").count("/") == 0
    assert httpx.URL(f"http://lobby/v1/matches/{path_segment(name)}").path == f"/v1/matches/{name}"


@pytest.mark.parametrize("name", DOTS)
@pytest.mark.parametrize("segment", [path_segment, lambda text: quote(text, safe="")])
def test_only_a_refusal_keeps_a_dot_from_leading_elsewhere(
    segment: Callable[[str], str], name: str
) -> None:
    if segment is path_segment:
        with pytest.raises(ValueError, match=r"is no id: it must not be empty, \. or \.\."):
            segment(name)
    else:
        assert sent(segment(name)) in {"/v1/matches/", "/v1/matches", "/v1/", "/v1"}
