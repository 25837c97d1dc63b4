"""Assessments: A2A agents play levels on request, over A2A, as AgentBeats asks for them."""
