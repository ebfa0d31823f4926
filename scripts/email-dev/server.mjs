import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { framed, pageOf } from './page.mjs';

const client = readFileSync(new URL('./client.js', import.meta.url));
const none = "default-src 'none';base-uri 'none';form-action 'none'";
const policies = {
  page: `${none};style-src 'unsafe-inline';script-src 'self';connect-src 'self';frame-src 'self';frame-ancestors 'none'`,
  // Also where it is opened outside of its frame, nothing of a mail runs.
  mail: `${none};style-src 'unsafe-inline';frame-ancestors 'self';sandbox`,
};

/** Listens on this machine only, and answers only who asks for it by that name: another site's page cannot read along. */
export function serveMails(mails, port) {
  const routes = {
    '/': (query, response) => answer(response, 200, 'text/html', pageOf(mails.state, query), policies.page),
    '/mail': (query, response) => {
      const mail = framed(mails.state, query);
      if (mail === undefined) answer(response, 404, 'text/plain', 'There is no such mail.', policies.mail);
      else answer(response, 200, 'text/html', mail, policies.mail);
    },
    '/client.js': (_, response) => answer(response, 200, 'text/javascript', client, none),
    '/events': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      const tell = (version) => response.write(`retry: 500\ndata: ${version}\n\n`);
      tell(mails.state.version);
      response.once('close', mails.onMade(tell));
    },
  };
  const server = createServer((request, response) => {
    if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/i.test(request.headers.host ?? ''))
      return answer(response, 403, 'text/plain', 'This is for localhost only.', none);
    if (!['GET', 'HEAD'].includes(request.method))
      return answer(response, 405, 'text/plain', 'There is nothing to change here.', none);
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
    if (!route) return answer(response, 404, 'text/plain', 'There is nothing at this address.', none);
    route(Object.fromEntries(searchParams), response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve({
        url: `http://localhost:${server.address().port}`,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

function answer(response, status, type, body, policy) {
  response.writeHead(status, {
    ...{ 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' },
    ...{
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  });
  response.end(body);
}
