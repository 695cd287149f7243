"""Slice `suitability`: which AI system fits which work activity, under which policy.

Belongs here: weights from elicited importance, the power mean of capability draws, policies.
Does not belong here: importance itself (slice work), sampling (slice capability), joins and counts (dbt).
"""
