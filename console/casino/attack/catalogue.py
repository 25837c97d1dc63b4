"""Catalogue of all attacks, in the order of their execution."""

from casino.attack.attack import Attack
from casino.attack.attacks import (
    browser,
    commands,
    fleet,
    forgery,
    resources,
    seats,
    services,
    takeover,
)

ATTACKS: tuple[Attack, ...] = (
    *takeover.ATTACKS,
    *forgery.ATTACKS,
    *fleet.ATTACKS,
    *seats.ATTACKS,
    *commands.ATTACKS,
    *services.ATTACKS,
    *browser.ATTACKS,
    *resources.ATTACKS,
)
GROUPS = tuple(dict.fromkeys(attack.group for attack in ATTACKS))
