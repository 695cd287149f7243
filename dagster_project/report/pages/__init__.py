"""What each page shows: its numbers, tables, sentences and charts, ready for the templates.

Belongs here: one module per page, whose `context` turns published frames into the context of its template.
Does not belong here: HTML (templates/), drawing (static/report.js), or any statistics that no mart holds.
"""
