"""Slice `propensity`: which way does a system lean, and does that decide success?

Belongs here: pure modules (frames in, frames out) and one assets.py of thin Dagster assets. Does not belong
here: SQL (dbt), reading files (assets/sources), talking to a model (assets/llm).
"""
