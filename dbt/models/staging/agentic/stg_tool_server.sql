{{ first_lines('tool_server', 'server', ['description', 'analysis', 'tools']) }}
