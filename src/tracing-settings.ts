import { parseUrl } from './std/url.ts';
import type { Variable } from './variable.ts';

/** The settings of traces, by the names that OpenTelemetry gives them everywhere. */
export interface TracingConfig {
  /** Empty where there is no collector, or another one for traces. */
  readonly otlpUrl: string;
  readonly otlpTracesUrl: string;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly traceRatio: number;
}

const url = (text: string) =>
  text === '' || (parseUrl(text) && /^https?:\/\/[^\s?#@]+$/.test(text))
    ? { value: text }
    : {
        mustBe:
          'a URL that begins with https:// or http://, without ?, # and @; keys belong into OTEL_EXPORTER_OTLP_HEADERS',
      };

export const tracingVariables = {
  otlpUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: '',
    meaning:
      'A collector of OpenTelemetry that takes OTLP over HTTP, such as `http://localhost:4318`: the path of every delivery is told to it, under `/v1/traces`. Without it, none is.',
    read: url,
  } as Variable<string>,
  otlpTracesUrl: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    default: '',
    meaning: 'The same with its whole path, where traces have a collector of their own.',
    read: url,
  } as Variable<string>,
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: '',
    meaning:
      'Headers for the collector, which may hold its key: `name=value`, separated by commas, with special characters percent-encoded.',
    isSecret: true,
    read: readHeaders,
  } as Variable<Readonly<Record<string, string>>>,
  serviceName: {
    name: 'OTEL_SERVICE_NAME',
    default: 'tidings',
    meaning: 'What this deployment is called in traces.',
    read: (text) =>
      /^[\w.:/ -]{1,100}$/.test(text)
        ? { value: text }
        : { mustBe: 'up to 100 letters, digits, spaces and any of . : / _ -' },
  } as Variable<string>,
  traceRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    meaning:
      'Of how many deliveries the path is told, from `0` to `1`; each is told as a whole or not at all. A request that comes with a trace which its caller follows is always told.',
    read: (text) => {
      const value = Number(text);
      return value >= 0 && value <= 1 ? { value } : { mustBe: 'a number from 0 to 1' };
    },
  } as Variable<number>,
} satisfies { [Key in keyof TracingConfig]: Variable<TracingConfig[Key]> };

function readHeaders(text: string): ReturnType<Variable<Record<string, string>>['read']> {
  const mustBe = 'name=value, separated by commas, with special characters percent-encoded';
  const value: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name = '', given = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    try {
      value[name] = decodeURIComponent(given);
    } catch {
      return { mustBe };
    }
    if (name === '' || !/^[\x20-\x7e]+$/.test(value[name] ?? '')) return { mustBe };
  }
  return { value };
}
