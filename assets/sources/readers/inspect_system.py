"""Which AI system an Inspect log ran: model + settings + scaffold, as one key and three descriptions.

Belongs here: what of a log's header is the system's and what is the task's. Does not belong here: samples and
scores (inspect_logs.py), or aliases (staging).

The system is what the user chose for the run: the model with its generate options, and the solver or agent given
to it. What the task fixes (its prompts, its own generate options) is the benchmark's, and alike for every system
that ran it: else one model would be another system on every benchmark. Steps of a task's own plan that do more
than write the prompt are scaffold all the same: two scaffolds must never be pooled, and an alias can join them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# how a call is sent, retried, repeated or observed; not what is asked of the model
OPERATIONAL = frozenset(
    {"max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"}
    | {"adaptive_connections", "batch", "cache", "cache_prompt", "extra_headers", "seed"}
    | {"logprobs", "top_logprobs", "prompt_logprobs"}
)
# solvers that only write the prompt: in a task's own plan they are the benchmark's wording
PROMPTS = frozenset(
    {"system_message", "user_message", "assistant_message", "prompt_template", "chain_of_thought"}
    | {"multiple_choice", "generate"}
)
GRADER = "grader"
SECRETS = ("key", "token", "secret", "password")
MAX_SHOWN = 40


@dataclass(frozen=True)
class InspectSystem:
    """`key` names it; the rest describes it ('default', 'none': known to be nothing special, not unknown)."""

    key: str
    model: str
    settings: str
    scaffold: str


def system_of(log: Mapping[str, Any]) -> InspectSystem:
    """The system of a log's header; two logs give one key only if model, settings and scaffold are the same.

    Raises:
        KeyError: the header names no model.
    """
    spec = log["eval"]
    model = str(spec["model"])
    settings = " ".join(_pair(name, value) for name, value in sorted(_settings(log).items()))
    scaffold = "+".join([*_steps(log), *_roles(spec)])
    key = model + (f"[{settings}]" if settings else "") + (f"+{scaffold}" if scaffold else "")
    return InspectSystem(key, model, settings or "default", scaffold or "none")


def task_setup(log: Mapping[str, Any]) -> str:
    """What the task fixed itself: prompts, generate options and limits. One benchmark must have one."""
    spec, plan = log["eval"], log.get("plan") or {}
    limits = {name: value for name, value in (spec.get("config") or {}).items() if name.endswith("_limit")}
    prompts = [] if spec.get("solver") else [step for step in _plan(plan) if step[0] in PROMPTS]
    setup = {"prompts": prompts, "options": _options(plan.get("config")), "limits": _given(limits)}
    return json.dumps(setup, sort_keys=True, default=str)


def _settings(log: Mapping[str, Any]) -> dict[str, Any]:
    spec = log["eval"]
    # logs older than the field have the user's options among the plan's
    config = spec.get("model_generate_config", (log.get("plan") or {}).get("config"))
    arguments = _given(spec.get("model_args"))
    return {name: arguments[name] for name in arguments if not name.endswith(SECRETS)} | _options(config)


def _options(config: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in _given(config).items() if name not in OPERATIONAL}


def _given(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}


def _plan(plan: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments (those passed; defaults change with the library) of each step."""
    return [
        (step["solver"], _given(step.get("params_passed", step.get("params"))))
        for step in plan.get("steps") or []
    ]


def _steps(log: Mapping[str, Any]) -> list[str]:
    spec = log["eval"]
    chosen = spec.get("solver")
    if chosen:
        steps = [(chosen, _given(spec.get("solver_args_passed", spec.get("solver_args"))))]
        return [_call(*step) for step in steps if step != ("generate", {})]
    return [_call(*step) for step in _plan(log.get("plan") or {}) if step[0] not in PROMPTS]


def _roles(spec: Mapping[str, Any]) -> list[str]:
    """Other models at work in the scaffold; the grader marks answers and is no part of what is marked."""
    texts = []
    for role, given in sorted((spec.get("model_roles") or {}).items()):
        models = given if isinstance(given, list) else [given]
        if role != GRADER:
            texts.append(f"{role}={'/'.join(str(model['model']) for model in models)}")
    return [f"roles({' '.join(texts)})"] if texts else []


def _call(name: str, arguments: Mapping[str, Any]) -> str:
    pairs = " ".join(_pair(argument, value) for argument, value in sorted(arguments.items()))
    return f"{name}({pairs})" if pairs else name


def _pair(name: str, value: Any) -> str:
    """Short plain values as they read; texts, lists and objects as a hash, for they may be long or private."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    if len(text) > MAX_SHOWN or not text.isprintable() or set(text) & set(' "{}[]()='):
        text = f"#{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"{name}={text}"
