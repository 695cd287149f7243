"""From chats to requests: language, relevance, summaries, and what each stage removed."""
