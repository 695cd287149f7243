"""Refreshes killed at every stage, with everything their process had started."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.warehouse.workplace import Workplace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def test_kills_at_every_stage_leave_the_last_good_answer_and_the_next_run_gives_the_same_bytes(
    tmp_path: Path, dbt_target: Path
) -> None:
    workplace = Workplace.of_demo(tmp_path, dbt_target)
    code, output = workplace.refresh()
    assert code == 0, output
    before = workplace.parquet()
    # so that the fit has something to do and would change the answer
    results = workplace.sources / "battery" / "results" / "o4-mini.csv"
    whole = results.read_text(encoding="utf-8")
    results.write_text(whole.rsplit("\n", 3)[0] + "\n", encoding="utf-8")
    with workplace.polled() as seen:
        for line_starts, delay in (
            ("raw/result ...", 0.3),
            ("dbt_phase_1 ...", 1.5),
            ("estimate/system_posterior ...", 0.5),
            ("published/marts ...", 0.05),
        ):
            workplace.kill_when(line_starts, delay)
            assert workplace.query("select count(*) from marts.refresh") == [(1,)]
            if not line_starts.startswith("published"):
                assert workplace.parquet() == before, f"killed at {line_starts}"
        results.write_text(whole, encoding="utf-8")
        code, output = workplace.refresh()
        assert code == 0, output
        assert workplace.parquet() == before
    assert len(seen) >= 2
    # no table that a kill cut off counts as made, nor is one made twice
    code, output = workplace.refresh("--dry-run")
    assert code == 0 and "Nothing has changed" in output
