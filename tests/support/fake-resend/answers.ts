/** What the server says, before any lie about it. */
export interface Answer {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

export function errorAnswer(
  status: number,
  name: string,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return { status, body: { statusCode: status, name, message }, headers };
}
