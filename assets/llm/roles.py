"""Who plays which role: `llm.toml` read into checked settings, one table a model.

Belongs here: the settings of a model in a role, the limits of the door, and what is wrong with the file.
Does not belong here: keys (only the names of the variables that hold them), prompts (rubrics/), sending/.

    [[rater]]
    name = "rater-a"
    model = "some-model"
    base_url = "https://llm.example.org/v1"
    api_key_env = "RATER_KEY"
    max_tokens = 400
    input_price = 0.15
    output_price = 0.60
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from assets.common.names import clean_name, is_damaged
from assets.settings import Settings

T = TypeVar("T", bound=BaseModel)
LIMITS = "limits"
# of all slices, which the door does not know: a misspelt role would be one that nobody plays
ROLES = (
    *("rater", "writer", "system", "judge"),
    *("candidate", "worker"),
    *("relevance", "summary", "confirmation", "embedder"),
)
# visible ASCII but quotes and backslashes, which JSON escapes
_KEY = re.compile(r"[!#-\[\]-~]+")
_KEY_FIELDS = {"api_key", "apikey", "key", "token", "secret", "password", "authorization", "bearer"}


class RolesError(ValueError):
    """`llm.toml` can't be used: file, table, field and what to do. Never quotes a value: it might be a key."""


class Model(BaseModel):
    """One model in one role. `temperature` and `seed` are sent only where they are given."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    role: str
    name: str = Field(min_length=1, description="what ratings, verdicts ... call it")
    model: str = Field(min_length=1, description="what the server calls it")
    base_url: str
    api_key_env: str | None = Field(
        None, description="variable that holds the key; none = the server asks none"
    )
    temperature: float | None = Field(None, ge=0)
    seed: int | None = None
    max_tokens: int = Field(1024, ge=1)
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    timeout_seconds: float = Field(120, gt=0, description="for one attempt, from sending to the last byte")
    max_in_flight: int = Field(8, ge=1)
    input_price: float | None = Field(None, ge=0, description="per million tokens; none = cost unknown")
    output_price: float | None = Field(None, ge=0, description="per million tokens; none = cost unknown")
    json_schema: bool = Field(False, description="the server takes response_format json_schema")
    back_end: Literal["direct", "batch"] = "direct"

    @field_validator("name")
    @classmethod
    def _as_files_spell_it(cls, value: str) -> str:
        name = clean_name(value)
        if not name or is_damaged(name):
            raise ValueError("must be a name that can be read: it is blank, or a character was lost (U+FFFD)")
        return name

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be an address like https://host/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "must hold no user, password, query or fragment; a key goes into a variable (api_key_env)"
            )
        return value.rstrip("/")

    @field_validator("api_key_env")
    @classmethod
    def _name_of_a_variable(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", value):
            raise ValueError("must be the NAME of an environment variable (capitals, digits, _), not a key")
        return value

    @model_validator(mode="after")
    def _both_prices(self) -> Model:
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("give both input_price and output_price, or neither")
        return self

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """In the currency of the prices; None where a price or a count is unknown."""
        if self.input_price is None or self.output_price is None:
            return None
        if input_tokens is None or output_tokens is None:
            return None
        return (input_tokens * self.input_price + output_tokens * self.output_price) / 1e6


class Limits(BaseModel):
    """How patient the door is; the table `[limits]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tries: int = Field(6, ge=1, description="attempts of one call in one run; rate limits don't count")
    patience_seconds: float = Field(900, ge=0, description="after this no new attempt of a call is made")
    first_wait_seconds: float = Field(0.5, gt=0, description="doubled by each try, with jitter")
    max_wait_seconds: float = Field(30, gt=0)
    max_retry_after_seconds: float = Field(
        120, gt=0, description="cap on what a server's Retry-After may ask"
    )
    breaker_failures: int = Field(
        10, ge=1, description="failures in a row after which a provider counts as down"
    )
    breaker_pause_seconds: float = Field(30, gt=0, description="before one call probes whether it is back")
    breaker_probes: int = Field(5, ge=1, description="failed probes in a row after which the run gives it up")
    batch_calls: int = Field(50_000, ge=1, le=50_000, description="calls a batch at most")
    batch_megabytes: float = Field(100, gt=0, le=200, description="size of a batch's file at most")
    batch_poll_seconds: float = Field(30, gt=0)
    batch_wait_seconds: float = Field(
        93_600, gt=0, description="then the run ends; the next one goes on waiting"
    )


class Roles(NamedTuple):
    """What `llm.toml` says: role -> its models in the file's order."""

    models: Mapping[str, tuple[Model, ...]]
    limits: Limits

    def of(self, role: str) -> tuple[Model, ...]:
        """The models of `role`; none where the file names none."""
        return self.models.get(role, ())


def read_roles(settings: Settings) -> Roles:
    """The roles of `settings.llm_path`; no roles where no path is named and the default file is absent.

    Raises:
        RolesError: the file is named and absent, or can't be used as it stands.
    """
    path = settings.llm_path
    if path is None or (settings.llm is None and not path.is_file()):
        return Roles(MappingProxyType({}), Limits())
    try:
        text = path.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
    except OSError as error:
        raise RolesError(f"{path}: {error.strerror}. Correct SUITABILITY_LLM, or unset it.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RolesError(f"{path}: no TOML: {error}") from None
    limits = _checked(Limits, document.pop(LIMITS, {}), f"{path}, table [{LIMITS}]")
    for name in document:
        if name not in ROLES:
            near = difflib.get_close_matches(name, (*ROLES, LIMITS), n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join((*ROLES, LIMITS))}"
            raise RolesError(f"{path}, table {name}: there is no such role; {hint}")
    models = {role: tuple(_read_role(path, role, tables)) for role, tables in document.items()}
    _refuse_written_keys(path, text, (model for some in models.values() for model in some))
    return Roles(MappingProxyType(models), limits)


def _read_role(path: Path, role: str, tables: object) -> Iterable[Model]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise RolesError(f"{path}: write {role} as tables, each headed [[{role}]] (two brackets)")
    seen: set[str] = set()
    for number, table in enumerate(tables, start=1):
        where = f"{path}, table [[{role}]] number {number}"
        if "role" in table:
            raise RolesError(f"{where}, field role: leave it out, the table's head says it")
        model = _checked(Model, {"role": role, **table}, where)
        if model.name in seen:
            raise RolesError(f"{where}, field name: another {role} has this name; give each its own")
        seen.add(model.name)
        yield model


def _checked(kind: type[T], table: object, where: str) -> T:
    if not isinstance(table, dict):
        raise RolesError(f"{where}: must be a table of fields")
    known = set(kind.model_fields) - {"role"}
    for field in sorted(set(table) - known - {"role"}):
        if field.lower().replace("-", "_") in _KEY_FIELDS:
            raise RolesError(
                f"{where}, field {field}: a key must not stand in a file. Put it into an environment variable, name "
                "that variable in api_key_env, and treat the key in the file as leaked."
            )
        near = difflib.get_close_matches(field, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
        raise RolesError(f"{where}, field {field}: there is no such field; {hint}")
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        lines = [
            f"{where}, field {'.'.join(map(str, e['loc'])) or '(all)'}: {e['msg'].removeprefix('Value error, ')}"
            for e in error.errors(include_input=False, include_url=False)
        ]
        raise RolesError("\n".join(lines)) from None


def _refuse_written_keys(path: Path, text: str, models: Iterable[Model]) -> None:
    for variable in sorted({model.api_key_env for model in models if model.api_key_env}):
        key = os.environ.get(variable, "")
        if len(key) >= 8 and key in text:
            raise RolesError(
                f"{path}: holds the very key that {variable} carries. Remove it and treat it as leaked."
            )


def key_of(model: Model) -> str:
    """The key of `model`, from the environment.

    Raises:
        RolesError: the variable is unset or empty, or holds what no header can carry.
    """
    if model.api_key_env is None:
        return ""
    key = os.environ.get(model.api_key_env, "").strip()
    if not key:
        raise RolesError(
            f"{model.role} {model.name}: the environment variable {model.api_key_env} is not set; it must hold the key "
            f"for {model.base_url}"
        )
    if not _KEY.fullmatch(key):
        # the client's error for it would quote the header; and only what JSON doesn't escape can be redacted
        raise RolesError(
            f"{model.role} {model.name}: the environment variable {model.api_key_env} holds more than a key, such as a "
            "second line, a blank, or quotes around it; it must hold the key alone"
        )
    return key


def settings_that_change_answers(model: Model) -> dict[str, Any]:
    """What the identity of a call takes from its model.

    The base URL is among them: the same name on another server may be another model, or another quantisation of it.
    Name, prices, time limits, key and back end are not: changing them must not pay for an answer again.
    """
    fields = {"role", "model", "base_url", "temperature", "seed", "max_tokens", "json_schema"}
    return model.model_dump(include=fields)
