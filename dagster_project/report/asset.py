"""The Dagster asset that renders the report from the published file.

Belongs here: the thin asset. Does not belong here: anything about pages (site.py).
"""

from pathlib import Path

from assets.common.folder_hash import folder_hash
from assets.step import Made, Step, table_assets

HERE = Path(__file__).parent


@table_assets(
    group="warehouse",
    kinds=["python", "plotly"],
    reads=["published.marts"],
    writes={
        "published.report": "Static pages under <home>/published/report/, rendered from the published file only."
    },
    code="dagster_project.report.site",
    salt=folder_hash(HERE / "templates") + folder_hash(HERE / "static"),
)
def report(step: Step) -> Made:
    """Render every page anew."""
    from dagster_project.report.site import render_report

    folder = step.settings.published / "report"
    files = render_report(step.settings.published_path, folder)
    size = sum(file.stat().st_size for file in files)
    return Made(
        files={"published.report": folder},
        metadata={"": {"entrance": str(folder / "index.html"), "files": len(files), "bytes": size}},
    )
