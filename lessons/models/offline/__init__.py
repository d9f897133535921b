"""The keyless model. `llm` is the model; every other module is one task, or one thing that tasks share."""
