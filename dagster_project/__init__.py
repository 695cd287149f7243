"""Orchestration: definitions, resources, jobs, schedules, sensors, checks, publication, report and command line.

Belongs here: everything that runs the product. Does not belong here: science (assets/) and SQL (dbt/).
"""
