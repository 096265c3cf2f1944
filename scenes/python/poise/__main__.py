# SPDX-License-Identifier: MIT
"""`python3 -m poise sweep ...`: the command `poise sweep`, also without the program poise."""
import sys

from .command import sweep

if __name__ == "__main__":
    if sys.argv[1:2] != ["sweep"]:
        sys.exit("usage: python3 -m poise sweep ... (--help says more)")
    sys.exit(sweep(sys.argv[2:]))
