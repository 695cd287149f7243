"""The embedded demo: a seeded program that writes a synthetic input folder from published summary figures.

Belongs here: the figures it starts from, the calibrated constants, and the writers of the input layout.
Does not belong here: readers of that layout (assets/sources), or a single observed rating, result or answer.
"""
