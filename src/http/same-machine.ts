import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../std/loopback.ts';
import { Refusal } from '../std/refusal.ts';

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'via'];

/**
 * Without keys, being on this machine is the permission, and a browser on this machine carries out what pages of strangers ask
 * for. A page can make its own name point here (then the Host is that name), or post across sites (then the browser says so).
 */
export function requireSameMachine(
  method: string,
  headers: IncomingHttpHeaders,
  remoteAddress: string | undefined,
): void {
  const { host = '', origin } = headers;
  // A proxy on this machine comes from loopback with the requests of everybody.
  const isPassedOn = proxyHeaders.some((name) => headers[name] !== undefined);
  if (isPassedOn || !isLoopback((remoteAddress ?? '').replace(/^::ffff:/i, ''))) {
    throw new Refusal(
      'foreign_request',
      'Without API keys only this machine itself is answered, and nothing that a proxy passes on. Ask directly, or set OPERATOR_API_KEY.',
    );
  }
  if (!isLoopback(host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1'))) {
    throw new Refusal(
      'foreign_host',
      'Without API keys only requests to localhost are answered. Ask for localhost or 127.0.0.1, or set OPERATOR_API_KEY.',
    );
  }
  if (method === 'GET' || method === 'HEAD') return;
  const site = headers['sec-fetch-site'] ?? 'none';
  const isFromOtherPage =
    (site !== 'none' && site !== 'same-origin') || (origin !== undefined && origin !== `http://${host}`);
  if (isFromOtherPage) {
    throw new Refusal(
      'cross_site',
      'Without API keys nothing is done on the word of another page. Ask from the command line or a program, or set OPERATOR_API_KEY.',
    );
  }
}
