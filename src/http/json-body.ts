import type { FastifyInstance } from 'fastify';
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
  try {
    JSON.parse(text);
  } catch (error) {
    const sentence = `The body is not JSON: ${placeIn(text, String(error))}; check its quotes, commas and brackets.`;
    return new Refusal('malformed_json', sentence);
  }
  return new Refusal(
    'malformed_json',
    'The body has a key __proto__ or constructor.prototype; leave it out.',
  );
}

/** Node names the position, or one character, or says that there is no more. The rest of its message is the body itself. */
function placeIn(text: string, message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) {
    const before = text.slice(0, Number(position)).split('\n');
    return `it breaks at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  const token = /Unexpected token '(.)'/u.exec(message)?.[1];
  return token === undefined ? 'it ends too early' : `there is a ${token} where none may be`;
}
