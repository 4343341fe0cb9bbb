"""A graph of LangGraph that stops half-way, for whoever wants to see it go on."""

import operator
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

LONG = "a long text that is stored apart " * 100


class State(TypedDict):
    messages: Annotated[list[str], operator.add]
    count: int


def config(thread: str = "t", **more: Any) -> Any:
    return {"configurable": {"thread_id": thread, **more}}


def counting(saver: BaseCheckpointSaver[str]) -> Any:
    """A graph of two steps; the second asks somebody."""

    def first(state: State) -> dict[str, Any]:
        return {"messages": [f"first {LONG}"], "count": state["count"] + 1}

    def second(state: State) -> dict[str, Any]:
        answer = interrupt("go on?")
        return {"messages": [f"second: {answer}"], "count": state["count"] + 1}

    builder = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    builder.add_edge("second", END)
    return builder.compile(checkpointer=saver)
