"""Texts to vectors, and the nearest of them: what several slices compare texts by.

Belongs here: embedders, vectors kept on disk, exact search. Does not belong here: which texts are compared and what
counts as near (the slices).
"""
