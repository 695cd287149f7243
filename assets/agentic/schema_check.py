"""Arguments of a tool call, checked against the tool's JSON Schema.

Belongs here: which arguments a schema forbids, by class of fault. Does not belong here: whether a value is the right
one (key_match.py).

Source: paper `open-economic-index`, Appendix H.4 (the simulator's rules) and Table 11 (classes of argument errors).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Any, Literal, NamedTuple

FaultClass = Literal["missing required argument", "unknown argument", "mistyped argument"]

# keywords that say what an argument is; `pattern` and `format` are left out: other people's regular expressions may
# never end, and the paper's rules know types and enumerations only
_KEPT = (
    *(
        "$ref",
        "allOf",
        "anyOf",
        "const",
        "dependentRequired",
        "enum",
        "items",
        "oneOf",
        "prefixItems",
        "properties",
    ),
    *("required", "type"),
)
# keywords looked at for one call: alternatives that refer to each other can double with each level
MOST_STEPS = 20_000
_REASON = 200


class ArgumentFault(NamedTuple):
    """One argument that a schema forbids; `path` names it ('attendees.0.email')."""

    path: str
    fault: FaultClass
    reason: str


class _EndlessSchemaError(ValueError):
    """A schema takes more steps than any that says what arguments are."""


def argument_faults(schema: Mapping[str, Any] | None, arguments: Mapping[str, Any]) -> list[ArgumentFault]:
    """What is wrong with `arguments`, in the order of their names; nothing where the tool declares no properties.

    An argument that the schema doesn't list is unknown, whether or not the schema allows others.
    """
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict) or not properties:
        return []
    known = {name: value for name, value in arguments.items() if name in properties}
    found = {
        ArgumentFault(name, "unknown argument", f"the tool has no argument '{name}'")
        for name in arguments
        if name not in properties
    }
    found |= set(_schema_faults(dict(schema or {}), known))
    return sorted(found)


def _schema_faults(schema: dict[str, Any], arguments: dict[str, Any]) -> Iterator[ArgumentFault]:
    from jsonschema.exceptions import UnknownType
    from referencing.exceptions import Unresolvable

    _steps[0] = 0
    try:
        for error in _checker()(schema, registry=_no_registry()).iter_errors(arguments):
            place = ".".join(str(step) for step in error.absolute_path)
            if error.validator == "required":
                for name in sorted(set(error.validator_value) - set(error.instance)):
                    path = f"{place}.{name}" if place else name
                    yield ArgumentFault(path, "missing required argument", f"'{path}' is required")
            else:
                yield ArgumentFault(place, "mistyped argument", error.message[:_REASON])
    except (UnknownType, Unresolvable, TypeError, AttributeError, KeyError, ValueError, RecursionError):
        # what is no schema forbids nothing
        return


_steps = [0]


def _counted(keyword: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(keyword)
    def check(*arguments: Any) -> Any:
        _steps[0] += 1
        if _steps[0] > MOST_STEPS:
            raise _EndlessSchemaError
        return keyword(*arguments)

    return check


@cache
def _checker() -> Any:
    from jsonschema import Draft202012Validator, validators

    kept = {name: _counted(Draft202012Validator.VALIDATORS[name]) for name in _KEPT}
    return validators.create(
        Draft202012Validator.META_SCHEMA, validators=kept, type_checker=Draft202012Validator.TYPE_CHECKER
    )


@cache
def _no_registry() -> Any:
    """A reference that leads out of the schema is never fetched."""
    from referencing import Registry

    return Registry()
