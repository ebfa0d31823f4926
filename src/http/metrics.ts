/** Numbers in Prometheus' text format. Help and type come before the samples, and whatever a label holds is escaped. */
export interface Metric {
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  samples: readonly Sample[];
}

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP tidings_${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE tidings_${name} ${type}`,
      ...samples.map(({ labels = {}, value }) => `tidings_${name}${labelsText(labels)} ${valueText(value)}`),
    ])
    .concat('')
    .join('\n');
}

const valueText = (value: number) => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** Requests by route, never by URL: there are as many of those as anybody cares to invent. */
export function createHttpCounts() {
  const counted = new Map<
    string,
    { labels: Readonly<Record<string, string>>; count: number; seconds: number }
  >();
  return {
    add({ method, route, status }: { method: string; route: string; status: number }, seconds: number) {
      const labels = { method, route, status: String(status) };
      const key = JSON.stringify(labels);
      const { count = 0, seconds: before = 0 } = counted.get(key) ?? {};
      counted.set(key, { labels, count: count + 1, seconds: before + seconds });
    },
    metrics(): Metric[] {
      const all = [...counted.values()];
      return [
        {
          name: 'http_requests_total',
          type: 'counter',
          help: 'Requests that this process has answered.',
          samples: all.map(({ labels, count }) => ({ labels, value: count })),
        },
        {
          name: 'http_seconds_total',
          type: 'counter',
          help: 'How long they took, added up.',
          samples: all.map(({ labels, seconds }) => ({ labels, value: seconds })),
        },
      ];
    },
  };
}
