"""Attacks on services of which a defence is switched off by its name, in real processes."""

from contextlib import ExitStack
from typing import NamedTuple

from casino.attack.attack_base import Attack, Outcome, canaries, run
from casino.attack.attack_discovery import learn
from casino.attack.attack_traffic import Traffic
from casino.attack.service_attacks import (
    bind_foreign_wallet,
    pass_for_loopback,
    publish_hostile_hand,
)

from support.attack.large_calls import victim
from support.processes import reserved_port

_KEY = "the-operator-key-of-these-attacks"


class Switched(NamedTuple):
    """What a defence of `weakened` stops, and the service beside the lobby that has it."""

    attack: Attack
    service: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


SWITCHED = {
    "proxies": Switched(
        pass_for_loopback,
        "evaluator",
        (("CASINO_EVALUATOR_PUBLIC_URL", "https://casino.example"),),
    ),
    "signatures of wallets": Switched(bind_foreign_wallet, "gateway"),
    "hands parsed at the door": Switched(publish_hostile_hand),
}


async def outcome_without(name: str, *off: str) -> Outcome:
    """Attack what a defence is of, with the defences `off` switched off."""
    attack, service, settings = SWITCHED[name]
    traffic = Traffic()
    with ExitStack() as running:
        lobby_settings = {
            "CASINO_LOBBY_OPERATOR_TOKEN": _KEY,
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
        }
        lobby = running.enter_context(
            victim("casino_lobby", "--port", "0", without=off, settings=lobby_settings)
        )
        services: dict[str, str | None] = {}
        if service is not None:
            given = {f"CASINO_{service.upper()}_LOBBY_URL": lobby.url, **dict(settings)}
            port = str(reserved_port())
            command = (f"casino_{service}", "--port", port)
            running.enter_context(victim(*command, without=off, settings=given))
            services[service] = f"http://127.0.0.1:{port}"  # whatever its public URL is
        try:
            async with canaries("127.0.0.1") as new_canary:
                target = await learn(
                    traffic, lobby.url, new_canary, services=services, operator_key=_KEY
                )
                ((_, outcome),) = await run(target, [attack])
                return outcome
        finally:
            await traffic.close()
