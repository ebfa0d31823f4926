import { Type } from 'typebox';
import { providers } from '../../domain/providers.ts';
import type { RefusalCode } from '../../std/refusals.ts';
import type { Informant, Problem } from '../../webhooks/informant.ts';
import { informants } from '../../webhooks/informants.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/** Events are a few KiB; one of a mail to fifty people with seventy-five tags is not a tenth of this. */
const bodyOctetsMax = 256 * 1024;

/** A door for each provider that tells us of mails. */
export function webhookRoutes({ webhooks }: Pick<ApiParts, 'webhooks'>): Route[] {
  return informants.flatMap(({ provider, scheme }) =>
    scheme === 'in-process' ? [] : [webhookRoute(webhooks, provider, scheme)],
  );
}

function webhookRoute(
  webhooks: ApiParts['webhooks'],
  provider: string,
  scheme: Exclude<Informant['scheme'], 'in-process'>,
): Route {
  const { title, webhook } = providers[provider as keyof typeof providers];
  const { secretName = '' } = webhook ?? {};
  const { shape, proved, refusals } = schemes[scheme];
  return defineRoute({
    method: 'POST',
    path: `/api/v1/webhooks/${provider}`,
    summary: `Take what ${title} tells about mails; ${proved} \`${secretName}\``,
    who: 'the world',
    takesBytes: true,
    bodyOctetsMax,
    body: shape(title),
    answers: {
      200: {
        when: 'It is kept, and applied if it is about one of our mails; or it was here already.',
        schema: Type.Object({ status: Type.Enum(['processed', 'already_processed']) }, closed),
      },
    },
    refusals: { ...refusals, 503: 'No secret is set here, so that nothing can be verified.' },
    async handle({ bytes, headers, traceId }) {
      // Not a 404: the provider tries again for hours, so that nothing is lost if the secret is set by then.
      if (!webhooks.isSetUp(provider))
        return { status: 503, body: { ...notSetUp(title, secretName), traceId } };
      const single = Object.entries(headers).filter(([, value]) => typeof value === 'string');
      const answer = await webhooks.receive({
        ...{ provider, body: bytes, headers: Object.fromEntries(single) as Record<string, string> },
      });
      if (answer.isRefused) {
        const { body, ...refusal } = answersTo[answer.problem];
        return { ...refusal, body: { ...body, traceId } };
      }
      return { status: 200, body: { status: answer.isRepeat ? 'already_processed' : 'processed' } };
    },
  });
}

const schemes = {
  svix: {
    proved: 'signed with',
    shape: (title: string) =>
      Type.Object(
        { type: Type.String(), created_at: Type.String(), data: Type.Object({}) },
        { description: `An event as ${title} sends it. It is verified as the bytes that came.` },
      ),
    refusals: {
      400: 'One of the headers svix-id, svix-timestamp and svix-signature is missing.',
      401: 'The signature is not ours, or older or newer than five minutes.',
    },
  },
  basic: {
    proved: 'with the password of',
    shape: (title: string) =>
      Type.Object({ RecordType: Type.String() }, { description: `An event as ${title} sends it.` }),
    refusals: {
      400: 'It is no text in UTF-8.',
      // Not a 403, after which Postmark would not try again.
      401: 'The password is missing, or not ours.',
    },
  },
} as const;

interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: { error: string; code: RefusalCode };
}

// 002-P7-02, 002-P7-03: the specification's own sentences, of those that are signed.
const answersTo = {
  'missing headers': {
    status: 400,
    body: { error: 'Missing svix headers', code: 'missing_signature' },
  },
  'invalid signature': {
    status: 401,
    headers: { 'www-authenticate': 'Svix' }, // Which a 401 must have, whoever asks.
    body: { error: 'Invalid signature', code: 'invalid_signature' },
  },
  'missing credentials': {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="webhooks"' },
    body: { error: 'The password of this webhook is missing.', code: 'missing_password' },
  },
  'wrong credentials': {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="webhooks"' },
    body: { error: 'This is not the password of this webhook.', code: 'wrong_password' },
  },
  'not text': {
    status: 400,
    body: { error: 'The body is no text in UTF-8.', code: 'invalid_encoding' },
  },
} as const satisfies Record<Problem, Answer>;

const notSetUp = (title: string, secretName: string) => ({
  error: `Webhooks of ${title} are not set up here. Set ${secretName} to the secret of this webhook, and start again.`,
  code: 'webhooks_not_set_up',
});
