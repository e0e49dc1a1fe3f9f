#!/usr/bin/env python3
"""Where the minutes of a clean build go: CPU seconds by crate and level of optimisation.

    python3 benches/build.py [CARGO_ARGUMENTS]        # default: build --release -p okno-cli --locked

Builds into a new folder; the script is its own compiler wrapper. C code of build scripts is in the total only.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter

LOG = "OKNO_BUILD_LOG"
SHOWN = 25


def compile_one() -> int:
    """Runs the compiler, and writes down what it took."""
    # Open files stay open: through two of them cargo says how many threads the compiler may use.
    status = subprocess.call(sys.argv[1:], close_fds=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = sys.argv[2:]
    name = arguments[arguments.index("--crate-name") + 1] if "--crate-name" in arguments else ""
    levels = [argument[10:] for argument in arguments if argument.startswith("opt-level=")]
    with open(os.environ[LOG], "a", encoding="utf-8") as log:
        log.write(f"{used.ru_utime + used.ru_stime:.2f} {name or '-'} {levels[0] if levels else '0'}\n")
    return status


def main() -> None:
    arguments = sys.argv[1:] or ["build", "--release", "-p", "okno-cli", "--locked"]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        own = {LOG: log, "RUSTC_WRAPPER": os.path.abspath(__file__), "CARGO_TARGET_DIR": folder, "CARGO_INCREMENTAL": "0"}
        begun = time.monotonic()
        subprocess.run(["cargo", *arguments], env=os.environ | own, check=True)
        wall = time.monotonic() - begun
        lines = [line.split() for line in open(log, encoding="utf-8")]
    crates, levels = Counter(), Counter()
    for seconds, name, level in lines:
        crates[name, level] += float(seconds)
        levels[level] += float(seconds)
    for (name, level), seconds in crates.most_common(SHOWN):
        print(f"{seconds:7.1f}  {name} ({level})")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = used.ru_utime + used.ru_stime
    print(" ".join(f"level {level}: {seconds:.0f} s." for level, seconds in levels.most_common()))
    print(f"{total / 60:.1f} CPU minutes, {wall / 60:.1f} on the clock, {len(lines)} calls of the compiler")


if __name__ == "__main__":
    sys.exit(compile_one() if LOG in os.environ else main())
