import { everything, type Pause } from '../../dispatch/pauses.ts';
import { type Status, statuses, statusNames } from '../../domain/status.ts';
import { type Meaning, meanings } from '../../domain/tell-now.ts';
import { escapeHtml, pageOf } from './html.ts';

/** The stations on the line from left to right; all other statuses are the ways off it. */
const line: readonly Status[] = ['pending', 'sending', 'sent', 'delivered'];

interface Standing {
  counts: readonly { status: Status; count: number }[];
  pauses: readonly Pause[];
  environment: string;
  /** The built-in one: with a real provider there is nothing in it. */
  hasInbox: boolean;
  /** There are sections to watch. */
  hasSeats: boolean;
  /** There are newsletters and alerts to follow. */
  hasNewsletters: boolean;
}

export function homePage(standing: Standing): string {
  const { counts, pauses, environment, hasInbox } = standing;
  const sums = new Map<Status, number>();
  for (const { status, count } of counts) sums.set(status, (sums.get(status) ?? 0) + count);
  const offLine = statusNames.filter((status) => !line.includes(status) && sums.has(status));
  const total = [...sums.values()].reduce((sum, count) => sum + count, 0);
  return page(`<p class="muted">Deployment: ${escapeHtml(environment)}. ${total === 1 ? '1 delivery' : `${total} deliveries`} in the outbox.</p>
${pauses.map(stopped).join('')}
<h2>Deliveries</h2>
<ol class="line">${line.map((status) => `<li>${station(status, sums.get(status) ?? 0)}</li>`).join('')}</ol>
${offLine.length > 0 ? `<ul class="off">${offLine.map((status) => `<li>${station(status, sums.get(status) ?? 0)}</li>`).join('')}</ul>` : ''}
<h2>${total === 0 ? 'No mail has been asked for yet. Send the first:' : 'Try next'}</h2>
<pre><code>npx tidings send --to you@example.org --subject Hello --text "It works."
${hasInbox ? 'npx tidings inbox\n' : ''}npx tidings deliveries list</code></pre>
<p class="muted">What is configured, and what is only a sample: <code>npx tidings doctor</code></p>
${standing.hasNewsletters ? newsletters : ''}${forPeople(standing)}`);
}

/** For whoever has no key that reads. */
export function closedHomePage(standing: Pick<Standing, 'hasSeats'>): string {
  return page(`<p class="muted">What it has in hand is shown to whoever sends a key that reads.</p>
${forPeople(standing)}`);
}

const newsletters = `<h2>Newsletters and alerts</h2>
<pre><code>npx tidings notifications list
npx tidings plan newsletter_entity_monthly
npx tidings runs list</code></pre>
<p class="muted">Who follows what, who would be told of the last month and what they would read, and what has been told.</p>
`;

function forPeople({ hasSeats }: Pick<Standing, 'hasSeats'>): string {
  const seats = '<p class="muted">For students: <a href="/seats">watch a course section</a></p>\n';
  return `${hasSeats ? seats : ''}<p class="muted">For programs: <a href="/docs">the API</a></p>`;
}

function page(content: string): string {
  return pageOf({ title: 'Tidings is running', style, content: `<h1>Tidings is running</h1>\n${content}` });
}

function stopped({ scope, reason, at }: Pause): string {
  const what = scope === everything ? 'Everything' : `The source ${escapeHtml(scope)}`;
  const iso = new Date(at).toISOString();
  const since = `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
  return `<p><span class="stopped" aria-hidden="true">■</span> ${what} is paused since ${since}: ${escapeHtml(reason)}</p>`;
}

/** A shape besides the colour, for those who cannot tell colours apart. */
const shapes: Record<Meaning, { sign: string; class: string }> = {
  good: { sign: '●', class: 'good' },
  'in hand': { sign: '◐', class: 'hand' },
  'needs a person': { sign: '▲', class: 'person' },
  'stopped on purpose': { sign: '■', class: 'stopped' },
};

function station(status: Status, count: number): string {
  const shape = shapes[meanings[status]];
  return `<span class="count">${count}</span><span class="name"><span class="${shape.class}" aria-hidden="true">${shape.sign}</span> ${status}</span><span class="muted">${escapeHtml(statuses[status].meaning)}</span>`;
}

const style = `
ol,ul{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));border-top:1px solid var(--hair)}
li{padding:12px 12px 12px 0;position:relative;border-bottom:1px solid var(--hair)}
.line li+li::before{content:"→";position:absolute;left:-24px;top:16px;color:var(--muted)}
@media (max-width:640px){.line li+li::before{content:none}}
.off{border-top:0}
.count{display:block;font-size:20px;font-variant-numeric:tabular-nums}
.name{display:block;font:12px/1.5 ui-monospace,monospace;white-space:nowrap}
.good{color:var(--good)}.hand{color:var(--hand)}.person{color:var(--person)}.stopped{color:var(--stopped)}
`;
