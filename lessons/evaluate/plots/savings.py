"""What a device saves against what it costs in right answers, in one picture."""

from matplotlib.figure import Figure

from lessons.evaluate.colours import stage_colours
from lessons.evaluate.compare import interval
from lessons.evaluate.plots.canvas import canvas
from lessons.evaluate.plots.labels import Point, name_points
from lessons.evaluate.savings import Savings


def plot_savings(savings: Savings) -> Figure:
    """Correctness with its 95 % interval over the cost of 1,000 questions, a point for each way."""
    figure, axes = canvas(6.5, 4)
    points = [
        Point(savings.cost_per_1000(way), savings.mean(way, "correctness"), way, colour)
        for way, colour in stage_colours(savings.served).items()
    ]
    for cost, mean, way, colour in points:
        low, high = interval([one.correctness for one in savings.served[way]])
        axes.errorbar(cost, mean, yerr=[[mean - low], [high - mean]], fmt="o", capsize=3, color=colour)
    axes.set_xlim(left=0)
    axes.margins(x=0.15)
    axes.set_ylim(0, 1)
    axes.set_xlabel("cost of 1,000 questions (US$)")
    axes.set_ylabel("correctness, mean with 95 % interval")
    axes.set_title("What each device saves, and what it costs")
    name_points(axes, points)
    return figure
