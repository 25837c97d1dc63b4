"""Hands of any game of the casino against its house styles, as an OpenEnv environment.

Depends on `openenv`, which needs `mcp` below 2: it is no part of the wheel of the casino.
"""

from casino_hand_env.client import CasinoHandEnv
from casino_hand_env.models import CasinoHandAction, CasinoHandObservation, CasinoHandState

__all__ = ["CasinoHandAction", "CasinoHandEnv", "CasinoHandObservation", "CasinoHandState"]
