import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { secretBytes, verify } from './signature.ts';

// The published example of the scheme.
const secret = secretBytes('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const request = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  body: Buffer.from('{"test": 2432232314}'),
};
const now = 1_614_265_330_000;
const invalid = { ok: false, problem: 'invalid signature' };

describe('a signed request', () => {
  it('002-P7-01 is accepted for its bytes as they came', () => {
    const text = '{"test": 2432232314}';
    expect(verify(request, [secret], now)).toEqual({ ok: true, id: request.id, text });
    const otherBytes = { ...request, body: Buffer.from('{"test":2432232314}') };
    expect(verify(otherBytes, [secret], now)).toEqual(invalid);
  });

  it('is accepted under any of several secrets, and with any of several signatures', () => {
    const other = Buffer.from('another secret of 24 bytes');
    expect(verify(request, [other, secret], now).ok).toBe(true);
    const signature = `v1,${Buffer.alloc(32).toString('base64')} v2,xyz v1a,${request.signature.slice(3)} ${request.signature}`;
    expect(verify({ ...request, signature }, [secret], now).ok).toBe(true);
    expect(verify(request, [other], now)).toEqual(invalid);
    expect(verify(request, [], now)).toEqual(invalid);
  });

  it.each([
    [-300_000, true],
    [300_000, true],
    [-300_001, false],
    [300_001, false],
  ])('is accepted from five minutes ago to five minutes ahead: %i ms', (ms, isAccepted) => {
    expect(verify(request, [secret], now + ms).ok).toBe(isAccepted);
  });

  it.each([{ id: '' }, { id: undefined }, { timestamp: undefined }, { timestamp: '' }, { signature: '' }])(
    '002-P7-02 lacks a header: %j',
    (more) => {
      const verdict = verify({ ...request, ...more }, [secret], now);
      expect(verdict).toEqual({ ok: false, problem: 'missing headers' });
    },
  );

  it.each([
    { timestamp: '1614265330 ' },
    { timestamp: '1614265330junk' },
    { timestamp: '1614265330\n' },
    { timestamp: '01614265330' },
    { timestamp: '1.61426533e9' },
    { timestamp: '१६१४२६५३३०' },
    { id: 'msg other' },
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek, msg_p5jXN8AQM9LWM0D4loKWxJek' },
    { id: 'x'.repeat(129) },
    { signature: 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
    { signature: `v1a${request.signature.slice(2)}` },
    { signature: `v2${request.signature.slice(2)}` },
    { signature: 'v1,' },
    { signature: `${request.signature}=` },
    { signature: `${request.signature}AAAA` },
    { signature: `${request.signature.slice(0, 10)}!${request.signature.slice(10)}` },
    { signature: request.signature.replaceAll('+', '-').replaceAll('/', '_') },
    { body: Buffer.from([0x7b, 0xff, 0x7d]) },
    { body: Buffer.alloc(0) },
  ])('002-P7-03 is not what it should be: %j', (more) => {
    expect(verify({ ...request, ...more }, [secret], now)).toEqual(invalid);
  });

  it.each(['1OF=', '1OG=', '1OH='])(
    'fuzzer seed 398975507: has one spelling, though its last letter has two bits that no byte takes: %s',
    (end) => {
      const signature = request.signature.replace('1OE=', end);
      expect(Buffer.from(signature.slice(3), 'base64')).toEqual(
        Buffer.from(request.signature.slice(3), 'base64'),
      );
      expect(verify({ ...request, signature }, [secret], now)).toEqual(invalid);
    },
  );

  it('is refused if its bytes are no text, whoever signed them', () => {
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    const mac = createHmac('sha256', secret).update(`${request.id}.${request.timestamp}.`).update(body);
    const signature = `v1,${mac.digest('base64')}`;
    expect(verify({ ...request, body, signature }, [secret], now)).toEqual(invalid);
  });

  it('cannot be cut at another dot than the one that was signed', () => {
    const body = Buffer.from('1614265331.{}');
    const text = `${request.id}.${request.timestamp}.${body}`;
    const signature = `v1,${createHmac('sha256', secret).update(text).digest('base64')}`;
    expect(verify({ ...request, body, signature }, [secret], now).ok).toBe(true);
    const cut = { id: `${request.id}.${request.timestamp}`, timestamp: '1614265331', signature };
    expect(verify({ ...cut, body: Buffer.from('{}') }, [secret], now)).toEqual(invalid);
  });
});
