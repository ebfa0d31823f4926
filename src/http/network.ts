import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from '../std/loopback.ts';

/**
 * Whom to count a request of a stranger for. Behind a proxy all come from its address, and one who asks too often would lock out
 * everybody: so where the connection comes from this machine or from a private network, whom the nearest proxy names is
 * believed. In IPv6 whoever has one address has 2^64 of them: those count as one.
 */
export function networkOf(remoteAddress: string, headers: IncomingHttpHeaders): string {
  const peer = plain(remoteAddress);
  const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? '';
  const address = isOurs(peer) && (isIPv4(plain(named)) || isIPv6(named)) ? plain(named) : peer;
  return isIPv6(address) ? prefixOf(address) : address;
}

const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

const isOurs = (address: string) =>
  isLoopback(address) ||
  /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|f[cd][0-9a-f]{2}:|fe80:)/i.test(address);

/** The first four groups, whatever zeros are left out. */
function prefixOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const whole = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
