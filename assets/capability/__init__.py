"""Slice `capability`: what can each AI system do, with what certainty?

Belongs here: the measurement layout, its posterior and the assets that run it.
Does not belong here: how demands are made (slice battery) and what profiles are used for (slice suitability).
"""
