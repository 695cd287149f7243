"""Agentic work: can an agent carry a whole workflow through real tools?

Belongs here: checking scenarios, scoring calls against their key, matching tools to work, and the plans' questions.
Does not belong here: reading files (assets/sources), talking to models (assets/llm), counts and means (dbt).
"""
