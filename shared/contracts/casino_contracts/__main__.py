"""`python -m casino_contracts [DIRECTORY]`: write the JSON Schemas of every message."""

import argparse
from pathlib import Path

from casino_contracts.message_schemas import write_schemas


def main() -> None:
    """Write the schemas and print their number."""
    parser = argparse.ArgumentParser(prog="python -m casino_contracts", description=__doc__)
    parser.add_argument("directory", type=Path, nargs="?", default=Path("docs/reference/schemas"))
    directory: Path = parser.parse_args().directory
    print(f"{len(write_schemas(directory))} schemas in {directory}")  # noqa: T201  the command's output


if __name__ == "__main__":
    main()
