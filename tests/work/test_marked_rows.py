"""Rows that the survey's export marks as no people, counted by hand."""

from __future__ import annotations

from pathlib import Path

from tests.support.factories import SURVEY_HEADER, respondent, write_survey
from tests.support.work.slice_build import build


def test_previews_tests_and_spam_are_no_people(tmp_path: Path) -> None:
    """Twelve rows: six people (one of them by an import), six that Status or the channel marks."""
    marks = [("0", "anonymous"), ("IP Address", "email"), ("4", ""), ("16", "qr"), ("", ""), ("0", "social")]
    marks += [
        ("1", "preview"),
        ("Survey Preview", ""),
        ("8", "anonymous"),
        ("Spam", ""),
        ("2", ""),
        ("0", "test"),
    ]
    people = [
        respondent(ResponseId=f"R_{i}", Status=status, DistributionChannel=channel)
        for i, (status, channel) in enumerate(marks)
    ]
    header = [*SURVEY_HEADER, "Status", "DistributionChannel"]
    write_survey(tmp_path / "sources", respondents=people, header=header)
    warehouse = build(tmp_path, tmp_path / "sources", dropped=())
    flow = warehouse.read("marts.respondent_flow").drop(columns=["source", "domain"]).sum()
    assert {name: int(n) for name, n in flow.items() if n} == {
        "n_recorded": 12,
        "n_preview": 2,
        "n_test": 2,
        "n_spam": 2,
        "n_started": 6,
        "n_in_domain": 6,
        "n_kept": 6,
    }
    importance = warehouse.read("marts.activity_importance")
    assert set(importance["n_respondents"]) == {6}
