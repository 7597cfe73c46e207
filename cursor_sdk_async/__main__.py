"""``python -m cursor_sdk_async``."""

from __future__ import annotations

import sys


def main() -> int:
    """Start the command line, or say how to install it."""
    try:
        from cursor_sdk_async._cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.stderr.write(
            f"The command line needs the package {error.name}, which is not installed. "
            "Install it with: pip install 'cursor-sdk-async[cli]'\n"
        )
        return 2
    app(prog_name="python -m cursor_sdk_async")
    return 0


if __name__ == "__main__":
    sys.exit(main())
