"""The public mart contract: names and columns that analysts' SQL relies on. A change here breaks their queries."""

import re

_TEXT = """
refresh: refresh_id, started_at, finished_at, sources, is_synthetic, seed, git_commit, duckdb_version
slice_status: slice, status, reason
policy: policy, power, sharpness, weighting, importance_type, weight_uncertainty, is_default
reject: table_name, source_file, row_number, column_name, value, reason
ai_system: system, name, model, settings, scaffold, developer, family, released_on, kind, n_items, n_unscored,
    accuracy
capability: capability, name, family, definition, dimension, is_retained
dimension: dimension, name, definition, n_capabilities
benchmark: benchmark, system, n_items, n_valid_items, n_results, join_coverage_share
rater_agreement: rater_a, rater_b, capability, spearman_rho, weighted_kappa, mean_absolute_error,
    within_one_share, n_items, is_retained
rater_agreement_overall: capability, n_raters, n_items, krippendorff_alpha, mean_spearman_rho,
    mean_weighted_kappa, is_retained
annotation: rater, capability, source, model, mode, rubric_version, prompt_version, is_used, n_cells, n_rated,
    n_blank, n_unparsed, n_refused, n_failed, n_pending
annotation_mode_agreement: rater, capability, spearman_rho, weighted_kappa, within_one_share, n_items
battery_selection: benchmark, n_available, n_selected, n_proportional, selection_sha256, relaxed
battery_selection_item: benchmark, item, is_rated, selection_sha256
battery_selection_level: capability, level, target_share, expected_share, achieved_share, proportional_share
battery_sample: benchmark, item, is_rated
excluded_item: benchmark, item, reason
exclusion_effect: system, dimension, mean_log_without, mean_log_with, difference_sd
item_text_drift: benchmark, item, text_key, n_texts
demand_level: dimension, level, n_items, share_of_active, coverage_share
capability_profile: system, dimension, mean_log, sd_log, q025_log, q975_log, rhat, ess_bulk, contraction,
    max_abs_correlation
system_profile: system, n_items, accuracy, mean_log, mean_sd_log, rhat_max, ess_bulk_min,
    effective_dimensions, mean_abs_correlation, condition_number
fit_diagnostic: fit, engine, khat_max, n_chains, n_draws, n_divergent, rhat_max, ess_bulk_min, alpha_mean,
    alpha_sd, is_converged
respondent_flow: source, domain, n_started, n_in_domain, n_removed_incomplete, n_removed_quiz,
    n_removed_speed, n_kept
activity_importance: scope_type, scope, activity, importance, conditional_importance, hours_per_week,
    n_selected, is_absent, n_respondents, is_thin, is_suppressed
capability_importance: scope_type, scope, activity, capability, points, points_if_selected, n_raters,
    n_selected, n_respondents, is_thin, is_suppressed
importance_agreement: unit_type, unit, cosine, pearson
importance_reliability: unit_type, cosine, pearson, pearson_low, pearson_high, reliability_company,
    reliability_online, noise_ceiling, disattenuated
domain_importance_agreement: domain_a, domain_b, pearson
domain_departure: domain, capability, departure
suitability: scope_type, scope, activity, system, policy, weighting, power, sharpness, weight_uncertainty,
    mean_log, sd_log, q025_log, q975_log, is_best_probability, n_respondents, is_thin, is_suppressed
suitability_pooled: scope_type, scope, activity, policy, weighting, power, sharpness, weight_uncertainty,
    mean_log, sd_log, q025_log, q975_log, n_respondents, is_thin, is_suppressed
deployment_priority: scope_type, scope, activity, policy, weighting, importance_type, priority_log,
    q025_log, q975_log, n_respondents, is_thin, is_suppressed
deployment_quadrant: scope_type, scope, activity, policy, x_type, x, suitability_log, quadrant, probability,
    is_confident, n_respondents, is_thin, is_suppressed
suitability_sweep: basis, scope_type, scope, weighting, power, sharpness, weight_uncertainty, activity, system,
    is_ranked, mean_s_log, mean_log, q025_log, q975_log, n_respondents, is_thin, is_suppressed
ranking_robustness: basis, scope_type, scope, weighting, activity, n_pairs, winner, is_winner_stable,
    n_rankings, n_invariant_pairs, n_separated_pairs_fixed_weights, n_separated_pairs, n_respondents, is_thin,
    is_suppressed
policy_sensitivity: basis, scope_type, scope, weighting, power, sharpness, kendall_tau, n_respondents, is_thin,
    is_suppressed
propensity: system, propensity, incitation, estimate, se, q025, q975, n_items, n_uninformative, is_saturated,
    success_share
steerability: system, propensity, pearson_r, unprompted_estimate, n_levels, n_saturated, n_ambiguous, is_complete
propensity_pair: system_a, system_b, propensity, capability_difference, capability_sd, is_equal_capability, estimate_a,
    estimate_b, is_flagged, is_as_predicted
propensity_surface: system, propensity, incitation, middle, width, n_items, observed_share, fitted_share
assessor: system, incitation, regime, feature_set, auroc, n_items
assessor_gain: regime, baseline, augmented, mean_delta, wilcoxon_p, n_systems, augmented_ultracrepidarianism,
    mean_delta_ultracrepidarianism, wilcoxon_p_ultracrepidarianism
assessor_gain_system: regime, system, feature_set, baseline, augmented, delta, n_incitations
tournament_rank: task, mode, candidate, mean_rank, se_rank, rank, win_share, n_runs, mean_rank_scaled,
    score_rank, n_missing, n_leaking, warning
tournament_overall: mode, candidate, mean_rank, se_rank, rank, rank_by_mean, mean_rank_scaled, bt_log_strength, bt_low,
    bt_high, n_tasks, n_tasks_missing, n_missing, behind_unaided, behind_unaided_se, warning
tournament_best: task, mode, candidate, mean_rank, se_rank, is_unaided, lead_rank, n_best
tournament_flow: origin, task, mode, judge, n_sent, n_accepted, n_rejected, n_failed, n_pending, n_own_family
tournament_missing: task, mode, run, judge, candidate_a, candidate_b, reason
tournament_audit: task, mode, run, judge, first, second, choice, mean_score_first, mean_score_second, rationale,
    output_first, output_second, assistance_first, assistance_second
role_choice: task, best_doer, best_helper, is_help_better_probability, regret, regret_q025, regret_q975,
    n_best_doers, n_best_helpers
mode_correlation: task, spearman_rho, p_value, n_candidates
scenario_score: scenario, pair, occupation, system, mode, measure, score, complete_share, n_runs, n_scored, n_unjudged,
    n_unscored, n_out_of_budget, n_tools, n_tools_offered
scenario_fault: scenario, check_name, place, value, reason, is_blocking
tool_score: scenario, system, mode, run, tool, score, n_expected, n_called, how, reason
occupation_capability: occupation, title, system, mode, n_scenarios, complete_share, mean_tool_accuracy, mean_grounding
agent_error: system, mode, measure, category, n, n_of, of_what, share, n_unclassed
agent_repeat: system, mode, measure, k, pass_all_share, n_scenarios
agent_cost: scenario, system, mode, n_runs, mean_input_tokens, mean_output_tokens, mean_cost, mean_seconds
single_multi_pair: pair, system, measure, single_score, multi_score, difference
tool_count_correlation: system, mode, measure, tool_count, spearman_rho, p_value, n_scenarios
capability_adoption: occupation, title, system, automation_share, augmentation_share, usage_share
tool_server: server, transport, n_tools, n_passed, status, reason, is_stateful
server_match: task_text_id, task, server, cosine
server_match_floor: floor, n_tasks, n_tasks_matched, task_share, n_servers, n_servers_matched, server_share, n_pairs
commodity_match: commodity_code, commodity_title, has_examples, server, cosine
commodity_coverage: servers, has_examples, floor, n_commodities, n_covered, covered_share, n_servers, n_used,
    used_share
tool_test: server, tool, status, reason
judge_agreement: scope_type, scope, mode, agreement_share, krippendorff_alpha, n_comparisons, n_decisions
judge_bias: judge, bias, share, q025, q975, n, interval
judge_consistency: judge, mode, choice_matches_rubric_share, rubric_win_correlation, agreement_share, flipped_share
criterion_validity: judge, family, recovered_share, n_recovered, n_comparisons
assistance_trait: task, trait, spearman_rho, p_value, mean_score, mean_score_best, mean_score_worst, n_texts
llm_usage: run, role, model, n_calls, n_answered, n_unparsed, n_refused, n_failed, input_tokens, output_tokens, cost
chat_funnel: stage, stage_order, n_chats, share_of_previous, n_unknown, status, method, note
chat_log: source_file, form, n_rows, n_unusable, n_cut, n_masked, n_no_country, n_language_disputed, first_at,
    last_at
match_floor: embedder, weights_sha256, match_floor, n_chats, share
occupation_adoption: occupation, title, major_group, n_chats, chat_weight, chat_share, chat_share_q025,
    chat_share_q975, employment_share, representation_ratio, chat_weight_per_million_workers, n_tasks,
    n_tasks_seen, seen_share, median_wage, is_suppressed
major_group_adoption: country, major_group, name, n_chats, chat_share, employment_share, representation_ratio,
    is_suppressed
adoption_depth: min_chats, task_share, occupation_share, occupation_share_q025, occupation_share_q975,
    n_occupations, is_suppressed
skill_usage: skill, skill_id, n_chats, share, is_suppressed
embedder_validation: embedder, weights_sha256, has_root, pearson_r, n_pairs, sampling
index_comparison: index, level, our_measure, n, spearman, spearman_weighted, weighted_by, n_chats, n_given,
    n_by_nearest, n_unmatched
index_unmatched: index, level, unit, text, value, value_share, nearest_text, score, looked_for
work_activity_usage: level, activity_id, name, n_chats, share, is_suppressed
item_prediction_quality: system, benchmark, observed, predicted, brier, auroc
published_comparison: paper, table_name, row_name, column_name, published, computed, difference, digits, tolerance,
    unit, status, note
"""

CONTRACT: dict[str, set[str]] = {
    mart: set(re.findall(r"\w+", columns))
    for mart, columns in re.findall(r"^(\w+):((?:.|\n {4})+)", _TEXT, re.MULTILINE)
}
