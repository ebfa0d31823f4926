import type { Clock } from '../../std/clock.ts';
import { keptFor } from '../kept.ts';
import { type createHttpCounts, type Metric, metricsText, metricsType } from '../metrics.ts';
import { createNewsletterMetrics } from '../newsletter-metrics.ts';
import { createOutboxMetrics, type OutboxMetricParts } from '../outbox-metrics.ts';
import { createQueueMetrics, type QueueMetricParts } from '../queue-metrics.ts';
import { createReviewMetrics } from '../review-metrics.ts';
import { defineRoute, type Route } from '../route.ts';
import { createSeatMetrics, type SeatMetricParts } from '../seat-metrics.ts';
import { createWebhookMetrics, type WebhookMetricParts } from '../webhook-metrics.ts';

/** Prometheus asks four times a minute; several of them, or a person who reloads, must not be a load. */
const keptMs = 5_000;

export function metricsRoute(
  parts: OutboxMetricParts & WebhookMetricParts & SeatMetricParts & QueueMetricParts,
  httpCounts: ReturnType<typeof createHttpCounts>,
): Route {
  const outboxMetrics = keptFor(keptMs, parts.clock, createOutboxMetrics(parts));
  const webhookMetrics = keptFor(keptMs, parts.clock, createWebhookMetrics(parts));
  const newsletterMetrics = keptFor(keptMs, parts.clock, createNewsletterMetrics(parts));
  const reviewMetrics = keptFor(keptMs, parts.clock, createReviewMetrics(parts));
  const queueMetrics = keptFor(keptMs, parts.clock, createQueueMetrics(parts));
  const seatMetrics = keptFor(keptMs, parts.clock, createSeatMetrics(parts));
  return defineRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Numbers for Prometheus',
    who: ['read'],
    answers: { 200: { when: 'Its text format.', type: 'text/plain' } },
    async handle() {
      const metrics = [
        ...(await outboxMetrics()),
        ...(await webhookMetrics()),
        ...(await seatMetrics()),
        ...(await newsletterMetrics()),
        ...(await reviewMetrics()),
        ...(await queueMetrics()),
        ...httpCounts.metrics(),
        ...(await processMetrics(parts.clock)),
      ];
      return { status: 200, body: metricsText(metrics), type: metricsType };
    },
  });
}

async function processMetrics(clock: Clock): Promise<Metric[]> {
  const startedAt = clock.monotonic();
  await clock.nextTurn();
  const turnMs = clock.monotonic() - startedAt;
  const { rss, heapUsed } = process.memoryUsage();
  const gauge = (name: string, help: string, value: number): Metric => ({
    name: `process_${name}`,
    type: 'gauge',
    help,
    samples: [{ value }],
  });
  return [
    gauge('resident_memory_bytes', 'Memory of this process.', rss),
    gauge('heap_used_bytes', 'Of which JavaScript values take.', heapUsed),
    gauge('event_loop_turn_seconds', 'How long other work kept this answer waiting.', turnMs / 1000),
    gauge('uptime_seconds', 'Since this process started.', process.uptime()),
  ];
}
