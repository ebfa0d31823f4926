import { Type } from 'typebox';
import type { Problem } from '../../webhooks/signature.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/** Resend's own are a few KiB; one of a mail to fifty people with seventy-five tags is not a tenth of this. */
const bodyOctetsMax = 256 * 1024;

export function webhookRoute({ webhooks }: Pick<ApiParts, 'webhooks'>): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/v1/webhooks/resend',
    summary: 'Take what Resend tells about mails; signed with `RESEND_WEBHOOK_SECRET`',
    who: 'the world',
    takesBytes: true,
    bodyOctetsMax,
    body: Type.Object(
      { type: Type.String(), created_at: Type.String(), data: Type.Object({}) },
      { description: 'An event as Resend sends it. It is verified as the bytes that came.' },
    ),
    answers: {
      200: {
        when: 'It is kept, and applied if it is about one of our mails; or it was here already.',
        schema: Type.Object({ status: Type.Enum(['processed', 'already_processed']) }, closed),
      },
    },
    refusals: {
      400: 'One of the headers svix-id, svix-timestamp and svix-signature is missing.',
      401: 'The signature is not ours, or older or newer than five minutes.',
      503: 'No secret is set here, so that nothing can be verified.',
    },
    async handle({ bytes, headers, traceId }) {
      // Not a 404: Resend tries again for a day, so that nothing is lost if the secret is set by then.
      if (!webhooks.isSetUp) return { status: 503, body: { ...notSetUp, traceId } };
      const header = (name: string) => {
        const value = headers[name];
        return typeof value === 'string' ? value : undefined;
      };
      const answer = await webhooks.receive({
        id: header('svix-id'),
        timestamp: header('svix-timestamp'),
        signature: header('svix-signature'),
        body: bytes,
      });
      if (answer.isRefused) {
        const { body, ...refusal } = refusals[answer.problem];
        return { ...refusal, body: { ...body, traceId } };
      }
      return { status: 200, body: { status: answer.isRepeat ? 'already_processed' : 'processed' } };
    },
  });
}

// 002-P7-02, 002-P7-03: the specification's own sentences.
const refusals = {
  'missing headers': {
    status: 400,
    body: { error: 'Missing svix headers', code: 'missing_signature' },
  },
  'invalid signature': {
    status: 401,
    headers: { 'www-authenticate': 'Svix' }, // Which a 401 must have, whoever asks.
    body: { error: 'Invalid signature', code: 'invalid_signature' },
  },
} as const satisfies Record<Problem, object>;

const notSetUp = {
  error:
    'Webhooks of Resend are not set up here. Set RESEND_WEBHOOK_SECRET to the signing secret that Resend shows for this address (whsec_…), and start again.',
  code: 'webhooks_not_set_up',
};
