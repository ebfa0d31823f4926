import { Type } from 'typebox';
import type { Audit } from '../../audit/audit.ts';
import type { AuditRow } from '../../db/schema.ts';
import { iso } from '../../outbox/delivery-json.ts';
import { defineRoute, type Route } from '../route.ts';
import { below, closed, limit, next } from '../schemas.ts';

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const line = Type.Object(
  {
    seq: Type.Integer(),
    at: Type.String({ format: 'date-time' }),
    who: Type.String(),
    verb: Type.String(),
    details: Type.String({
      description: 'What was asked for, as JSON, without addresses; cut where it is long.',
    }),
    reason: textOrNull,
    traceId: Type.String(),
    answer: Type.Union([Type.String(), Type.Null()], {
      description: 'The status or the code of the answer; null where nobody lived to say so.',
    }),
  },
  closed,
);

const limitMax = 200;
const limitOtherwise = 50;

export function auditRoute({ audit }: { audit: Pick<Audit, 'list'> }): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'List what operators had changed, who and why, the newest first',
    who: ['read'],
    query: Type.Object({ below, limit: Type.Optional(limit(limitMax, limitOtherwise)) }, closed),
    answers: {
      200: { when: 'A page of it.', schema: Type.Object({ lines: Type.Array(line), next }, closed) },
    },
    async handle({ query: { below, limit = limitOtherwise } }) {
      const rows = await audit.list({ below, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        status: 200,
        body: {
          lines: page.map(auditJson),
          next: last && rows.length > limit ? { below: last.audit_seq } : null,
        },
      };
    },
  });
}

export function auditJson(row: AuditRow) {
  return {
    ...{ seq: row.audit_seq, at: iso(row.asked_at), who: row.who, verb: row.verb, details: row.details },
    ...{ reason: row.reason, traceId: row.trace_id, answer: row.answer },
  };
}
