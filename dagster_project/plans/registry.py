"""The plans of `suitability llm` by name: a new plan is one line here.

Belongs here: names and places of plans, and what a plan may answer. Does not belong here: listing calls (*_plans.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assets.llm import Call

# plan -> "module:function" of a function(settings) -> list of calls; named as text so that --help imports nothing
PLANS: dict[str, str] = {
    "annotate": "dagster_project.plans.annotation_plans:annotate",
    "annotate-sample": "dagster_project.plans.annotation_plans:annotate_sample",
    "annotate-chosen": "dagster_project.plans.annotation_plans:annotate_chosen",
    "annotate-modes": "dagster_project.plans.annotation_plans:annotate_modes",
    "tournament-runs": "dagster_project.plans.tournament_plans:runs",
    "tournament-judge": "dagster_project.plans.tournament_plans:judge",
    "tournament-traits": "dagster_project.plans.tournament_plans:traits",
    "propensity-items": "dagster_project.plans.propensity_plans:items",
    "propensity-bands": "dagster_project.plans.propensity_plans:bands",
    "propensity-runs": "dagster_project.plans.propensity_plans:runs",
    "propensity-choices": "dagster_project.plans.propensity_plans:choices",
    "adoption-relevance": "dagster_project.plans.adoption_plans:relevance",
    "adoption-summary": "dagster_project.plans.adoption_plans:summary",
    "adoption-confirm": "dagster_project.plans.adoption_plans:confirm",
}
# plans whose calls hang on answers that may not be there yet -> "module:function" of a function(settings) -> Foreseen
FORESEEN: dict[str, str] = {
    plan: f"{PLANS[plan]}_foreseen" for plan in ("tournament-runs", "tournament-judge", "tournament-traits")
}


class PlanError(ValueError):
    """A plan can't list its calls, or give what they answered; says what is missing and what to do."""


class Foreseen(NamedTuple):
    """All calls of a plan; `n_waiting` of them hold stand-ins for answers that are not there yet."""

    calls: list[Call]
    n_waiting: int
