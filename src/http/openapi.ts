import { type TSchema, Type } from 'typebox';
import { keysNamed } from './auth.ts';
import type { Documented, Route } from './route.ts';
import { error } from './schemas.ts';

/** The API as an OpenAPI document, from the definitions that are served. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

export interface Operation {
  summary: string;
  description: string;
  security: object[];
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: TSchema }[];
  requestBody?: { required: true; content: Record<string, { schema: TSchema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>;
}

const about = `Every error has the shape \`{ error, code, traceId, details? }\`. A request may bring its own \`X-Request-Id\` (8 to 64 letters, digits, - and _); it is the trace id in answers, logs and intents, and is answered as \`x-request-id\`. Where traces are told to a collector, intents carry on a \`traceparent\` that its caller follows instead. Another method than those listed is answered with 405 and \`Allow\`. Where no key is set, only requests to localhost that no proxy has passed on are answered (403 otherwise).`;

export function openApiOf(routes: readonly Route[]): OpenApi {
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{page}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidings', version: '1', description: about },
    paths,
    components: {
      schemas: { Error: error },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function operationOf(route: Route): Operation {
  const { who } = route;
  return {
    summary: route.summary,
    description: needOf(who),
    security: who === 'anybody' || who === 'the world' ? [] : [{ bearer: [] }, { apiKey: [] }],
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...(who === 'users' ? [userHeader] : []),
    ],
    ...(route.body && {
      requestBody: { required: true, content: { 'application/json': { schema: route.body } } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer)]),
      ),
      ...Object.fromEntries(
        Object.entries(refusalsOf(route)).map(([status, when]) => [status, refusal(when)]),
      ),
      ...(!route.isConstant && { default: refusal('Something broke on our side.') }),
    },
  };
}

function needOf(who: Route['who']): string {
  if (who === 'anybody' || who === 'the world') return 'Needs no key.';
  if (who === 'users')
    return `Needs a user's session token of Clerk; or an ${keysNamed(['operator', 'service'])}, with the user named by \`X-User-Id\`.`;
  return `Needs an ${keysNamed([...new Set(['operator', ...who] as const)])}.`;
}

const userHeader: Operation['parameters'][number] = {
  ...{ name: 'X-User-Id', in: 'header', required: false },
  schema: Type.String({ description: 'For whom a service asks; with a session it is not needed.' }),
};

function parametersOf(schema: TSchema | undefined, place: 'path' | 'query'): Operation['parameters'] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, one]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: one,
  }));
}

/** Beside the operator, who may do everything. */
const everyRole = ['read', 'service', 'trigger'] as const;

/** What can go wrong with any route of its kind. */
function refusalsOf(route: Route): Record<string, string> {
  const isChecked = route.params ?? route.query ?? route.body;
  return {
    ...(isChecked && { 400: 'Something in the address, the query or the body is not as it must be.' }),
    ...(route.body && { 413: 'The body is too large.' }),
    ...(route.body && !route.takesBytes && { 415: 'The body is not JSON.' }),
    ...(route.who !== 'anybody' &&
      route.who !== 'the world' && {
        401: 'No key, or a wrong one.',
        // Where a specification has words for a wrong key, one of another role is wrong.
        ...(route.wrongKey === undefined &&
          !everyRole.every((role) => route.who.includes(role)) && { 403: 'A key of another role.' }),
        429: 'Too many requests; Retry-After says how long to wait.',
      }),
    ...route.refusals,
  };
}

const answerOf = ({ when, schema = {} as TSchema, type = 'application/json' }: Documented) => ({
  description: when,
  content: type === null ? {} : { [type]: { schema } },
});

const refusal = (when: string) => ({
  description: when,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});
