"""Serve matches (`python -m casino_match`); settings come from `CASINO_MATCH_…`."""

from functools import partial

from casino_agentkit.run import run_service

from casino_match.app import SECRET_KEYS, build_app
from casino_match.errors import StoreFailed
from casino_match.settings import MatchSettings


def main() -> None:
    """Serve until SIGTERM, which suspends matches: they go on when they are called for again."""
    run_service(
        "casino_match",
        MatchSettings,
        lambda settings, _: partial(build_app, settings),
        about=__doc__,
        errors=(StoreFailed,),
        secret_keys=SECRET_KEYS,
    )


if __name__ == "__main__":
    main()
