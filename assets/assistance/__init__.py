"""Slice `assistance`: which system does the work best, and which one helps a worker best?

Belongs here: pure modules (frames in, frames out) and one assets.py of thin Dagster assets. Does not belong
here: SQL (dbt), reading files (assets/sources), talking to a model (assets/llm).
"""
