"""The door: files in, `raw.*` tables out, every cell TEXT as it came.

Belongs here: reading input files safely, the survey's allow-list, templates, which folder the inputs come
from. Does not belong here: casts, aliases and validity of values (dbt staging), or the demo's generator
(assets/demo).
"""
