"""The agent (row B9): a model chooses the searches, and a loop that it cannot talk out of its limit runs them."""

from collections.abc import Generator
from dataclasses import dataclass, field, replace

from lessons.agent.driver import Driver
from lessons.agent.merge import merged
from lessons.agent.tools import SearchTools
from lessons.rag.pipeline import Pipeline
from lessons.rag.types import Context, Query, Resources
from lessons.search.transforms import Compress
from lessons.settings import settings
from lessons.trace import Step, Trace


@dataclass(frozen=True)
class Agent:
    """Searches up to `max_calls` times, each time for what a model chooses from what it has found so far."""

    max_calls: int = field(default_factory=lambda: settings().agent_tool_calls)

    def run(
        self, query: Query, pipeline: Pipeline, resources: Resources, trace: Trace
    ) -> Generator[Step, None, Context]:
        """The context of a question. Each step is yielded as it begins; closing the generator ends the work.

        The error of a search is raised only if no search succeeded.
        """
        query = _alone(query, pipeline, resources, trace)
        tools = SearchTools(pipeline, query, resources)
        driver = Driver(resources.llm, tools, query.text, self.max_calls)
        left = self.max_calls
        while left:
            with trace.step("decide", query.text) as step:
                yield step
                calls = driver.next_calls(left, step)
            if not calls:
                break
            for call in calls:
                left -= 1
                with trace.step(call.tool_name, call.tool_kwargs) as step:
                    yield step
                    driver.hear(call, tools.run(call, step))
        if not tools.found and tools.error:
            raise tools.error
        return pipeline.pack(merged(tools.found.values()), query, resources, trace)


def _alone(query: Query, pipeline: Pipeline, resources: Resources, trace: Trace) -> Query:
    """The question as one that stands alone, if the pipeline completes follow-ups."""
    complete = next((each for each in pipeline.query if isinstance(each, Compress)), None)
    if complete is None or not (query.history or query.memory):
        return query
    with trace.step(Compress.__name__, [query.text]) as step:
        step.output = complete.transform([query.text], query, resources, step)
    return replace(query, text=step.output[0], history=(), memory="")
