"""Released models: request, plan, errors, and the mechanisms on offer."""
