import { answered, named, type RouteEntry } from '../route-entry.js';
import { ApiDescription, Liveness, Readiness } from '../schemas.js';

const readiness = named('Readiness', Readiness);

export const OPERATION_ROUTES: readonly RouteEntry[] = [
  {
    route: 'GET /health/live',
    id: 'isLive',
    tag: 'operations',
    summary: 'Does the process answer?',
    answers: answered('It does.', named('Liveness', Liveness)),
  },
  {
    route: 'GET /health/ready',
    id: 'isReady',
    tag: 'operations',
    summary: 'Can commands be taken, and do the read models follow?',
    answers: { ...answered('Yes.', readiness), 503: { description: 'Not now.', content: readiness } },
  },
  {
    route: 'GET /metrics',
    id: 'getMetrics',
    tag: 'operations',
    summary: "Metrics in Prometheus' text format",
    answers: answered('The metrics.', { mediaType: 'text/plain' }),
  },
  {
    route: 'GET /openapi.json',
    id: 'getApiDescription',
    tag: 'operations',
    summary: 'This description',
    answers: answered('An OpenAPI 3.0.3 document.', named('ApiDescription', ApiDescription)),
  },
];
