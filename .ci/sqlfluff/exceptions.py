"""dbt's `exceptions` as the SQL linter needs it: nothing is raised, for no query runs."""

from __future__ import annotations


def raise_compiler_error(message: str) -> str:
    return ""


def warn(message: str) -> str:
    return ""
