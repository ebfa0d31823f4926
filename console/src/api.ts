/** Asking the server: every answer is JSON, every refusal has a code and a sentence that says what to do. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, sentence: string) {
    super(sentence);
    this.status = status;
    this.code = code;
  }
}

export function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return answerTo<T>(path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/** A file from the disk, as it is. */
export function sendFile<T>(path: string, file: File): Promise<T> {
  return answerTo<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
}

async function answerTo<T>(path: string, request: RequestInit): Promise<T> {
  const { signal } = request;
  const response = await fetch(path, request).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refused(
      0,
      'unreachable',
      'The server does not answer. It may be starting again; this page tries by itself.',
    );
  });
  const text = await response.text();
  const json = text === '' ? {} : (JSON.parse(text) as T & { error?: string; code?: string });
  if (response.ok) return json as T;
  const { error = 'The server could not do this.', code = 'failed' } = json as {
    error?: string;
    code?: string;
  };
  throw new Refused(response.status, code, error);
}

/** A query without what is empty. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}
