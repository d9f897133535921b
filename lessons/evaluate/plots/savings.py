"""What a device saves against what it costs in right answers, in one picture."""

import numpy as np
from matplotlib.figure import Figure

from lessons.evaluate.compare import interval
from lessons.evaluate.plots.canvas import canvas
from lessons.evaluate.savings import Savings

_COLOURS = ("#4c78a8", "#e45756")  # in turn, so that neighbours and their labels are told apart


def plot_savings(savings: Savings) -> Figure:
    """Correctness with its 95 % interval over the cost of 1,000 questions, a point for each way."""
    figure, axes = canvas(6.5, 4)
    for place, way in enumerate(sorted(savings.served, key=savings.cost_per_1000)):
        cost, mean, colour = savings.cost_per_1000(way), savings.mean(way, "correctness"), _COLOURS[place % 2]
        served = savings.served[way]
        low, high = interval([one.correctness for one in served if not np.isnan(one.correctness)])
        axes.errorbar(cost, mean, yerr=[[mean - low], [high - mean]], fmt="o", capsize=3, color=colour)
        axes.annotate(way, (cost, mean), xytext=(6, 6 if place % 2 else -14), textcoords="offset points", color=colour)
    axes.set_xlim(left=0)
    axes.margins(x=0.15)
    axes.set_ylim(0, 1)
    axes.set_xlabel("cost of 1,000 questions (US$)")
    axes.set_ylabel("correctness, mean with 95 % interval")
    axes.set_title("What each device saves, and what it costs")
    return figure
