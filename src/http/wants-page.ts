import type { FastifyRequest } from 'fastify';
import { readTag } from './accept-language.ts';

/** A browser names a handful; whoever names a thousand is not read to the end. */
const rangesMax = 20;

/**
 * Whether a person at a browser looks for a page here, by RFC 9110 12.5.1: they like HTML better than JSON. Programs name JSON, anything
 * or nothing; the API answers all alike.
 */
export function wantsPage({ method, url, headers: { accept = '' } }: Asking): boolean {
  if (!['GET', 'HEAD'].includes(method) || /^\/api(?:[/?]|$)/.test(url)) return false;
  const ranges = new Map(
    accept
      .toLowerCase()
      .split(',', rangesMax)
      .map((text) => [readTag(text).tag, readTag(text).weight]),
  );
  const likes = (type: string, family: string) =>
    ranges.get(type) ?? ranges.get(family) ?? ranges.get('*/*') ?? 0;
  return likes('text/html', 'text/*') > likes('application/json', 'application/*');
}

type Asking = Pick<FastifyRequest, 'method' | 'url' | 'headers'>;
