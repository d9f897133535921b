"""A support copilot over FAQ and guides (system E), assembled from the rooms above."""
