"""Plots, a message to each. Every function returns a matplotlib Figure and opens no window."""

from lessons.evaluate.plots.evaluation import plot_cost, plot_groups, plot_latency, plot_metric, plot_moved

__all__ = ["plot_cost", "plot_groups", "plot_latency", "plot_metric", "plot_moved"]
