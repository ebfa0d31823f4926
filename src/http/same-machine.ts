import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../std/loopback.ts';
import { Refusal } from '../std/refusal.ts';

/**
 * Without keys, being on this machine is the permission, and a browser on this machine carries out what pages of strangers ask
 * for. A page can make its own name point here (then the Host is that name), or post across sites (then the browser says so).
 */
export function requireSameMachine(method: string, headers: IncomingHttpHeaders): void {
  const { host = '', origin } = headers;
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
