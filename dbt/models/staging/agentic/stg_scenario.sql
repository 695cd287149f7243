{{
    first_lines(
        'scenario', 'scenario',
        [
            'pair', 'occupation', 'request', 'tool_analysis', 'workflow',
            'tasks', 'servers', 'calls', 'withheld', 'follow_ups',
        ]
    )
}}
