import { withoutSecrets } from './log.ts';
import type { Attribute, Span } from './trace.ts';

/**
 * Spans as a collector takes them: protocol buffers, by the numbers that the fields of `ExportTraceServiceRequest` have in
 * opentelemetry-proto 1. As much of the format as that needs, which is small enough to be written out. Five spans are made for every
 * mail, so it is written from the end to the beginning: what stands inside is there before its length must be said, and nothing is copied.
 */
export interface OtlpWriter {
  /** Made when it is told of: what waits is as small as it can be, and cannot change. */
  span(span: Span): Buffer;
  body(spans: readonly Buffer[], resource: Readonly<Record<string, Attribute>>): Buffer;
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const hasFailed = 2;
const lengthMax = 200;
const [ofVarint, ofFixed64, ofLength] = [0, 1, 2];

export function createOtlpWriter(): OtlpWriter {
  // Far more than a span with every attribute that we have, all at their longest.
  const page = Buffer.alloc(65_536);
  let at = page.length;

  const tag = (field: number, type = ofLength) => varint(field * 8 + type);

  /** Seven bits at a time; all but the last with a one before them. */
  function varint(value: number): void {
    let size = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size += 1;
    at -= size;
    let rest = value;
    for (let place = at; place < at + size - 1; place++) {
      page[place] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    page[at + size - 1] = rest;
  }

  function text(field: number, value: string, encoding: 'utf8' | 'hex' = 'utf8'): void {
    const size = Buffer.byteLength(value, encoding);
    at -= size;
    page.write(value, at, encoding);
    varint(size);
    tag(field);
  }

  function number(field: number, value: number): void {
    varint(value);
    tag(field, ofVarint);
  }

  /** Milliseconds as nanoseconds, which a number cannot hold. */
  function time(field: number, ms: number): void {
    const whole = Math.floor(ms);
    at -= 8;
    page.writeBigUInt64LE(BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6)), at);
    tag(field, ofFixed64);
  }

  function attribute(field: number, name: string, value: Attribute): void {
    const end = at;
    writeValue(value);
    varint(end - at);
    tag(2);
    text(1, name);
    varint(end - at);
    tag(field);
  }

  function writeValue(value: Attribute): void {
    if (typeof value === 'boolean') number(2, value ? 1 : 0);
    // The last line of defence, as the log has it: an id or a code may be a stranger's text.
    else if (typeof value === 'string') {
      text(1, withoutSecrets(value.slice(0, 4 * lengthMax)).slice(0, lengthMax));
    } else if (Number.isSafeInteger(value) && value >= 0) number(3, value);
    else {
      at -= 8;
      page.writeDoubleLE(value, at);
      tag(4, ofFixed64);
    }
  }

  function attributes(field: number, all: Readonly<Record<string, Attribute>>): void {
    for (const name in all) attribute(field, name, all[name] ?? '');
  }

  /** What `write` writes, as a message in that field. */
  function messageOf(field: number, write: () => void): Buffer {
    at = page.length;
    write();
    varint(page.length - at);
    tag(field);
    return Buffer.from(page.subarray(at));
  }

  function fieldsOf({ name, kind, traceId, spanId, parentId, startAt, endAt, ...more }: Span): void {
    if (more.error !== undefined) {
      number(3, hasFailed);
      varint(2);
      tag(15);
      attribute(9, 'error.type', more.error);
    }
    attributes(9, more.attributes);
    time(8, endAt);
    time(7, startAt);
    number(6, kinds[kind]);
    text(5, name);
    if (parentId !== undefined) text(4, parentId, 'hex');
    text(2, spanId, 'hex');
    text(1, traceId, 'hex');
  }

  /** The beginning of a message of that length. */
  const headOf = (field: number, length: number): Buffer => {
    at = page.length;
    varint(length);
    tag(field);
    return Buffer.from(page.subarray(at));
  };

  return {
    span: (span) => messageOf(2, () => fieldsOf(span)),
    body(spans, resource) {
      const ours = messageOf(1, () => attributes(1, resource));
      const scope = messageOf(1, () => text(1, 'tidings'));
      const inScope = [scope, ...spans];
      const inResource = [ours, headOf(2, lengthOf(inScope)), ...inScope];
      return Buffer.concat([headOf(1, lengthOf(inResource)), ...inResource]);
    },
  };
}

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0);
