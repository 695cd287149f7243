"""Exit codes of the command `suitability`, and how a command ends with one.

Belongs here: codes and their meaning. Does not belong here: which fault has which (faults.py).
"""

from __future__ import annotations

import sys
from typing import NoReturn

from rich.console import Console

FAILED, NOTHING_PUBLISHED, BUSY = 1, 3, 4
EXIT_CODES = """
\b
Exit codes:
  0  done
  1  failed: a step or check of the refresh, a query, or a check of doctor
  2  wrong usage: an option, argument or setting
  3  nothing has been published yet
  4  another process is refreshing this home or has its working file open
"""


def fail(console: Console, text: str, code: int) -> NoReturn:
    """Print `text` and end the process with `code`."""
    from dagster_project.cli import show

    show.told(console, text)
    sys.exit(code)
