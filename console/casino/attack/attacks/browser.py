"""Requests that a web page of another origin makes a browser send.

The headers are those that browsers add by themselves; a page can neither forge nor remove them.
"""

import orjson

from casino.attack.attack import attack
from casino.attack.attacks.commands import NO_ROOM, harmless
from casino.attack.attacks.reply import Depth, Reply, read_rest
from casino.attack.outcome import Outcome, by_admission, refused, succeeded
from casino.attack.target import Target, Try
from casino.errors import NoAnswer

_EVIL = "https://evil.example"
FORGERIES: dict[str, dict[str, str]] = {
    "a form": {
        "content-type": "application/x-www-form-urlencoded",  # that of curl, too
        "origin": _EVIL,
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
    },
    "a body without a type": {
        "origin": _EVIL,
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "no-cors",
    },
    "a sandboxed frame": {"origin": "null", "sec-fetch-site": "cross-site"},
    "another port of the same machine": {
        "origin": "http://127.0.0.1:8000",
        "sec-fetch-site": "same-site",
    },
    "a browser that leaves the origin out": {"sec-fetch-site": "cross-site"},
    "a browser that sends the page's address alone": {"referer": f"{_EVIL}/page?of=evil"},
    "an origin that begins like ours": {"origin": "http://127.0.0.1:4000.evil.example"},
}
"""Headers of commands that a page can send anywhere, without being allowed to read the answer.

To agents it cannot, as long as they insist on A2A's header: the guard does not rely on that.
"""

REBOUND = (
    "rebound.evil.example:4000",
    "rebound.evil.example",
    "127.0.0.1.evil.example:4000",
    "localhost.evil.example",
    "evil.example.:4000",
    "LOCALHOST.EVIL.EXAMPLE:4000",
)
"""Names of the attacker's own, which now lead to the victim's loopback: the browser takes its page
to be the service's."""


@attack("browser", "C8")
async def command_from_foreign_page(target: Target) -> Outcome:
    """Send commands as a web page of another origin can: as a form, without its origin.

    The operator's key is not sent; such pages must be refused with or without it.
    """
    room = orjson.dumps(harmless(target, "http://127.0.0.1:1/").get("createRoom", {}))
    tries: list[Try] = []
    for name, headers in FORGERIES.items():
        for path, body in (("/v1/rooms", room), (f"/v1/rooms/{NO_ROOM}/close", b"{}")):
            try:
                url = target.lobby.base + path
                answer = await target.traffic.send("POST", url, headers=headers, content=body)
                reply = read_rest(answer)
            except NoAnswer as none:
                reply = Reply(Depth.FAILED, str(none))
            tries.append(Try(target.lobby, f"REST as {name}", "a page", reply))
    return by_admission(tries)


@attack("browser", "C8")
async def rebind_host(target: Target) -> Outcome:
    """Call lobby, tables and players by a host name that the attacker's DNS resolves to them."""
    answered: list[str] = []
    requests = 0
    for agent in target.agents:
        paths = ["/.well-known/agent-card.json"]
        if agent is target.lobby:
            paths += ["/v1/rooms", "/v1/config"]
        for path in paths:
            for host in REBOUND:
                requests += 1
                headers = {"host": host}
                try:
                    answer = await target.traffic.send("GET", agent.url(path), headers=headers)
                except NoAnswer:
                    continue
                if answer.status < 400:  # noqa: PLR2004  error statuses start there
                    answered.append(f"{agent.name} {path} as {host}")
    if answered:
        return succeeded(f"{len(answered)} of {requests} answered, such as {answered[0]}")
    return refused(f"{requests} of {requests} requests were refused")
