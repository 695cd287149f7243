"""The Dagster asset that renders the report from the published file.

Belongs here: the thin asset. Does not belong here: anything about pages (site.py).
"""

import dagster as dg

from assets.settings import Settings
from dagster_project.report.site import render_report


@dg.asset(
    key=["published", "report"],
    deps=[["published", "marts"]],
    group_name="warehouse",
    kinds={"python", "plotly"},
    code_version="2",
    description="Static pages under <home>/published/report/, rendered from the published file only.",
)
def report(settings: dg.ResourceParam[Settings]) -> dg.MaterializeResult:
    files = render_report(settings.published_path, settings.published / "report")
    entrance = settings.published / "report" / "index.html"
    return dg.MaterializeResult(
        metadata={
            "entrance": dg.MetadataValue.path(entrance),
            "files": len(files),
            "bytes": sum(file.stat().st_size for file in files),
        }
    )
