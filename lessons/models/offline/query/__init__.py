"""The query transforms of the keyless model."""
