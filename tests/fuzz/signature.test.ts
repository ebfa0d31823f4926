import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, it } from 'vitest';
import { type SignedRequest, secretBytes, verify } from '../../src/webhooks/signature.ts';
import { patience, runs } from './runs.ts';

/** Two packages that we did not write sign and verify what ours verifies. Both read the clock by themselves. */
const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
const ids = fc.stringMatching(/^msg_[A-Za-z0-9]{1,40}$/);
const bodies = fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'grapheme' }));
/** Not nearer to the five minutes than this test may take between signing and verifying. */
const offsets = fc.oneof(fc.integer({ min: -240, max: 240 }), fc.integer({ min: 360, max: 4000 }));

type Signer = (secret: string, id: string, at: Date, body: string) => string;
const signers: Readonly<Record<string, Signer>> = {
  svix: (secret, id, at, body) => new SvixWebhook(secret).sign(id, at, body),
  standardwebhooks: (secret, id, at, body) => new StandardWebhook(secret).sign(id, at, body),
};

interface Text extends Omit<SignedRequest, 'body'> {
  body: string;
}
const oursAccepts = (secret: string, { body, ...headers }: Text) =>
  verify({ ...headers, body: Buffer.from(body) }, [secretBytes(secret)], Date.now()).ok;

const others: Readonly<Record<string, (secret: string, request: Text) => unknown>> = {
  svix: (secret, { id = '', timestamp = '', signature = '', body }) =>
    new SvixWebhook(secret).verify(body, {
      ...{ 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature },
    }),
  standardwebhooks: (secret, { id = '', timestamp = '', signature = '', body }) =>
    new StandardWebhook(secret).verify(body, {
      ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
    }),
};
/** They also read the JSON, and throw if it is none: that is no word about the signature. */
function accepts(name: string, secret: string, request: Text): boolean {
  try {
    others[name]?.(secret, request);
    return true;
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

const signedBy = (name: string, secret: string, id: string, offset: number, body: string): Text => {
  const seconds = Math.floor(Date.now() / 1000) + offset;
  const signature = signers[name]?.(secret, id, new Date(seconds * 1000), body) ?? '';
  return { id, timestamp: String(seconds), signature, body };
};

it.each(Object.keys(signers))(
  'what %s signs is accepted here, in time and under its secret only',
  patience,
  (name) => {
    fc.assert(
      fc.property(secrets, secrets, ids, offsets, bodies, (secret, another, id, offset, body) => {
        fc.pre(body.isWellFormed() && secret !== another);
        const request = signedBy(name, secret, id, offset, body);
        expect(oursAccepts(secret, request)).toBe(Math.abs(offset) <= 300);
        expect(oursAccepts(another, request)).toBe(false);
      }),
      runs(500),
    );
  },
);

it('what is accepted here is accepted by both, whatever was done to it on the way', patience, () => {
  const field = fc.constantFrom('id' as const, 'timestamp' as const, 'signature' as const, 'body' as const);
  const change = fc.tuple(field, fc.nat(), fc.constantFrom(...'0A=+/, .v1\t', ''), fc.boolean());
  let accepted = 0;
  fc.assert(
    fc.property(secrets, ids, bodies, fc.array(change, { maxLength: 2 }), (secret, id, body, changes) => {
      fc.pre(body.isWellFormed());
      const request = signedBy('svix', secret, id, 0, body);
      for (const [name, place, sign, isInstead] of changes) {
        const text = request[name] ?? '';
        const at = place % (text.length + 1);
        request[name] = text.slice(0, at) + sign + text.slice(at + (isInstead ? 1 : 0));
      }
      if (!oursAccepts(secret, request)) return;
      accepted += 1;
      expect([accepts('svix', secret, request), accepts('standardwebhooks', secret, request)]).toEqual([
        true,
        true,
      ]);
    }),
    runs(1000),
  );
  expect(accepted).toBeGreaterThan(100);
});

it('one bit of the signature, the id, the time or the body makes it nobody’s', patience, () => {
  fc.assert(
    fc.property(
      ids,
      fc.json(),
      fc.nat(),
      fc.nat(7),
      fc.constantFrom('id', 'timestamp', 'signature', 'body'),
      (id, body, place, bit, name) => {
        const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
        const request = signedBy('svix', secret, id, 0, body);
        const bytes = Buffer.from(request[name as keyof Text] ?? '');
        const at = place % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        const { body: text, ...headers } = request;
        const flipped = {
          ...{ ...headers, body: Buffer.from(text) },
          [name]: name === 'body' ? bytes : bytes.toString('latin1'),
        };
        expect(verify(flipped, [secretBytes(secret)], Date.now()).ok).toBe(false);
      },
    ),
    runs(2000),
  );
});
