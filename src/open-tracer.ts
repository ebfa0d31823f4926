import type { Config } from './settings.ts';
import type { Clock } from './std/clock.ts';
import type { Log } from './std/log.ts';
import { isSampled, type Tracer } from './std/trace.ts';

/** Where a collector is named; else nobody follows anything. What speaks to it is loaded with the first span: most commands tell of none. */
export function openTracer(
  config: Config,
  { clock, log, instance }: { clock: Clock; log: Log; instance: string },
): Tracer | undefined {
  const { otlpHeaders: headers, traceRatio, serviceName, environment } = config;
  const base = config.otlpUrl.replace(/\/+$/, '');
  const url = config.otlpTracesUrl || (base && `${base}/v1/traces`);
  if (url === '') return undefined;
  const resource = {
    ...{ 'service.name': serviceName, 'service.instance.id': instance },
    'deployment.environment.name': environment,
  };
  const open = async () => {
    const { createOtlpExporter } = await import('./std/otlp-exporter.ts');
    return createOtlpExporter({ url, headers, resource, clock, log });
  };
  let isTold = false;
  const fail = (error: unknown) => {
    if (!isTold) log.error('tracing.failed', { error });
    isTold = true;
  };
  let exporter: ReturnType<typeof open> | undefined;
  return {
    follows: (traceId) => isSampled(traceId, traceRatio),
    tell(span) {
      exporter ??= open();
      exporter.then(({ add }) => add(span)).catch(fail);
    },
    stop: async () => (await exporter?.catch(() => undefined))?.stop(),
  };
}
