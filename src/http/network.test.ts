import { describe, expect, test } from 'vitest';
import { networkOf } from './network.ts';

describe('whom a request is counted for', () => {
  test.each([
    ['a stranger', '203.0.113.7', undefined, '203.0.113.7'],
    ['a stranger who names somebody else', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['behind a proxy on this machine', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['behind a proxy in the private network', '172.18.0.2', '198.51.100.1', '198.51.100.1'],
    ['172.32 is not private', '172.32.0.2', '198.51.100.1', '172.32.0.2'],
    [
      'what came before the nearest proxy may be made up',
      '10.0.0.2',
      '1.1.1.1, 198.51.100.1',
      '198.51.100.1',
    ],
    ['a proxy that names nobody', '10.0.0.2', 'unknown', '10.0.0.2'],
    ['a proxy that names nothing', '10.0.0.2', '', '10.0.0.2'],
    ['IPv4 in the clothes of IPv6', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['a proxy in the clothes of IPv6', '::ffff:10.0.0.2', '::ffff:198.51.100.1', '198.51.100.1'],
    ['this machine by IPv6', '::1', undefined, '0:0:0:0'],
    ['a network of IPv6', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
    ['the same with zeros', '2001:0db8:0001:0002::6', undefined, '2001:db8:1:2'],
    ['zeros in its network', '2001:db8::6', undefined, '2001:db8:0:0'],
    ['a proxy of an own network of IPv6', 'fd12:3456::1', '2001:DB8:1:2::9', '2001:db8:1:2'],
  ])('%s', (_, remote, forwarded, network) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    expect(networkOf(remote, headers)).toBe(network);
  });
});
