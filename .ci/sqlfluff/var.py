"""dbt's `var` as the SQL linter needs it: names of types as the project has them, any other variable an identifier."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

_PROJECT = yaml.safe_load((Path(__file__).parents[2] / "dbt/dbt_project.yml").read_text(encoding="utf-8"))


class _Var(ModuleType):
    def __call__(self, name: str, default: Any = "item") -> Any:
        return _PROJECT["vars"][name] if name.startswith("type_") else default


# the linter takes modules, not functions, from its library
sys.modules[__name__].__class__ = _Var
