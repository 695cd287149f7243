"""Slice `battery`: what does each item of a benchmark demand, how far do raters agree, which items make a battery?

Belongs here: rubrics, annotation by models, agreement and consensus of raters, selection of items. Does not belong
here: what systems scored (slice capability), tables that only join and count (dbt/models).
"""
