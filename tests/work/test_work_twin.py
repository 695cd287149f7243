"""The slice's marts against a brute-force twin on a messy survey, and on no survey at all."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from functools import partial
from pathlib import Path

import duckdb
import jinja2
import pandas as pd
import pytest

from assets.settings import PROJECT
from dagster_project.resources import DuckDBWarehouse
from tests.support.work.agreement_twin import AgreementTwin
from tests.support.work.compare import ACTIVITY, CAPABILITY, FLOW, assert_same, rows
from tests.support.work.interview_twin import InterviewTwin
from tests.support.work.messy_interviews import NOBODY, write_messy_interviews
from tests.support.work.messy_survey import write_messy_survey
from tests.support.work.respondent_twin import Twin, shown_company
from tests.support.work.slice_build import LAYERS, build, recompute, recount

DROPPED = ("AaIC", "ProsM")
AGREEMENT = ["cosine", "pearson", "n_company", "n_online", "is_thin"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def sources(home: Path) -> Path:
    write_messy_survey(home / "sources")
    write_messy_interviews(home / "sources")
    return home / "sources"


@pytest.fixture(scope="module")
def warehouse(home: Path, sources: Path) -> DuckDBWarehouse:
    return build(home, sources, dropped=DROPPED)


@pytest.fixture(scope="module")
def twin(sources: Path) -> Twin:
    return Twin(sources, DROPPED, also_spelled=("Acme", "ACME", "Zo\u00eb & Co", "Only here"))


@pytest.fixture(scope="module")
def interviews(sources: Path, twin: Twin) -> InterviewTwin:
    return InterviewTwin(sources, DROPPED, partial(shown_company, twin.spellings))


def test_flow_counts_each_respondent_once(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    found = rows(warehouse.read("marts.respondent_flow"), ["source", "domain"], FLOW)
    assert_same(found, {key: tuple(counts) for key, counts in twin.flow.items()})
    removed = Counter({name: sum(counts[FLOW.index(name)] for counts in found.values()) for name in FLOW})
    assert min(removed.values()) > 0, "the messy survey must have somebody in every branch"


def test_activity_importance(warehouse: DuckDBWarehouse, twin: Twin, interviews: InterviewTwin) -> None:
    expected = twin.activity_importance() | interviews.activity_importance()
    keys = ["scope_type", "scope", "activity"]
    assert_same(rows(warehouse.read("marts.activity_importance"), keys, ACTIVITY), expected)
    n, is_absent = ACTIVITY.index("n_respondents"), ACTIVITY.index("is_absent")
    assert expected["domain", "HSC", "Admin"][n] == 1, "one domain has one respondent"
    assert all(row[is_absent] for key, row in expected.items() if key[2] == "Listening"), "nobody chose it"
    counts = [(row, [int(str(n)) for n in row[3:6]]) for row in expected.values() if row[-1] is None]
    few = [row for row, (chosen, *answers) in counts if chosen >= 5 and 0 < min(answers) < 5]
    assert any(row[0] is None for row in few) and any(row[2] is None for row in few), "ranked by too few"
    # scope all is not the pooled mean: Coding occurs in one domain and keeps that domain's importance
    assert expected["all", "all", "Coding"][0] == expected["domain", "NDP", "Coding"][0]


def test_capability_importance(warehouse: DuckDBWarehouse, twin: Twin, interviews: InterviewTwin) -> None:
    keys = ["scope_type", "scope", "activity", "capability"]
    frame = warehouse.read("marts.capability_importance")
    assert_same(
        rows(frame, keys, CAPABILITY), twin.capability_importance() | interviews.capability_importance()
    )
    assert not set(frame["capability"]) & set(DROPPED) and "Listening" not in set(frame["activity"])
    assert (frame["is_suppressed"] == frame["suppression"].notna()).all()
    few = frame[frame["n_selected"].isna()]
    assert len(few) and few["points"].notna().all() and few["points_if_selected"].isna().all()


def test_companies_are_one_whatever_their_case_and_small_ones_are_withheld(
    warehouse: DuckDBWarehouse,
) -> None:
    mart = warehouse.read("marts.activity_importance").query("scope_type == 'company'")
    assert set(mart["scope"]) == {"ACME", "TINY", "Wide", "Zo\u00eb & Co"}
    tiny = mart[mart["scope"] == "TINY"]
    assert len(tiny) == 18 and tiny["is_suppressed"].all() and (tiny["n_respondents"] <= 2).all()
    assert tiny["n_selected"].sum() > 0
    of_many = mart[mart["n_respondents"] >= 5]
    assert set(of_many["suppression"].fillna("")) == {"", "few_respondents", "complement"}
    assert not of_many.loc[of_many["is_absent"], "is_suppressed"].any()


def test_no_withheld_company_follows_from_a_source(warehouse: DuckDBWarehouse) -> None:
    """What a source leaves once its published companies are subtracted rests on at least five people."""
    mart = warehouse.read("marts.activity_importance")
    source = mart.query("scope_type == 'source' and scope == 'companies'").set_index("activity")["n_selected"]
    respondents = warehouse.read("intermediate.int_respondent_qc").query("is_kept")
    inside = respondents.groupby("company")["source"].agg(set)
    names = [company for company in inside.index if inside[company] == {"companies"}]
    companies = mart[(mart["scope_type"] == "company") & mart["scope"].isin(names)]
    published = companies[~companies["is_suppressed"]].groupby("activity")["n_selected"].sum()
    withheld = companies[companies["is_suppressed"]].groupby("activity")["n_selected"].sum()
    some = withheld[withheld > 0].index.intersection(published[published > 0].index)
    left = source[some] - published[some]
    assert len(some) > 5 and (left >= 5).all()


def test_means_over_domains_say_nothing_of_withheld_ones(warehouse: DuckDBWarehouse) -> None:
    """Beside the pooled sums that sources publish they would be a second equation for two withheld domains."""
    mart = warehouse.read("marts.activity_importance")
    domains = mart[mart["scope_type"] == "domain"].groupby("activity")
    whole = mart[mart["scope_type"] == "all"].set_index("activity")
    for column in ("importance", "hours_per_week"):
        shown = whole[column].dropna()
        pd.testing.assert_series_equal(shown, domains[column].mean()[shown.index], check_names=False)
    n_withheld = domains["is_suppressed"].sum()
    assert (n_withheld[whole.index[whole["importance"].notna()]] >= 2).sum() >= 3, "or nothing was tried"


def test_a_small_company_alone_in_its_file_is_withheld_in_every_scope(
    warehouse: DuckDBWarehouse, tmp_path: Path
) -> None:
    qc = warehouse.read("intermediate.int_respondent_qc")
    three = qc[qc["is_kept"] & (qc["company"] == "ACME") & (qc["source"] == "companies")].head(3)
    assert len(three) == 3
    counted = recount(tmp_path, warehouse, three)
    of_survey = "scope_type not in ('role', 'duty')"
    activity = counted.read("marts.activity_importance").query(of_survey)
    capability = counted.read("marts.capability_importance").query(of_survey)
    assert set(activity["scope_type"]) == {"all", "domain", "source", "company"}
    assert activity["n_selected"].max() > 0 and len(capability) > 0
    values = ["importance", "conditional_importance", "hours_per_week"]
    assert activity[values].isna().all(axis=None)
    assert capability[["points", "points_if_selected"]].isna().all(axis=None)
    suppression = counted.read("intermediate.int_cell_suppression").query(of_survey)
    selected = activity.loc[~activity["is_absent"], ["scope_type", "scope", "activity"]]
    assert selected.merge(suppression)["suppression"].notna().all(), "suitability is withheld by this column"


def test_interviews_are_counted_with_what_they_lost(
    warehouse: DuckDBWarehouse, interviews: InterviewTwin, sources: Path
) -> None:
    keys = ["scope_type", "scope", "activity"]
    columns = ["n_started", "n_respondents", "n_rejected", "n_points_not_100", "points_not_retained"]
    found = rows(warehouse.read("marts.interview_flow"), keys, columns)
    assert_same(found, interviews.flow)
    assert max(row[1] for row in found.values()) >= 3 and max(row[4] or 0 for row in found.values()) > 0
    assert found["duty", f"ACME: {NOBODY[1]}", NOBODY[2]][:2] == (9, 0), "named by all, rated by none"
    rejects = warehouse.read("staging.stg_interview_reject")
    assert set(zip(rejects["source_file"], rejects["row_number"], strict=True)) == interviews.rejects
    assert set(rejects["reason"]) == {
        *("not a number", "below the allowed range", "above the allowed range", "unknown capability"),
        "the capability stands more than once in this interview",
    }
    flags = warehouse.read("intermediate.int_interview_flag")
    assert set(flags["flag"]) == {"points_not_100", "no_usable_points"}


def test_interviewees_count_in_no_other_scope(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    frame = warehouse.read("marts.activity_importance").query("scope_type == 'all'")
    assert set(frame["n_respondents"]) == {len(twin.scopes["all", "all"])}
    assert "Only here" not in set(warehouse.read("intermediate.int_survey_scope")["scope"])


def test_nothing_typed_reaches_a_mart_but_labels(warehouse: DuckDBWarehouse, sources: Path) -> None:
    """Planted in columns of no use, in capability and in points: none of it is anywhere in the warehouse."""
    typed = "\n".join(path.read_text("utf-8-sig") for path in (sources / "survey" / "interviews").iterdir())
    planted = ("planted name", "jane@example.invalid", "Juggling", "too many")
    assert all(word in typed for word in planted)
    with warehouse.connect() as connection:
        tables = connection.sql("select schema_name, table_name from duckdb_tables()").fetchall()
        text = "\n".join(
            connection.sql(f"select * from {schema}.{name}").df().to_csv()
            for schema, name in tables
            if schema in ("raw", *LAYERS)
        )
    assert [word for word in planted if word in text] == []


def test_agreement_of_company_and_online(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    expected = AgreementTwin(twin).units()
    found = rows(warehouse.read("marts.importance_agreement"), ["unit_type", "unit"], AGREEMENT)
    assert_same(found, expected)
    assert expected["activity", "Listening"] == (None, None, 0, 0, True), "nobody chose it"
    assert len(expected) == 18 + 16


def test_mean_agreement(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    """Table B4's first two columns; its other columns are held against enumerations in test_reliability.py."""
    found = rows(warehouse.read("marts.importance_reliability"), ["unit_type"], ["cosine", "pearson"])
    assert_same(found, AgreementTwin(twin).means())


def test_domains_are_compared_cell_by_cell(warehouse: DuckDBWarehouse, twin: Twin) -> None:
    agreement = AgreementTwin(twin)
    marts = warehouse.read("marts.domain_importance_agreement"), warehouse.read("marts.domain_departure")
    assert_same(rows(marts[0], ["domain_a", "domain_b"], ["pearson", "cosine"]), agreement.domain_pairs())
    assert_same(rows(marts[1], ["domain", "capability"], ["departure"]), agreement.departures())
    assert len(marts[0]) == 15 and len(marts[1]) == 6 * 16
    assert set(marts[1].loc[marts[1]["is_thin"], "domain"]) == {"HSC"}, "one respondent alone"
    assert set(marts[1].loc[marts[1]["points"] == 0, "domain"]) == {"HSC"}, "withheld whole"
    assert {domain for domain, _ in agreement.withheld} > {"HSC"}, "others in part"


@pytest.fixture(scope="module")
def answers(warehouse: DuckDBWarehouse) -> pd.DataFrame:
    return warehouse.read("intermediate.int_importance_answer")


def test_shuffled_respondents_under_other_ids_give_the_same_bytes(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    others = answers.sample(frac=1, random_state=3)
    others["respondent"] = [respondent[::-1] for respondent in others["respondent"]]
    again = recompute(tmp_path, warehouse, others)
    for name, keys in (
        ("importance_agreement", ["unit_type", "unit"]),
        ("importance_reliability", ["unit_type"]),
        ("domain_importance_agreement", ["domain_a", "domain_b"]),
        ("domain_departure", ["domain", "capability"]),
    ):
        first, second = (w.read(f"marts.{name}").sort_values(keys) for w in (warehouse, again))
        pd.testing.assert_frame_equal(
            first.reset_index(drop=True), second.reset_index(drop=True), check_exact=True
        )


def test_one_source_only_has_nothing_to_agree_with(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    alone = recompute(tmp_path, warehouse, answers.query("recruitment == 'online'"))
    assert alone.read("marts.importance_agreement").empty
    assert alone.read("marts.importance_reliability").empty
    assert not alone.read("marts.domain_departure").empty


def test_one_company_respondent_has_an_agreement_but_no_reliability(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    company = answers.loc[answers["recruitment"] == "company", "respondent"]
    few = answers[(answers["recruitment"] == "online") | (answers["respondent"] == company.iloc[0])]
    mart = recompute(tmp_path, warehouse, few).read("marts.importance_reliability")
    assert mart["n_company"].tolist() == [1, 1] and mart["pearson"].notna().all()
    unknown = ["pearson_sd", "pearson_low", "pearson_high", "reliability_company", "noise_ceiling"]
    assert mart[[*unknown, "disattenuated"]].isna().all(axis=None)
    assert mart["reliability_online"].between(0, 1).all()
    assert set(mart["reason"]) == {"a sample of one respondent can be neither split nor resampled"}


def test_a_domain_without_respondents_is_absent_and_a_capability_nobody_picked_has_no_agreement(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    changed = answers[answers["domain"] != "NDP"].copy()
    changed.loc[changed["capability"] == "MC", "points"] = 0.0
    built = recompute(tmp_path, warehouse, changed)
    departures = built.read("marts.domain_departure")
    assert set(departures["domain"]) == {"WL", "MMR", "AOP", "CMH", "HSC"}
    assert math.isclose(departures["departure"].sum(), 0, abs_tol=1e-9)
    assert len(built.read("marts.domain_importance_agreement")) == 10
    unit = built.read("marts.importance_agreement").set_index("unit").loc["MC"]
    assert unit[["cosine", "pearson", "reliability_company", "reliability_online"]].isna().all()
    assert unit["n_company"] == unit["n_online"] == 0
    mart = built.read("marts.importance_reliability").set_index("unit_type")
    assert mart["n_units"].to_dict() == {"capability": 16, "activity": 18}
    # nobody chose Listening, and Coding occurs in NDP alone
    assert mart["n_units_cosine"].to_dict() == {"capability": 15, "activity": 16}
    assert mart["pearson_low"].notna().all() and mart["reason"].isna().all()


def test_perfect_agreement_is_never_infinite(
    warehouse: DuckDBWarehouse, answers: pd.DataFrame, tmp_path: Path
) -> None:
    """Everybody says what the first online respondent says: no correlation has a Fisher z."""
    online = answers[answers["recruitment"] == "online"]
    one = online[online["respondent"] == online["respondent"].iloc[0]]
    same = [
        one.assign(respondent=f"{recruitment}{i}", recruitment=recruitment)
        for recruitment in ("company", "online")
        for i in range(3)
    ]
    built = recompute(tmp_path, warehouse, pd.concat(same))
    agreement, mart = built.read("marts.importance_agreement"), built.read("marts.importance_reliability")
    assert (agreement["pearson"].dropna() > 1 - 1e-12).all() and agreement["pearson"].notna().any()
    assert agreement[["reliability_company", "reliability_online"]].isna().all(axis=None)
    assert mart[["pearson", "pearson_low", "noise_ceiling", "disattenuated"]].isna().all(axis=None)
    assert set(mart["reason"]) == {"in no unit do both samples vary and agree less than perfectly"}


def test_what_cannot_be_used_is_listed_where_it_stood(warehouse: DuckDBWarehouse, sources: Path) -> None:
    """Every rejected value is the file's own cell at that row and column, and each kind of fault is met."""
    frames = {
        f"survey/{path.name}": pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        for path in (sources / "survey").glob("*.csv")
    }
    rejects = warehouse.read("staging.stg_survey_reject")
    for reject in rejects.to_dict("records"):
        cell = frames[reject["source_file"]].loc[reject["row_number"] - 2, reject["column_name"]]
        is_code = re.fullmatch(r"[\d.,\s+-]*", str(cell))
        assert reject["value"] == (str(cell).strip() if is_code else "(withheld: not a code)")
    assert set(rejects["reason"]) == {
        *("not a number", "not a whole number", "below the allowed range", "above the allowed range"),
        *("unknown domain", "list holds an unknown or repeated code"),
    }


def test_odd_answers_are_flagged_and_kept(warehouse: DuckDBWarehouse) -> None:
    flags = warehouse.read("intermediate.int_survey_flag")
    kept = warehouse.read("intermediate.int_respondent_qc").query("is_kept")
    assert set(flags["respondent"]) <= set(kept["respondent"]) and set(flags["rule"]) == {"kept"}
    assert flags["flag"].nunique() == 7


def test_exact_avg_is_the_same_in_any_order_of_rows() -> None:
    """Rows come in an order of hashes, which differ between homes; a plain avg shows it in its last digits."""
    macro = (PROJECT / "dbt" / "macros" / "exact_avg.sql").read_text(encoding="utf-8")
    sql = jinja2.Template(macro + "{{ exact_avg('x') }}").render(
        to_double=lambda text: f"cast({text} as double)"
    )
    rng = random.Random(1)
    hours = [rng.randint(1, 1680) / 10 for _ in range(200)]
    means: list[tuple[float, float]] = []
    with duckdb.connect() as connection:
        for _ in range(20):
            rng.shuffle(hours)
            connection.execute("create or replace table t as select unnest(?::double[]) as x", [hours])
            means += connection.sql(f"select {sql}, avg(x) from t").fetchall()
    assert len({exact for exact, _ in means}) == 1 < len({plain for _, plain in means})
    assert math.isclose(means[0][0], math.fsum(hours) / len(hours), rel_tol=1e-15)


def test_no_survey_gives_empty_tables(warehouse: DuckDBWarehouse, home: Path) -> None:
    build(home, None, dropped=DROPPED, with_tests=False)
    with warehouse.connect() as connection:
        tables = connection.sql(
            f"select schema_name || '.' || table_name from duckdb_tables() where schema_name in {LAYERS}"
        ).fetchall()
    of_seeds = {"staging.stg_survey_question", "intermediate.int_capability_retention"}
    names = {name for (name,) in tables} - of_seeds
    assert len(names) == 33 and all(warehouse.read(name).empty for name in names)
