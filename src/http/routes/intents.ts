import { type Static, Type } from 'typebox';
import { type Address, addressKey, parseAddress } from '../../domain/address.ts';
import { deliveryKey, type Intent, requireIntent } from '../../domain/delivery.ts';
import { checkSendable, type Sendable } from '../../emails/sendable.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import { Refusal } from '../../std/refusal.ts';
import type { RefusalCode } from '../../std/refusals.ts';
import { defineRoute } from '../route.ts';
import { closed, lane, line, nothing, status, time } from '../schemas.ts';
import type { ApiParts } from '../server.ts';
import { createValidator, type Problem, refusalOf } from '../validate.ts';

/**
 * Intents in. What would end a delivery later (an address, a missing subject) is refused here, all of a batch or none, while
 * whoever asked can still change it. Asking again is answered with the delivery that is there.
 */
export interface IntentParts extends Pick<ApiParts, 'outbox'> {
  clock: Clock;
  log: Log;
}

const intentsMax = 500;
const bodyOctetsMax = 4 * 1_048_576; // A few large mails, or as many small ones as fit into a batch.

const intent = Type.Object(
  {
    occasion: line(
      300,
      'What they are told of. The same occasion is never told twice to the same recipient.',
    ),
    to: line(320, 'The address.'),
    recipient: Type.Optional(line(320, 'Who is told; the address in lower case if left out.')),
    // Sources with tables of their own have their own ways in.
    source: Type.Optional(Type.Literal('plain')),
    lane: Type.Optional(lane),
    template: Type.Optional(line(100, '`plain` if left out.')),
    locale: Type.Optional(line(35, "The deployment's own if left out.")),
    variables: Type.Record(Type.String(), Type.Unknown(), {
      description: 'For the template; `plain` needs `subject` and `text`.',
    }),
    dueAt: Type.Optional(time('Not before this.')),
    expiresAt: Type.Optional(time('After this it is of no use, and is not sent.')),
    dedupeKey: Type.Optional(line(200, 'Carried for tracing; it decides nothing.')),
  },
  closed,
);
const batch = Type.Object(
  { intents: Type.Array(intent, { minItems: 1, maxItems: intentsMax }) },
  { ...closed, description: 'Several at once: all are taken, or none.' },
);

const made = Type.Object(
  {
    id: Type.String(),
    seq: Type.Integer(),
    isNew: Type.Boolean(),
    status,
    key: Type.String({ description: '`source:occasion:recipient`' }),
  },
  closed,
);
const answer = Type.Object({ deliveries: Type.Array(made) }, closed);

export function intentRoute({ outbox, clock, log }: IntentParts) {
  return defineRoute({
    method: 'POST',
    path: '/api/v1/intents',
    summary: 'Ask for one mail, or for several; asking again makes no second one',
    who: ['service'],
    query: nothing,
    body: Type.Union([batch, intent]),
    bodyOctetsMax,
    // Where one intent has a wrong shape, the others may have a wrong address: all are told of at once.
    async explain(body, traceId) {
      const { intents, ...others } = { ...(body as { intents?: unknown }) };
      const isList = Array.isArray(intents) && intents.length <= intentsMax;
      if (!isList || Object.keys(others).length > 0) return;
      await readIntents(intents, { isBatch: true, traceId, clock });
    },
    answers: {
      200: { when: 'All of them were known already.', schema: answer },
      201: { when: 'At least one is new. Answers come in the order of the intents.', schema: answer },
    },
    async handle({ body, traceId, intentTraceId, caller }) {
      const isBatch = 'intents' in body;
      const asked = isBatch ? body.intents : [body];
      const intents = await readIntents(asked, { isBatch, traceId: intentTraceId, clock });
      const answers = await outbox.enqueue(intents);
      const fresh = answers.filter(({ isNew }) => isNew).length;
      const followed = intentTraceId === traceId ? {} : { intentTraceId };
      log.info('intents.taken', { traceId, ...followed, count: answers.length, fresh, key: caller.key });
      const deliveries = answers.map(({ id, seq, isNew, status }, index) => {
        return { id, seq, isNew, status, key: deliveryKey(intents[index] as Intent) };
      });
      return { status: fresh > 0 ? 201 : 200, body: { deliveries } };
    },
  });
}

type AskedIntent = Static<typeof intent>;

/** Rendering is the work here, and one text may take as long as a hundred others: others get a turn after so much time. */
const turnAfterMs = 20;
const problemsMax = 20;

async function readIntents(
  asked: readonly unknown[],
  { isBatch, traceId, clock }: { isBatch: boolean; traceId: string; clock: Clock },
): Promise<Intent[]> {
  const intents: Intent[] = [];
  const problems: (Problem & { code: RefusalCode })[] = [];
  let turnAt = clock.monotonic();
  const check = createSendableCheck();
  for (const [index, one] of asked.entries()) {
    if (clock.monotonic() - turnAt >= turnAfterMs) {
      await clock.nextTurn();
      turnAt = clock.monotonic();
    }
    const misshapen = isBatch ? shapeProblems(one, index) : [];
    problems.push(...misshapen);
    if (misshapen.length === 0) {
      const read = await readIntent(one as AskedIntent, traceId, check);
      if ('intent' in read) intents.push(read.intent);
      else
        problems.push({ ...read, ...(isBatch && { index, problem: `intents[${index}]: ${read.problem}` }) });
    }
    if (problems.length >= problemsMax) break;
  }
  const [first] = problems;
  if (!first) return intents;
  throw refusalOf(
    problems.map(({ code: _, ...problem }) => problem),
    first.code,
  );
}

const requireShape = createValidator(intent, 'body');

function shapeProblems(one: unknown, index: number): (Problem & { code: RefusalCode })[] {
  try {
    requireShape(one, ['intents', String(index)]);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const problems = error.details?.problems as Problem[];
    return problems.map((problem) => ({ ...problem, code: error.code }));
  }
}

type Read = { intent: Intent } | { code: RefusalCode; field: string; problem: string };

async function readIntent(asked: AskedIntent, traceId: string, check: SendableCheck): Promise<Read> {
  const { to, template = 'plain', variables, source = 'plain', lane = 'normal', occasion } = asked;
  const parsed = parseAddress(to);
  if (!parsed.ok) return { code: 'invalid_address', field: 'to', problem: parsed.sentence };
  const { locale, dedupeKey } = asked;
  const intent: Intent = {
    source,
    occasion,
    recipient: asked.recipient ?? addressKey(parsed.address),
    toEmail: parsed.address,
    lane,
    templateName: template,
    variables,
    traceId,
    ...(locale !== undefined && { locale }),
    ...(dedupeKey !== undefined && { dedupeKey }),
    ...(asked.dueAt !== undefined && { dueAt: Date.parse(asked.dueAt) }),
    ...(asked.expiresAt !== undefined && { expiresAt: Date.parse(asked.expiresAt) }),
  };
  try {
    requireIntent(intent);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, field: String(error.details?.part ?? ''), problem: error.message };
  }
  const sendable = await check(template, locale ?? null, variables, parsed.address);
  if (!sendable.ok) return { code: sendable.code, field: 'variables', problem: sendable.sentence };
  return { intent };
}

type SendableCheck = ReturnType<typeof createSendableCheck>;

/** One text to many is rendered once. */
function createSendableCheck() {
  const known = new Map<string, Sendable>();
  return async (
    template: string,
    locale: string | null,
    variables: Intent['variables'] & {},
    to: Address,
  ): Promise<Sendable> => {
    const key = keyOf([template, locale, variables]);
    if (key === undefined) {
      const sentence = 'The variables are nested too deeply; give each as a plain value.';
      return { ok: false, code: 'invalid_variable', sentence };
    }
    const sendable = known.get(key) ?? (await checkSendable({ template, locale, props: variables }, [to]));
    known.set(key, sendable);
    return sendable;
  };
}

function keyOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
