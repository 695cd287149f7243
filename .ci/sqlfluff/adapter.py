"""dbt's `adapter` as the SQL linter needs it: a dispatched macro renders as a call of its own name."""

from __future__ import annotations

from collections.abc import Callable


def dispatch(name: str, package: str | None = None) -> Callable[..., str]:
    return lambda *arguments: f"{name}({', '.join(map(str, arguments))})"
