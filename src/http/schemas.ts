import { Type } from 'typebox';
import { lanes } from '../domain/delivery.ts';
import { statusNames } from '../domain/status.ts';
import { suppressionReasonNames } from '../domain/suppression.ts';
import { datasetIdPattern } from '../sources/newsletters/notifications/alert-config.ts';
import { cuiPattern } from '../sources/newsletters/notifications/notification.ts';

/** Shapes that more than one route has. What is asked for is checked against them; what is answered is documented by them. */
export const closed = { additionalProperties: false } as const;

const linePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
/** Several lines; PostgreSQL stores no NUL. */
export const textPattern = '^[^\\u0000]*$';
const idPattern = '^[0-9a-fA-F-]*$';
export const termPattern = '^[0179]20[0-9][0-9]$';
export const indexPattern = '^[0-9]{5}$';

/** A pattern means something only to programmers; this is what a sentence says. */
export const patternSentences: Readonly<Record<string, string>> = {
  [linePattern]: 'must be one line without control characters',
  [textPattern]: 'must not hold a NUL character',
  [idPattern]: 'must be a message id, or at least 8 characters of its beginning',
  [termPattern]: 'must be a term such as 12026: 0 winter, 1 spring, 7 summer or 9 fall, then the year',
  [indexPattern]: 'must be five digits, such as 09214',
  [cuiPattern]: "must be an entity's fiscal code, 2 to 10 digits, such as 4305857",
  [datasetIdPattern]: 'must be the id of a dataset, such as ro.economics.inflation.yearly',
};

/** Names that people try, and no slip of the keyboard: what they mean where that is known. */
export const otherNames: Readonly<Record<string, string>> = { to: 'address', email: 'address' };

/** One line: PostgreSQL stores no NUL, and what is shown in a list must not look like two. */
export const line = (lengthMax: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: linePattern,
    ...(description && { description }),
  });

export const messageId = Type.String({ minLength: 8, maxLength: 36, pattern: idPattern });
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const status = Type.Enum(statusNames);
export const lane = Type.Enum([...lanes]);
export const nothing = Type.Object({}, closed);
export const limit = (most: number, otherwise: number) =>
  Type.Integer({ minimum: 1, maximum: most, description: `How many; ${otherwise} if left out.` });

export const below = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Only lower numbers: the `below` of `next` is the next page.' }),
);
export const next = Type.Union([Type.Object({ below: Type.Integer() }, closed), Type.Null()]);

export const reason = line(500, "Why; it is kept in the delivery's story.");
export const by = line(80, 'Who says so, for the story.');
/** Where nobody need give one, and whoever does finds it in the audit log. */
export const why = {
  reason: Type.Optional(line(500, 'Why; it is kept in the audit log.')),
  by: Type.Optional(by),
};

const orNull = (schema: ReturnType<typeof Type.String> | ReturnType<typeof Type.Unknown>) =>
  Type.Union([schema, Type.Null()]);
const textOrNull = orNull(Type.String());
const timeOrNull = orNull(Type.String({ format: 'date-time' }));
const object = Type.Record(Type.String(), Type.Unknown());

export const delivery = Type.Object(
  {
    seq: Type.Integer(),
    id: Type.String(),
    source: Type.String(),
    occasion: Type.String(),
    recipient: Type.String(),
    to: textOrNull,
    lane,
    status,
    round: Type.Integer(),
    attempts: Type.Integer(),
    claims: Type.Integer(),
    lapses: Type.Integer(),
    account: textOrNull,
    providerMessageId: textOrNull,
    lastError: Type.Union([object, Type.Null()]),
    lockedBy: textOrNull,
    lockedAt: timeOrNull,
    traceId: textOrNull,
    createdAt: timeOrNull,
    dueAt: timeOrNull,
    lastAttemptAt: timeOrNull,
    inDoubtSince: timeOrNull,
    sentAt: timeOrNull,
    deliveredAt: timeOrNull,
    expiresAt: timeOrNull,
  },
  closed,
);

const happening = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    event: Type.String(),
    status: Type.Optional(status),
    round: Type.Optional(Type.Integer()),
    actor: Type.Optional(Type.String()),
    detail: Type.Optional(object),
    sentence: Type.String(),
  },
  closed,
);

const frozenMail = {
  round: Type.Integer(),
  key: Type.String(),
  from: textOrNull,
  to: textOrNull,
  replyTo: textOrNull,
  subject: textOrNull,
  text: textOrNull,
  headers: object,
  tags: object,
  bodyHash: textOrNull,
  providerMessageId: textOrNull,
  frozenAt: timeOrNull,
};

export const story = Type.Object(
  {
    delivery,
    now: Type.Object(
      {
        sentence: Type.String(),
        meaning: Type.String(),
        isDoubt: Type.Boolean(),
        next: Type.String(),
        movedOutBy: Type.String(),
      },
      closed,
    ),
    story: Type.Array(happening),
    variables: Type.Optional(object),
    mails: Type.Array(Type.Object(frozenMail, closed)),
  },
  closed,
);

export const mail = Type.Object({ ...frozenMail, html: textOrNull }, closed);

const envelope = {
  messageId: Type.String(),
  receivedAt: timeOrNull,
  delivery: Type.Union([Type.Object({ seq: Type.Integer(), status }, closed), Type.Null()], {
    description: 'Whose mail it is, and how that stands now.',
  }),
  from: Type.String(),
  to: Type.String(),
  replyTo: Type.Optional(Type.String()),
  subject: Type.String(),
  headers: object,
  tags: object,
};
export const inboxLine = Type.Object(envelope, closed);
export const inboxMail = Type.Object({ ...envelope, html: Type.String(), text: Type.String() }, closed);

/** Both words are texts, as everything in a query is. */
export const withLifted = Type.Optional(
  Type.Enum(['true', 'false'], { description: 'Those that were taken off the list, too.' }),
);

export const suppression = Type.Object(
  {
    seq: Type.Integer(),
    address: Type.String(),
    scope: Type.String(),
    reason: Type.Enum(suppressionReasonNames),
    note: textOrNull,
    deliverySeq: Type.Union([Type.Integer(), Type.Null()]),
    by: Type.String(),
    at: timeOrNull,
    liftedAt: timeOrNull,
    liftedBy: textOrNull,
    liftedBecause: textOrNull,
    exceptFor: Type.Array(Type.String(), {
      description: 'Sources of which they want mail again, after they had stopped everything.',
    }),
  },
  closed,
);

const problems = Type.Array(
  Type.Object(
    {
      index: Type.Optional(Type.Integer({ description: 'Which of the intents, from 0.' })),
      field: Type.String(),
      problem: Type.String(),
    },
    closed,
  ),
);

/** The one shape of every error. */
export const error = Type.Object(
  {
    error: Type.String({ description: 'A sentence for people: what is wrong, and what to do.' }),
    code: Type.String({ description: 'For programs; it does not change.' }),
    traceId: Type.String({ description: 'Under this the log tells more.' }),
    details: Type.Optional(Type.Object({ problems: Type.Optional(problems) })),
  },
  closed,
);
