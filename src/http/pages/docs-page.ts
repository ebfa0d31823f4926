import type { OpenApi, Operation } from '../openapi.ts';
import { escapeHtml, pageOf } from './html.ts';

/** The OpenAPI document as a page: it loads nothing, and is made of nothing but the document. */
export function docsPage({ info, paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operation,
      name: `${method.toUpperCase()} ${path}`,
      id: `${method}${path}`.replaceAll(/[^a-z0-9]+/gi, '-'),
    })),
  );
  return pageOf({
    title: 'The API of Tidings',
    style,
    content: `<h1>The API of ${escapeHtml(info.title)}</h1>
<p>${words(info.description)}</p>
<p>For programs: <a href="/docs/openapi.json">openapi.json</a></p>
<nav aria-label="Routes"><ul>${operations.map(({ name, id }) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`).join('')}</ul></nav>
${operations.map(({ operation, name, id }) => section(operation, name, id)).join('\n')}`,
  });
}

/** What stands between back-ticks is code. */
function words(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

function section(operation: Operation, name: string, id: string): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  return `<section>
<h2 id="${id}"><code>${escapeHtml(name)}</code></h2>
<p>${words(summary)}${summary.endsWith('?') ? '' : '.'} ${words(description)}</p>
${
  parameters.length > 0
    ? rows(
        'Parameter',
        parameters.map((one) => [`${one.name}${one.required ? '' : '?'}`, shapeOf(one.schema)]),
      )
    : ''
}
${body ? `<details><summary>Body</summary>${code(body)}</details>` : ''}
${rows(
  'Answer',
  Object.entries(responses).map(([status, answer]) => [status, words(answer.description)]),
)}
</section>`;
}

function rows(title: string, cells: readonly (readonly [string, string])[]): string {
  const lines = cells.map(
    ([name, text]) => `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${text}</td></tr>`,
  );
  return `<table><caption>${title}</caption><tbody>${lines.join('')}</tbody></table>`;
}

function shapeOf(schema: object): string {
  const { description = '', ...rest } = schema as { description?: string };
  return `${words(description)} <code>${escapeHtml(JSON.stringify(rest))}</code>`;
}

const code = (value: unknown) => `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`;

const style = `
nav ul,h2{overflow-wrap:anywhere}
nav ul{list-style:none;margin:16px 0;padding:0;font:14px/1.8 ui-monospace,monospace}
section{border-top:1px solid var(--hair);margin-top:24px}
table{width:100%;border-collapse:collapse;margin:8px 0;font-size:14px;table-layout:fixed}
caption{text-align:left;color:var(--muted)}
th,td{text-align:left;vertical-align:top;padding:4px 8px 4px 0;border-top:1px solid var(--hair);overflow-wrap:anywhere}
th{width:110px;font-weight:400}
summary{cursor:pointer}
`;
