/** What the server does instead of telling the truth. `isAccepted`: whether the mail is accepted nonetheless. */
export type Lie =
  /** An answer of your own: any status, a body that is no JSON or has no id. */
  | {
      kind: 'answer';
      isAccepted: boolean;
      status: number;
      name?: string;
      message?: string;
      body?: string;
      headers?: Readonly<Record<string, string>>;
    }
  /** No answer until the client gives up. */
  | { kind: 'hang'; isAccepted: boolean }
  /** The connection is gone before the mail is read: nothing can have been accepted. */
  | { kind: 'reset'; at: 'before_body'; isAccepted: false }
  /** The connection is gone before the answer, or in the middle of it. */
  | { kind: 'reset'; at: 'before_answer' | 'mid_answer'; isAccepted: boolean }
  /** Slow work goes on when the client has given up: the mail is accepted in any case. */
  | { kind: 'slow'; ms: number; at: 'before_accepting' | 'before_answering' };

export interface Rule {
  match?: (request: SeenRequest) => boolean;
  lie: Lie;
  /** For ever if not given. */
  times?: number;
}

/** A request as it arrived. `bodyText` is empty while rules are asked: some lies do not read it. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  key: string | null;
  bodyText: string;
  at: number;
}

/** The lie for this request, if any; it is used up by asking. */
export function takeLie(rules: readonly Rule[], request: SeenRequest): Lie | undefined {
  const rule = rules.find(
    ({ match, times }) => (times === undefined || times > 0) && (match?.(request) ?? true),
  );
  if (rule?.times !== undefined) rule.times -= 1;
  return rule?.lie;
}

export function isAcceptedDespite(lie: Lie | undefined): boolean {
  return lie === undefined || lie.kind === 'slow' || lie.isAccepted;
}
