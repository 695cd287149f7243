"""What the report reads: the marts it needs and their columns, taken from the published file in one sitting.

Belongs here: the list of tables and columns, the read-only connection, and the states of slices.
Does not belong here: wording, order or layout (labels.py, pages/).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd

from dagster_project.report.queries import NARROWED

SCOPE = ("scope_type", "scope")
ESTIMATE = ("mean_log", "q025_log", "q975_log")
# table -> (slice that fills it, columns the pages use); the mart contract has more columns, which travel in the CSV
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "refresh": (
        "",
        ("refresh_id", "started_at", "finished_at", "sources", "is_synthetic", "seed", "git_commit"),
    ),
    "slice_status": ("", ("slice", "status", "reason")),
    "policy": (
        "suitability",
        ("policy", "power", "sharpness", "weighting", "importance_type", "weight_uncertainty")
        + ("is_default",),
    ),
    "reject": ("", ("table_name", "column_name", "reason")),
    "ai_system": (
        "capability",
        ("system", "name", "developer", "released_on", "kind", "n_items", "n_unscored") + ("accuracy",),
    ),
    "capability": ("battery", ("capability", "name", "definition", "dimension", "is_retained")),
    "dimension": ("battery", ("dimension", "name", "definition", "n_capabilities")),
    "benchmark": ("battery", ("benchmark", "system", "n_items", "n_valid_items", "join_coverage_share")),
    "capability_profile": (
        "capability",
        ("system", "dimension", *ESTIMATE, "rhat", "ess_bulk", "contraction"),
    ),
    "system_profile": (
        "capability",
        ("system", "n_items", "accuracy", "mean_log", "mean_sd_log", "rhat_max", "ess_bulk_min")
        + ("effective_dimensions", "mean_abs_correlation", "is_at_ceiling", "is_at_floor", "is_thin")
        + ("is_no_better_than_chance",),
    ),
    "fit_diagnostic": (
        "capability",
        ("fit", "engine", "khat_max", "n_chains", "n_draws", "n_divergent", "rhat_max", "ess_bulk_min")
        + ("is_converged",),
    ),
    "respondent_flow": (
        "work",
        ("source", "domain", "n_preview", "n_test", "n_spam", "n_started", "n_in_domain")
        + ("n_removed_incomplete", "n_removed_quiz", "n_removed_speed", "n_removed_unknown", "n_kept"),
    ),
    "activity_importance": (
        "work",
        (*SCOPE, "activity", "importance", "hours_per_week", "n_selected", "n_ranked")
        + ("n_respondents", "n_domains", "is_absent", "is_thin", "is_suppressed"),
    ),
    "capability_importance": (
        "work",
        (*SCOPE, "activity", "capability", "points", "n_raters", "is_thin", "is_suppressed"),
    ),
    "suitability": (
        "suitability",
        (
            *SCOPE,
            "activity",
            "system",
            "policy",
            *ESTIMATE,
            "is_best_probability",
            "is_thin",
            "is_suppressed",
        ),
    ),
    "suitability_pooled": (
        "suitability",
        (*SCOPE, "activity", "policy", *ESTIMATE, "is_thin", "is_suppressed"),
    ),
    "published_comparison": (
        "",
        ("paper", "table_name", "row_name", "column_name", "published", "computed", "tolerance", "status")
        + ("note",),
    ),
}
# marts that a section can do without: it then says why it is empty
OPTIONAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "posterior_correlation": ("capability", ("system", "dimension_a", "dimension_b", "r")),
    "item_prediction_quality": (
        "capability",
        ("system", "benchmark", "n_items", "observed", "predicted", "brier", "auroc"),
    ),
    "reliability": ("capability", ("system", "bin", "n_items", "predicted", "observed")),
    "characteristic_curve": (
        "capability",
        ("system", "dimension", "level", "n_items", "observed", "predicted", "q025", "q975"),
    ),
    "capability_adoption": (
        "agentic",
        ("occupation", "title", "system", "n_automation", "n_augmentation", "n_tasks", "n_servers")
        + tuple(
            f"{s}_{c}" for s in ("automation", "augmentation", "usage") for c in ("share", "q025", "q975")
        ),
    ),
    "scenario_score": ("agentic", ("system", "mode", "measure", "score", "n_tools")),
    "occupation_capability": (
        "agentic",
        ("occupation", "title", "system", "mode", "mean_tool_accuracy", "mean_tool_accuracy_by_code")
        + ("mean_workflow", "mean_autonomy", "mean_grounding", "mean_followup"),
    ),
    "agent_error": (
        "agentic",
        ("system", "mode", "category", "name", "category_order", "n", "n_of", "of_what", "share"),
    ),
    "agent_repeat": ("agentic", ("system", "mode", "measure", "k", "pass_all_share", "n_scenarios")),
    "single_multi_pair": (
        "agentic",
        ("pair", "system", "measure", "single_score", "multi_score", "difference"),
    ),
    "tool_count_correlation": (
        "agentic",
        ("system", "mode", "measure", "tool_count", "spearman_rho", "p_value", "n_scenarios"),
    ),
    "item_influence": (
        "capability",
        ("system", "rank", "benchmark", "item", "score", "dimension", "shift_sd"),
    ),
    "recovery_dimension": (
        "battery",
        ("run", "tau", "intercept", "dimension", "n_runs", "r", "contraction", "mae"),
    ),
    "recovery_summary": (
        "battery",
        ("run", "tau", "intercept", "n_runs", "n_agents", "n_items", "shape_r", "level_r", "level_slope")
        + ("effective_dimensions", "mean_abs_correlation", "worst_contraction", "suitability_rho")
        + ("suitability_pairwise_accuracy",),
    ),
    "calibration": (
        "battery",
        ("dimension", "level", "coverage_share", "expected_low", "expected_high", "n_fits", "uniformity_p"),
    ),
    "calibration_rank": ("battery", ("dimension", "bin", "n_fits", "expected_low", "expected_high")),
    "propensity": (
        "propensity",
        ("system", "propensity", "incitation", "estimate", "q025", "q975", "n_items", "n_uninformative")
        + ("is_saturated", "is_ambiguous", "success_share"),
    ),
    "steerability": (
        "propensity",
        ("system", "propensity", "pearson_r", "gain", "unprompted_estimate", "n_levels", "n_saturated")
        + ("n_ambiguous", "is_unprompted_saturated", "is_unprompted_ambiguous", "is_complete"),
    ),
    "propensity_surface": (
        "propensity",
        ("system", "propensity", "incitation", "middle", "width", "n_items", "observed_share")
        + ("fitted_share",),
    ),
    "assessor_gain": (
        "propensity",
        ("regime", "baseline", "augmented", "mean_delta", "wilcoxon_p", "n_systems")
        + ("augmented_ultracrepidarianism", "mean_delta_ultracrepidarianism")
        + ("wilcoxon_p_ultracrepidarianism", "n_withheld", "missing_share")
        + ("missing_share_ultracrepidarianism",),
    ),
    "propensity_pair": (
        "propensity",
        ("system_a", "system_b", "propensity", "estimate_a", "estimate_b", "capability_difference")
        + ("capability_sd", "is_equal_capability", "is_flagged", "is_as_predicted")
        + tuple(
            f"{kind}_{system}_where_{favoured}_favoured"
            for kind in ("predicted", "observed")
            for system in "ab"
            for favoured in "ab"
        ),
    ),
    "chat_funnel": (
        "adoption",
        ("stage", "stage_order", "n_chats", "share_of_previous", "n_unknown", "status", "method", "note"),
    ),
    "occupation_adoption": (
        "adoption",
        ("occupation", "title", "n_chats", "chat_share", "chat_share_q025", "chat_share_q975")
        + ("employment_share", "representation_ratio", "chat_weight_per_million_workers", "n_tasks")
        + ("n_tasks_seen", "median_wage", "is_suppressed"),
    ),
    "major_group_adoption": (
        "adoption",
        ("country", "major_group", "name", "n_chats", "chat_share", "employment_share")
        + ("representation_ratio", "is_suppressed"),
    ),
    "adoption_depth": (
        "adoption",
        ("min_chats", "task_share", "occupation_share", "occupation_share_q025", "occupation_share_q975")
        + ("is_suppressed",),
    ),
    "skill_usage": ("adoption", ("skill", "n_chats", "share", "is_suppressed")),
    "work_activity_usage": (
        "adoption",
        ("level", "activity_id", "name", "n_chats", "share", "is_suppressed"),
    ),
    "match_floor": ("adoption", ("embedder", "match_floor", "n_chats", "share")),
    "embedder_validation": ("adoption", ("embedder", "has_root", "pearson_r", "n_pairs")),
    "index_comparison": (
        "adoption",
        ("index", "level", "n", "spearman", "spearman_weighted", "n_by_nearest", "n_unmatched"),
    ),
    "index_unmatched": ("adoption", ("index", "level", "unit")),
    "tournament_rank": (
        "assistance",
        (
            "task",
            "mode",
            "candidate",
            "mean_rank",
            "rank",
            "rank_scaled",
            "bt_rank",
            "n_runs",
            "n_comparisons",
        )
        + ("n_missing", "n_leaking", "n_one_seat"),
    ),
    "tournament_overall": (
        "assistance",
        ("mode", "candidate", "mean_rank", "se_rank", "rank", "win_share", "rank_scaled", "bt_rank")
        + ("bt_log_strength", "bt_low", "bt_high", "is_unaided", "warning", "rank_by_mean", "n_tasks")
        + ("n_tasks_missing", "behind_unaided", "behind_unaided_se"),
    ),
    "role_choice": (
        "assistance",
        ("task", "best_doer", "best_helper", "is_help_better_probability", "regret", "regret_win_share")
        + ("regret_q025", "regret_q975", "n_best_doers", "n_best_helpers", "n_runs"),
    ),
    "mode_correlation": ("assistance", ("task", "spearman_rho", "p_value", "n_candidates")),
    "judge_agreement": (
        "assistance",
        ("scope_type", "scope", "mode", "agreement_share", "krippendorff_alpha", "n_comparisons")
        + ("n_decisions",),
    ),
    "judge_bias": ("assistance", ("judge", "bias", "share", "q025", "q975", "n")),
    "judge_consistency": (
        "assistance",
        ("judge", "mode", "choice_matches_rubric_share", "rubric_win_correlation", "agreement_share")
        + ("flipped_share", "n_both_seats"),
    ),
    "assistance_trait": (
        "assistance",
        ("task", "trait", "spearman_rho", "mean_score_best", "mean_score_worst", "n_texts"),
    ),
    "tournament_flow": (
        "assistance",
        ("n_sent", "n_accepted", "n_rejected", "n_failed", "n_pending", "n_own_family"),
    ),
    "tournament_audit": (
        "assistance",
        ("task", "mode", "run", "judge", "first", "second", "choice", "mean_score_first")
        + ("mean_score_second", "rationale", "output_first", "output_second", "n_characters_first")
        + ("n_characters_second", "assistance_first", "assistance_second", "source_file", "row_number")
        + ("call_id",),
    ),
    "model_comparison": ("capability", ("model",)),
    "importance_agreement": (
        "work",
        ("unit_type", "unit", "cosine", "pearson", "reliability_company", "reliability_online")
        + ("n_company", "n_online", "is_thin"),
    ),
    "importance_reliability": (
        "work",
        ("unit_type", "cosine", "pearson", "pearson_low", "pearson_high", "reliability_company")
        + ("reliability_online", "noise_ceiling", "disattenuated", "n_units", "n_company", "n_online")
        + ("reason",),
    ),
    "domain_importance_agreement": ("work", ("domain_a", "domain_b", "pearson", "is_thin")),
    "domain_departure": ("work", ("domain", "capability", "departure", "n_respondents", "is_thin")),
    "deployment_priority": (
        "suitability",
        (*SCOPE, "activity", "policy", "priority_log", "q025_log", "q975_log", "is_thin", "is_suppressed"),
    ),
    "deployment_quadrant": (
        "suitability",
        (*SCOPE, "activity", "policy", "x_type", "x", "x_border", "suitability_log")
        + ("suitability_border_log", "quadrant", "probability", "is_confident", "is_thin", "is_suppressed"),
    ),
    "ranking_robustness": (
        "suitability",
        ("basis", *SCOPE, "weighting", "activity", "winner", "is_winner_stable", "n_rankings"),
    ),
    "policy_sensitivity": (
        "suitability",
        ("basis", *SCOPE, "weighting", "power", "sharpness", "kendall_tau"),
    ),
    "suitability_sweep": (
        "suitability",
        ("basis", *SCOPE, "weighting", "power", "sharpness", "weight_uncertainty", "activity", "system")
        + ("is_ranked", "mean_s_log", *ESTIMATE, "is_thin", "is_suppressed"),
    ),
    "setting": ("", ("kind", "name", "value", "default_value", "is_default", "meaning")),
    "refresh_step": ("", ("asset", "is_made", "reason", "seconds", "n_rows")),
}
# from so many rows on a mart is no spreadsheet: only the columns above are read, and its Parquet file is the download
LARGE = 5_000


class PublishedFileError(ValueError):
    """The published file lacks what the report needs; the message says which tables or columns."""


@dataclass(frozen=True)
class Published:
    """The published marts as frames, all of one refresh.

    `frames`: mart name -> all its rows and columns, ordered by all columns (same file, same order); of marts of `LARGE`
    rows the columns above only, of those in `queries.NARROWED` what the query there gives.
    `catalogue`: every mart in the file with columns mart, n_rows, description.
    """

    frames: dict[str, pd.DataFrame]
    catalogue: pd.DataFrame

    def __getitem__(self, mart: str) -> pd.DataFrame:
        return self.frames[mart]

    def is_large(self, mart: str) -> bool:
        """Whether `mart` is too long for a CSV file that a spreadsheet opens."""
        n_rows = self.catalogue.loc[self.catalogue["mart"] == mart, "n_rows"]
        return mart in NARROWED or bool((n_rows >= LARGE).any())

    def why_empty(self, mart: str) -> str:
        """One sentence for the reader of a page whose `mart` has no rows, with the slice's own reason."""
        slice_ = (TABLES | OPTIONAL)[mart][0]
        if mart not in set(self.catalogue["mart"]):
            return f"Nothing to show: table {mart} is not in the published file."
        if not slice_:
            return f"Nothing to show: table {mart} is empty."
        rows = self["slice_status"]
        rows = rows[rows["slice"] == slice_]
        if rows.empty:
            return f"Nothing to show: table {mart} is empty, and no status was recorded for slice “{slice_}”."
        status, reason = str(rows.iloc[0]["status"]), rows.iloc[0]["reason"]
        because = f": {reason}" if pd.notna(reason) and str(reason).strip() else " (no reason was recorded)"
        if status.lower() == "skipped":
            return f"Skipped in this refresh: slice “{slice_}”{because}"
        state = status.replace("_", " ")
        return f"Nothing to show: table {mart} is empty although slice “{slice_}” is “{state}”{because}"


def read_published(database: Path) -> Published:
    """All marts the report needs from the published DuckDB file, opened read-only and closed again.

    Raises:
        FileNotFoundError: no file there.
        PublishedFileError: a needed mart or column is missing, all of them named.
    """
    if not database.is_file():
        raise FileNotFoundError(f"{database} does not exist: run `suitability refresh` first")
    with duckdb.connect(str(database), read_only=True) as connection:
        columns = connection.sql(
            "select table_name, column_name from duckdb_columns()"
            " where schema_name = 'marts' and database_name = current_database()"
        ).df()
        found = columns.groupby("table_name")["column_name"].agg(set).to_dict()
        lacking = [
            f"marts.{mart}" if mart not in found else f"marts.{mart}.{column}"
            for mart, (_, needed) in {**TABLES, **{m: t for m, t in OPTIONAL.items() if m in found}}.items()
            for column in (needed if mart in found else needed[:1])
            if column not in found.get(mart, set())
        ]
        if lacking:
            raise PublishedFileError(
                f"{database} lacks {', '.join(lacking)}, which the report needs: run `suitability refresh`"
            )
        catalogue = connection.sql(
            "select table_name as mart, comment as description from duckdb_tables()"
            " where schema_name = 'marts' and database_name = current_database() order by table_name"
        ).df()
        catalogue["n_rows"] = [
            int(connection.sql(f'select count(*) from marts."{mart}"').fetchall()[0][0])
            for mart in catalogue["mart"]
        ]
        large = set(catalogue.loc[catalogue["n_rows"] >= LARGE, "mart"])
        frames = {}
        for mart, (_, needed) in (TABLES | OPTIONAL).items():
            wanted = ", ".join(needed) if mart in large else "*"
            query = NARROWED.get(mart, f"select {wanted} from marts.{mart} order by all")
            frames[mart] = connection.sql(query).df() if mart in found else pd.DataFrame(columns=list(needed))
    return Published(frames, catalogue)
