import { describe, expect, it } from 'vitest';
import { Refusal } from '../std/refusal.ts';
import { fingerprint, readSmtpUrl } from './smtp-url.ts';

describe('the URL of a mail server', () => {
  it('names host, port, encryption and credentials, with their signs decoded', () => {
    expect(readSmtpUrl('smtps://ana%40example.org:p%2Fw@mail.example.org:4650')).toEqual({
      host: 'mail.example.org',
      port: 4650,
      isSecure: true,
      credentials: { user: 'ana@example.org', pass: 'p/w' },
      startTls: 'required',
      tls: {},
    });
    expect(readSmtpUrl('smtp://[::1]')).toMatchObject({ host: '::1', port: 587, isSecure: false });
  });

  it('a password never leaves the machine in the clear unless somebody says so', () => {
    expect(readSmtpUrl('smtp://a:b@mail.example.org').startTls).toBe('required');
    expect(readSmtpUrl('smtp://mail.example.org').startTls).toBe('if_offered');
    expect(readSmtpUrl('smtp://127.evil.example').startTls).toBe('if_offered');
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]']) {
      expect(readSmtpUrl(`smtp://a:b@${host}:25`).startTls).toBe('never');
    }
    expect(readSmtpUrl('smtp://a:b@mail.example.org', { startTls: 'never' }).startTls).toBe('never');
  });

  it.each([
    'mail.example.org',
    'http://mail.example.org',
    'smtp://',
    'smtp://secret@mail.example.org',
    'smtp://:secret@mail.example.org',
    'smtp://a:secret%@mail.example.org',
    'smtp://a:secret@mail.example.org?pool=true',
    'smtp://a:secret@mail.example.org/path',
  ])('%s is refused without being repeated', (url) => {
    expect(() => readSmtpUrl(url)).toThrow(Refusal);
    expect(() => readSmtpUrl(url)).not.toThrow(/secret/);
  });

  it('its account is host and user: a new password is the same account, and none is in it', () => {
    const of = (url: string) => fingerprint(readSmtpUrl(url));
    expect(of('smtp://a:one@mail.example.org')).toBe(of('smtps://a:two@MAIL.example.org:465'));
    expect(of('smtp://a:one@mail.example.org')).not.toBe(of('smtp://b:one@mail.example.org'));
    expect(of('smtp://a:one@mail.example.org')).not.toBe(of('smtp://a:one@other.example.org'));
    expect(of('smtp://a:one@mail.example.org')).toMatch(/^[0-9a-f]{12}$/);
  });
});
