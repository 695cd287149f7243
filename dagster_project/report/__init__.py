"""The report: static pages made from the published file, for people who don't write SQL.

Belongs here: reading the published marts, the sentences and tables made of them, templates, the swap of the folder.
Does not belong here: any figure that no mart holds (dbt or a slice computes it), or the working warehouse.
"""
