"""Models of llm.toml that would be taken for one: by their answers, or by their name.

Belongs here: which those are. Does not belong here: whether that matters to a plan, and its error (the slices).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assets.llm.call import Call
from assets.llm.roles import Model


def that_are_alike(models: Iterable[Model]) -> str | None:
    """What to tell of the first two that would share their answers, and so agree by construction; None = no two do."""
    first: dict[str, str] = {}
    for model in models:
        other = first.setdefault(Call(model, "").call_id, model.name)
        if other != model.name:
            return f"{other} and {model.name} of llm.toml are one model with one set of settings"
    return None


def namesake(models: Iterable[Model], names: Mapping[str, str]) -> tuple[Model, str] | None:
    """The first of `models` that has one of `names`, whatever its case, and what stands behind that name."""
    known = {name.strip().casefold(): what for name, what in names.items()}
    for model in models:
        if what := known.get(model.name.strip().casefold()):
            return model, what
    return None
