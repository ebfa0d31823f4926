import type { Config } from './settings.ts';
import type { Clock } from './std/clock.ts';
import type { Log } from './std/log.ts';
import type { OtlpExporter } from './std/otlp-exporter.ts';
import { isSampled, type Span, type Tracer } from './std/trace.ts';

/** What is told while the exporter is loaded, for a quarter of a second; later ones are lost. */
const earlyMax = 8_192;

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

  const early: Span[] = [];
  let add = (span: Span) => {
    if (early.length < earlyMax) early.push(span);
  };
  /** What is broken stays so: mails go on, and nothing more is told. */
  const giveUp = (error: unknown) => {
    log.error('tracing.failed', { error });
    early.length = 0;
    add = () => {};
    return undefined;
  };
  const open = async () => {
    const { createOtlpExporter } = await import('./std/otlp-exporter.ts');
    const exporter = createOtlpExporter({ url, headers, resource, clock, log });
    for (const span of early.splice(0)) exporter.add(span);
    add = exporter.add;
    return exporter;
  };
  let opened: Promise<OtlpExporter | undefined> | undefined;
  return {
    follows: (traceId) => isSampled(traceId, traceRatio),
    tell(span) {
      try {
        add(span);
      } catch (error) {
        giveUp(error);
      }
      opened ??= open().catch(giveUp);
    },
    stop: async () => (await opened)?.stop(),
  };
}
