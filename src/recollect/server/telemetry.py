"""What is measured of the server: metrics for Prometheus, and a span for each request where tracing is set up."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.requests import Request

from recollect.memory import Recollect
from recollect.queue import count_jobs

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Measured:
    """One request as it goes: whoever answers it says how it ended."""

    status = 500


class Telemetry:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "recollect_requests", "Requests that were answered.", ["verb", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "recollect_request_seconds", "How long requests took.", ["verb"], registry=self.registry, buckets=_BUCKETS
        )
        self._running = Gauge("recollect_requests_running", "Requests under way.", registry=self.registry)
        self._jobs = Gauge("recollect_jobs", "Background jobs by state.", ["state"], registry=self.registry)
        self._tracer = trace.get_tracer("recollect")

    @contextmanager
    def request(self, verb: str, request: Request) -> Iterator[Measured]:
        """Count a request, time it, and trace it as part of its caller's trace."""
        measured, began = Measured(), perf_counter()
        self._running.inc()
        context = propagate.extract(request.headers)
        with self._tracer.start_as_current_span(f"recollect.{verb}", context, SpanKind.SERVER) as span:
            try:
                yield measured
            finally:
                self._running.dec()
                self._seconds.labels(verb).observe(perf_counter() - began)
                self._requests.labels(verb, str(measured.status)).inc()
                _describe(span, request, verb, measured.status)

    async def page(self, rc: Recollect) -> bytes:
        """All of it in Prometheus's words, with the queue as it stands."""
        for state, jobs in (await count_jobs(rc.parts.database)).items():
            self._jobs.labels(state.value).set(jobs)
        return generate_latest(self.registry)


def _describe(span: Span, request: Request, verb: str, status: int) -> None:
    if not span.is_recording():
        return
    span.set_attribute("http.request.method", request.method)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("recollect.verb", verb)
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))
