/** What the server says, before any lie about it. */
export interface PostmarkAnswer {
  status: number;
  body: object;
}

export function errorAnswer(status: number, ErrorCode: number, Message: string): PostmarkAnswer {
  return { status, body: { ErrorCode, Message } };
}

/** The same as a text, for a lie. */
export const errorBody = (ErrorCode: number, Message = 'told to say so') =>
  JSON.stringify({ ErrorCode, Message });
