"""Slice `work`: what do people say their work needs?

Belongs here: what SQL can't say of a survey (splits, resamples) and the assets that run it.
Does not belong here: readers of exports (assets/sources) and everything that is a join or a mean (dbt/models/*/work).
"""
