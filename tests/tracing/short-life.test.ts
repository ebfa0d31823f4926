import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startCollector } from './otlp-collector.ts';

/** A process that starts, sends a mail and stops. */
const script = `(async () => {
  const { readConfig } = await import('./src/config.ts');
  const { createEngine } = await import('./src/engine.ts');
  const { silentLog } = await import('./src/std/log.ts');
  const settings = { DATABASE_URL: 'sqlite::memory:', SOC_BASE_URL: 'off', ...JSON.parse(process.argv[1]) };
  const engine = await createEngine(readConfig(settings, 'no such file'), { log: silentLog, migrations: 'all' });
  await engine.outbox.enqueue([{
    source: 'plain', occasion: 'o', recipient: 'r', lane: 'normal', toEmail: 'r@example.org',
    templateName: 'plain', variables: { subject: 's', text: 't' },
  }]);
  engine.runner.start();
  while ((await engine.queries.find('1')).sent_at === null) await new Promise((wake) => setTimeout(wake, 20));
  await engine.close();
})()`;

async function sendOne(settings: Record<string, string>): Promise<void> {
  await promisify(execFile)(process.execPath, [
    ...['--import', 'tsx', '-e', script],
    JSON.stringify(settings),
  ]);
}

it('nobody is told where no collector is named, and one that is has heard all when the process ends', async () => {
  const collector = await startCollector();
  try {
    await sendOne({});
    expect(collector.requests).toEqual([]);
    await sendOne({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/mine` });
    // All of them, by a process that ends as soon as it can: it has waited for them to leave.
    const names = collector.spans.map(({ name }) => name).sort();
    expect(names).toEqual(['claim', 'compose', 'intent', 'provider.send', 'record']);
    expect(collector.requests[0]?.path).toBe('/mine');
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'tidings',
      'service.instance.id': expect.stringMatching(/:\d+$/),
      'deployment.environment.name': 'development',
    });
  } finally {
    await collector.close();
  }
});
