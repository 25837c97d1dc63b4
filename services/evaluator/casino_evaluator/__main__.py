"""Serve the evaluator (`python -m casino_evaluator`); settings come from `CASINO_EVALUATOR_…`."""

from functools import partial

from casino_agentkit.run import run_service

from casino_evaluator.app import SECRET_KEYS, build_app
from casino_evaluator.errors import InvalidLevels, StoreFailed
from casino_evaluator.settings import EvaluatorSettings


def main() -> None:
    """Serve until SIGTERM; sessions go on after the next start."""
    run_service(
        "casino_evaluator",
        EvaluatorSettings,
        lambda settings, _: partial(build_app, settings),
        about=__doc__,
        errors=(InvalidLevels, StoreFailed),
        secret_keys=SECRET_KEYS,
        options=lambda parser: parser.add_argument(
            "--lobby-url", help="the lobby in whose rooms levels are played"
        ),
    )


if __name__ == "__main__":
    main()
