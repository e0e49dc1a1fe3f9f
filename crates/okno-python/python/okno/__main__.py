"""The program ``okno``: the same command line as the binary."""

from __future__ import annotations

import signal
import sys

from . import _okno


def main() -> int:
    """Runs the command line."""
    # Rust handles Ctrl-C itself, or the process ends as other programs do.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _okno.cli(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
