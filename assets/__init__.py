"""The product's Python: one folder a slice, plus the sources at the door and the demo that feeds it.

Belongs here: pure modules (frames in, frames out) and one thin `assets.py` a slice.
Does not belong here: SQL (dbt/), orchestration (dagster_project/), prompts and rubrics (rubrics/).
"""
