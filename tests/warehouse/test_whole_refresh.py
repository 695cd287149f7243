"""Whole refreshes of the smallest demo by command line: inputs that go and break; a kill, another home (both slow).

The tests run in order: each leaves a good publication behind for the next. Kills at every stage: test_kills.py.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import duckdb
import pytest

from assets.settings import PROJECT
from tests.support.dbt_run import WAREHOUSE_NAME, run_dbt
from tests.support.warehouse.contract import CONTRACT
from tests.support.warehouse.workplace import Workplace

pytestmark = [pytest.mark.refresh, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Workplace:
    """All inputs, refreshed once."""
    workplace = Workplace.of_demo(tmp_path_factory.mktemp("refresh"), dbt_target)
    code, output = workplace.refresh()
    assert code == 0, output
    return workplace


@pytest.fixture(scope="module")
def other(workplace: Workplace, tmp_path_factory: pytest.TempPathFactory, dbt_target: Path) -> Workplace:
    """A second home, and as yet nothing but the survey."""
    folder = tmp_path_factory.mktemp("other")
    shutil.copytree(workplace.sources / "survey", folder / "sources" / "survey")
    shutil.copytree(dbt_target, folder / "home" / "dbt" / "target")
    return Workplace(folder / "home", folder / "sources")


def test_every_contracted_mart_and_column_is_published_with_a_comment(workplace: Workplace) -> None:
    found: dict[str, set[str]] = {}
    for mart, column, comment in workplace.query(
        "select table_name, column_name, comment from duckdb_columns() where schema_name = 'marts'"
    ):
        found.setdefault(mart, set()).add(column)
        assert comment, f"{mart}.{column} has no comment"
    for mart, columns in CONTRACT.items():
        assert columns <= found.get(mart, set()), f"{mart} lacks {columns - found.get(mart, set())}"


def test_a_refresh_leaves_no_temporary_files(workplace: Workplace) -> None:
    assert [path.name for path in workplace.temporary.iterdir()] == []


def test_every_unit_test_of_dbt_passes(workplace: Workplace, tmp_path: Path, dbt_target: Path) -> None:
    """A refresh leaves them out; they need its tables, for these have the columns' types."""
    # on a copy: dbt in this process keeps the file open
    shutil.copy(workplace.home / WAREHOUSE_NAME, tmp_path / WAREHOUSE_NAME)
    run = run_dbt(tmp_path, "test", "-s", "test_type:unit", parsed=dbt_target)
    assert run.success, run.failures
    assert len(run.status) >= 100


def test_each_question_of_the_cookbook_gets_its_answer(workplace: Workplace) -> None:
    asked = (PROJECT / "docs" / "sql.md").read_text(encoding="utf-8").partition("## Ten questions in SQL")[2]
    queries = asked.partition("```sql")[2].partition("```")[0].split(";\n")[:10]
    with duckdb.connect(str(workplace.published), read_only=True) as connection:
        answers = {int(re.search(r"-- (\d+)\.", q)[1]): connection.sql(q).df() for q in queries}  # type: ignore[index]
    assert list(answers) == list(range(1, 11)) and not any(answer.empty for answer in answers.values())
    assert answers[1]["is_best_probability"].between(0, 1).all()
    removed = answers[8].filter(regex="n_removed|n_without|n_kept").sum(axis=1)
    assert (removed == answers[8]["n_started"]).all() and answers[8]["n_without_domain"].sum() > 0
    files = {file for (file,) in workplace.query("select source_file from marts.source_file")}
    assert set(answers[10]["files"].iloc[0].split(", ")) == files and answers[10]["fit"].notna().all()


def test_the_demo_fills_the_comparison_with_other_indices_and_its_part_of_the_report(
    workplace: Workplace,
) -> None:
    found = workplace.query('select "index", level, spearman from marts.index_comparison')
    assert len(found) == 8 and all(rho > 0 for _, _, rho in found)
    assert workplace.query("select count(*) from marts.index_unmatched")[0][0] > 0
    page = (workplace.published.parent / "report" / "adoption.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr>(.*?)</tr>", page.partition("other indices of AI usage")[2], re.DOTALL)
    told = {" ".join(re.sub("<.*?>", " ", row).split()[:2]) for row in rows}
    assert {f"{index} {level}" for index, level, _ in found} <= told
    assert workplace.query("select count(*) from marts.source_file where input = 'comparison'") == [(5,)]


@pytest.mark.slow
def test_a_slice_without_input_is_skipped_with_its_reason(other: Workplace) -> None:
    code, output = other.refresh()
    assert code == 0, output
    status = dict(other.query("select slice, status from marts.slice_status"))
    empty = ("battery", "capability", "suitability", "adoption", "assistance")
    assert {status[name] for name in empty} == {"skipped"}
    assert status["work"] == "filled"
    reason = other.query("select reason from marts.slice_status where slice = 'adoption'")
    assert reason == [("no files in chats, oews, onet",)]
    emptied = ("suitability", "tournament_rank", "tournament_overall", "judge_consistency")
    for mart in (*emptied, "occupation_adoption"):
        assert other.query(f"select count(*) from marts.{mart}") == [(0,)]
    assert other.query("select count(*) from marts.activity_importance")[0][0] > 100


@pytest.mark.slow
def test_another_home_gives_the_same_bytes(workplace: Workplace, other: Workplace) -> None:
    shutil.copytree(workplace.sources, other.sources, dirs_exist_ok=True)
    code, output = other.refresh()
    assert code == 0, output
    assert other.parquet() == workplace.parquet()


@pytest.mark.slow
def test_a_damaged_working_file_is_told_once_and_without_it_all_is_made_anew(workplace: Workplace) -> None:
    good = workplace.parquet()
    working = workplace.home / WAREHOUSE_NAME
    working.write_bytes(b"\x9d" * 100_000)
    code, output = workplace.refresh()
    assert code == 1
    assert output.count("is damaged: delete it") == 1
    assert workplace.parquet() == good
    working.unlink()
    code, output = workplace.refresh()
    assert code == 0, output
    assert workplace.parquet() == good


@pytest.mark.slow
def test_a_kill_leaves_the_last_good_answer_and_the_next_run_gives_the_same_bytes(
    workplace: Workplace,
) -> None:
    good = workplace.parquet()
    # so that the fit has something to do and would change the answer
    results = workplace.sources / "battery" / "results" / "o4-mini.csv"
    whole = results.read_text(encoding="utf-8")
    results.write_text(whole.rsplit("\n", 3)[0] + "\n", encoding="utf-8")
    with workplace.polled() as seen:
        workplace.kill_when("estimate/system_posterior ...", 0.5)
        assert workplace.parquet() == good
        assert len(seen) == 1
        results.write_text(whole, encoding="utf-8")
        code, output = workplace.refresh()
        assert code == 0, output
        assert workplace.parquet() == good
    assert len(seen) == 2


def _made(workplace: Workplace) -> dict[str, bool]:
    return dict(workplace.query("select asset, is_made from marts.refresh_step"))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_refresh_of_a_new_home_makes_everything(tmp_path: Path, dbt_target: Path) -> None:
    """Without sources nothing takes long, and every table stands, empty."""
    (tmp_path / "sources" / "battery").mkdir(parents=True)
    shutil.copytree(dbt_target, tmp_path / "home" / "dbt" / "target")
    workplace = Workplace(tmp_path / "home", tmp_path / "sources")
    code, output = workplace.refresh()
    assert code == 0, output
    made = _made(workplace)
    assert len(made) > 250 and all(made.values())
    code, output = workplace.refresh()
    assert code == 0 and "Nothing has changed" in output and _made(workplace) == made


def test_files_touched_or_written_anew_with_the_same_bytes_change_nothing(workplace: Workplace) -> None:
    published = workplace.published.stat()
    for path in workplace.sources.rglob("*.csv"):
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
    code, output = workplace.refresh()
    assert code == 0 and "Nothing has changed" in output, output
    assert workplace.published.stat().st_ino == published.st_ino


def test_a_setting_makes_what_read_it_and_is_named(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = workplace.parquet()
    monkeypatch.setenv("SUITABILITY_MIN_CELL", "50")
    code, output = workplace.refresh("--dry-run", "--verbose")
    assert code == 0 and "SUITABILITY_MIN_CELL is 50 and was 1" in output
    assert "estimate/system_posterior" not in output
    assert workplace.parquet() == good


def test_a_removed_results_file_leaves_the_marts_and_a_bad_file_changes_nothing(workplace: Workplace) -> None:
    first = workplace.parquet()
    results = workplace.sources / "battery" / "results"
    whole = (results / "gpt-5-nano.csv").read_bytes()
    (results / "gpt-5-nano.csv").unlink()
    code, output = workplace.refresh()
    assert code == 0, output
    assert "battery/results/gpt-5-nano.csv is gone" in output
    for mart in ("capability_profile", "system_profile", "suitability", "benchmark"):
        systems = {row[0] for row in workplace.query(f"select distinct system from marts.{mart}")}
        assert "gpt-5-nano" not in systems and len(systems) == 5, mart
    made = _made(workplace)
    assert made["raw/result"] and made["estimate/system_posterior"] and made["marts/suitability"]
    assert not any(
        made[name] for name in ("raw/rating", "raw/survey_response", "raw/chat", "marts/respondent_flow")
    )

    good = workplace.parquet()
    (results / "gpt-5-nano.csv").write_bytes(b"")
    chats = workplace.sources / "chats" / "2000-01.parquet"
    log = chats.read_bytes()
    chats.write_bytes(log[: len(log) // 2])
    code, output = workplace.refresh()
    assert code == 1
    assert "battery/results/gpt-5-nano.csv, row 1: the file is empty" in output
    assert "chats/2000-01.parquet: cannot be read to its end" in output
    assert workplace.parquet() == good
    (results / "gpt-5-nano.csv").write_bytes(whole)
    chats.write_bytes(log)
    # the way back gives what was there at first, whatever was kept meanwhile
    code, output = workplace.refresh()
    assert code == 0, output
    assert workplace.parquet() == first
