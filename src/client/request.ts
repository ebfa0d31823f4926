import { invalidArgument } from './tidings-error.ts';

/** What is asked of the server. */
export interface Order {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From `pathOf`. */
  path: string;
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** To do it twice is the same as to do it once, so that it is asked again where an answer got lost. */
  isRepeatable: boolean;
}

/** Whatever is undefined is left out. */
type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface PreparedRequest {
  method: Order['method'];
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  traceId: string;
}

/** Made once, so that every try is the same to the byte: the idempotency key, the trace id, the body. */
export function requestOf(
  { baseUrl, apiKey, newId }: Sender,
  { method, path, query = {}, body, headers = {} }: Order,
  traceId = newId(),
): PreparedRequest {
  if (!/^[A-Za-z0-9_-]{8,64}$/.test(traceId))
    throw invalidArgument('traceId must be 8 to 64 letters, digits, - and _.');
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) asked.append(name, String(one));
  }
  const text = asked.toString();
  return {
    ...{ method, url: `${baseUrl}${path}${text === '' ? '' : `?${text}`}`, traceId },
    headers: {
      ...{ accept: 'application/json', 'x-request-id': traceId },
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** A path with its values escaped. One that is empty or only dots would lead to another address. */
export function pathOf(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const escaped = values.map((value) => {
    const text = String(value);
    if (/^\.{0,2}$/.test(text)) throw invalidArgument(`${JSON.stringify(text)} is not an id.`);
    return encodeURIComponent(text);
  });
  return texts.map((text, at) => `${text}${escaped[at] ?? ''}`).join('');
}

/** Who asks, and where. */
export interface Sender {
  baseUrl: string;
  apiKey: string | undefined;
  newId: () => string;
}
