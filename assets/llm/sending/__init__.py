"""How calls reach a server and what comes back is recorded: one run's session, two back ends, a provider's limits.

Belongs here: everything between a call and its row in the ledger. Does not belong here: roles, calls, the ledger itself
and the functions that slices use (the folder above).
"""
