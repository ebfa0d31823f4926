import type { Config } from './settings.ts';
import type { Clock } from './std/clock.ts';
import type { Log } from './std/log.ts';
import { createOtlpExporter } from './std/otlp-exporter.ts';
import { isSampled, type Tracer } from './std/trace.ts';

/** Where a collector is named; else nobody follows anything. */
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

  const exporter = createOtlpExporter({ url, headers, resource, clock, log });
  let isBroken = false;
  return {
    follows: (traceId) => isSampled(traceId, traceRatio),
    tell(span) {
      if (isBroken) return;
      try {
        exporter.add(span);
      } catch (error) {
        // What is broken stays so: mails go on, and nothing more is told.
        isBroken = true;
        log.error('tracing.failed', { error });
      }
    },
    stop: exporter.stop,
  };
}
