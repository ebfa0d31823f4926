import type { FastifyInstance } from 'fastify';
import { jsonBreak } from '../std/json-break.ts';
import { Refusal } from '../std/refusal.ts';

/** JSON and nothing else. Where it is broken the sentence says at which place, and never what stands there. */
export function takeJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    parse(request, text, (error, value) => {
      const isBroken = (error as { code?: string } | null)?.code === 'FST_ERR_CTP_INVALID_JSON_BODY';
      done(isBroken ? refusalOf(text) : error, value);
    });
  });
}

function refusalOf(text: string): Refusal {
  const place = jsonBreak(text);
  const sentence =
    place === undefined
      ? 'The body has a key __proto__ or constructor.prototype; leave it out.'
      : `The body is not JSON: ${place}; check its quotes, commas and brackets.`;
  return new Refusal('malformed_json', sentence);
}
