import { type OpenApi, openApiOf } from '../openapi.ts';
import { docsPage } from '../pages/docs-page.ts';
import { defineRoute, type Route } from '../route.ts';

/** The API for people and for programs. It holds no secret, so it needs no key. */
export function docsRoutes(others: readonly Route[]): Route[] {
  let api: OpenApi;
  let page: string | undefined; // Made once: it is large, and anybody may ask for it.
  const routes = [
    defineRoute({
      method: 'GET',
      path: '/docs',
      summary: 'The API as a page',
      who: 'anybody',
      isConstant: true,
      answers: { 200: { when: 'A page.', type: 'text/html' } },
      async handle() {
        page ??= docsPage(api);
        return { status: 200, body: page, type: 'text/html; charset=utf-8' };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/docs/openapi.json',
      summary: 'The API as an OpenAPI document',
      who: 'anybody',
      isConstant: true,
      answers: { 200: { when: 'OpenAPI 3.1.' } },
      async handle() {
        return { status: 200, body: api };
      },
    }),
  ];
  api = openApiOf([...others, ...routes]);
  return routes;
}
