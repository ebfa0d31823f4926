import { describe, expect, it } from 'vitest';
import { verifyPassword } from './basic-auth.ts';

const password = '0123456789abcdef0123456789abcdef';
const body = Buffer.from('{"RecordType":"Delivery"}');
const encoded = (text: string) => Buffer.from(text).toString('base64');
const verify = (authorization: string | undefined, given = body, passwords: readonly string[] = [password]) =>
  verifyPassword({ provider: 'postmark', headers: { authorization }, body: given }, passwords);

describe('a password', () => {
  it('is taken with any user name, and in any spelling of the scheme', () => {
    for (const scheme of ['Basic', 'basic', 'BASIC']) {
      expect(verify(`${scheme} ${encoded(`tidings:${password}`)}`)).toMatchObject({ ok: true });
    }
    expect(verify(`Basic ${encoded(`:${password}`)}`)).toMatchObject({ ok: true });
  });

  it('may be one of several, while it is replaced', () => {
    const old = 'f'.repeat(32);
    expect(verify(`Basic ${encoded(`a:${old}`)}`, body, [password, old])).toMatchObject({ ok: true });
    expect(verify(`Basic ${encoded(`a:${old}`)}`)).toMatchObject({ ok: false });
  });

  it.each([
    ['none', undefined, 'missing credentials'],
    ['an empty header', '', 'wrong credentials'],
    ['another scheme', `Bearer ${password}`, 'wrong credentials'],
    ['no colon', `Basic ${encoded(password)}`, 'wrong credentials'],
    ['another one', `Basic ${encoded('tidings:0123456789abcdef0123456789abcdeF')}`, 'wrong credentials'],
    ['its beginning', `Basic ${encoded(`tidings:${password.slice(0, -1)}`)}`, 'wrong credentials'],
    ['more than it', `Basic ${encoded(`tidings:${password}0`)}`, 'wrong credentials'],
    ['nothing', `Basic ${encoded('tidings:')}`, 'wrong credentials'],
    ['no base64', 'Basic !!!!', 'wrong credentials'],
    ['a novel', `Basic ${'A'.repeat(100_000)}`, 'wrong credentials'],
    ['two', `Basic ${encoded('a:b')}, Basic ${encoded(`a:${password}`)}`, 'wrong credentials'],
  ])('%s is refused', (_, authorization, problem) => {
    expect(verify(authorization)).toEqual({ ok: false, problem });
  });

  it('is never right where none is set', () => {
    expect(verify(`Basic ${encoded('tidings:')}`, body, [])).toMatchObject({ ok: false });
    expect(verify(`Basic ${encoded(`tidings:${password}`)}`, body, [])).toMatchObject({ ok: false });
  });
});

describe('an event', () => {
  const ours = `Basic ${encoded(`tidings:${password}`)}`;
  it('has the name that its bytes give it', () => {
    const [one, again, other] = [body, Buffer.from(body), Buffer.from('{"RecordType":"Open"}')].map((bytes) =>
      verify(ours, bytes),
    );
    expect(one).toMatchObject({ ok: true, text: '{"RecordType":"Delivery"}' });
    expect(one).toEqual({ ...one, id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    expect(again).toEqual(one);
    expect(other).not.toMatchObject({ id: one && 'id' in one ? one.id : '' });
  });

  it('that is no text is refused', () => {
    expect(verify(ours, Buffer.from([0x22, 0xff, 0x22]))).toEqual({ ok: false, problem: 'not text' });
  });
});
