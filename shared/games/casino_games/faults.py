"""Faults of settings, snapshots and examples as text, without the faulty values."""

from pydantic import ValidationError


def faults_in(error: ValidationError, whole: str) -> str:
    """Return each fault as `path: description`; `whole` names the value itself."""
    return "; ".join(f"{path or whole}: {description}" for path, description in _faults(error))


def paths_in(error: ValidationError) -> str:
    """Return the paths of the faults, sorted, each once."""
    return ", ".join(sorted({path for path, _description in _faults(error)}))


def _faults(error: ValidationError) -> list[tuple[str, str]]:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in faults]
