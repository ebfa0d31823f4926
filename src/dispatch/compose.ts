import { listHeaders } from '../consent/list-headers.ts';
import type { Unsubscribe } from '../consent/unsubscribe.ts';
import { checkMail, type Mail, requiredTags, type Sender } from '../domain/message.ts';
import { type Rendered, render } from '../emails/render.ts';
import type { Composed } from '../outbox/begin.ts';
import type { Claimed } from '../outbox/claim.ts';
import type { Report } from '../outbox/record.ts';
import type { Trail } from '../outbox/trail.ts';
import type { Draft, Source } from '../sources/source.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { thrownText } from '../std/without-addresses.ts';

/** From claimed deliveries to mails: what was frozen is taken as it is, what is new is drafted, rendered and checked. */
export interface Composition {
  composed: Composed[];
  /** Deliveries that cannot be sent as they are, with the reason; the rest of the batch goes on. */
  reports: Report[];
}

export interface ComposeParts {
  from: Sender;
  /** Which deployment this is: a tag on every mail. */
  environment: string;
  worker: string;
  clock: Clock;
  log: Log;
  /** The way out of each mail. */
  linksFor: Unsubscribe['linksFor'];
  /** Where somebody follows. */
  trail?: Trail | undefined;
}

export async function compose(
  source: Source,
  batch: readonly Claimed[],
  parts: ComposeParts,
): Promise<Composition> {
  const since = parts.trail?.start();
  const fresh = batch.filter(({ frozen }) => !frozen);
  const drafts = await draftAll(source, fresh, parts.log);
  const links = await parts.linksFor(fresh);
  const result: Composition = { composed: [], reports: [] };
  for (const claimed of batch) {
    const made = claimed.frozen
      ? ({ kind: 'composed', composed: { claimed, mail: claimed.frozen } } as const)
      : await mailOf(claimed, drafts.get(claimed.seq), links.get(claimed.seq) ?? '', parts);
    parts.trail?.composed(claimed, made, since);
    if (made.kind === 'composed') result.composed.push(made.composed);
    else result.reports.push(reportOf(claimed, made, parts));
  }
  return result;
}

type Drafts = Map<number, Draft>;

/** A source that throws is asked again for each delivery alone: the one that it cannot draft waits, the others go on. */
async function draftAll(source: Source, fresh: readonly Claimed[], log: Log): Promise<Drafts> {
  if (fresh.length === 0) return new Map();
  try {
    return new Map(await source.draft(fresh));
  } catch (error) {
    log.error('source.draft_failed', { source: source.name, deliveries: fresh.length, error });
    const [only] = fresh;
    if (fresh.length === 1 && only) {
      return new Map([
        [only.seq, { kind: 'later', error: { code: 'draft_failed', message: thrownText(error) } }],
      ]);
    }
  }
  const drafts: Drafts = new Map();
  for (const claimed of fresh) {
    for (const [seq, draft] of await draftAll(source, [claimed], log)) drafts.set(seq, draft);
  }
  return drafts;
}

type Composure = { kind: 'composed'; composed: Composed } | Exclude<Draft, { kind: 'draft' | 'written' }>;

const draftAgainMs = 30_000;

function reportOf(
  { seq, id, traceId, lease }: Claimed,
  made: Exclude<Composure, { kind: 'composed' }>,
  { worker, clock }: ComposeParts,
): Report {
  const base = { seq, id, traceId, lease, actor: worker };
  if (made.kind === 'no_address') {
    const error = { code: 'no_address', message: 'The source knows no address for this delivery.' };
    return { ...base, event: 'no_address', error: made.error ?? error };
  }
  if (made.kind !== 'later') return { ...base, event: made.kind, error: made.error };
  return { ...base, event: 'deferred', dueAt: made.dueAt ?? clock.now() + draftAgainMs, error: made.error };
}

async function mailOf(
  claimed: Claimed,
  draft: Draft | undefined,
  unsubscribeUrl: string,
  { from, environment, log }: ComposeParts,
): Promise<Composure> {
  if (!draft) return unsendable('no_draft', `The source ${claimed.source} gave no answer for this delivery.`);
  if (draft.kind !== 'draft' && draft.kind !== 'written') return draft;
  const rendered =
    draft.kind === 'written' ? writtenBefore(claimed) : await renderSafely(draft, unsubscribeUrl, log);
  if ('kind' in rendered) return rendered;
  if (!rendered.ok) return unsendable(rendered.code, rendered.sentence);
  const { subject, html, text } = rendered;
  // Last, so that a source cannot pass its mail off as another delivery's.
  const tags = { ...draft.tags, ...requiredTags(claimed.id, claimed.round, environment) };
  const mail: Mail = {
    from,
    to: draft.to,
    subject,
    html,
    text,
    headers: listHeaders(unsubscribeUrl),
    tags,
  };
  const checked = checkMail(mail);
  if (!checked.ok) return unsendable(checked.code, checked.sentence);
  const template = { name: rendered.templateName, version: rendered.templateVersion };
  return { kind: 'composed', composed: { claimed, mail, template } };
}

function writtenBefore({ written, templateName, templateVersion }: Claimed): Rendered {
  if (written === null) {
    return {
      ok: false,
      code: 'template_failed',
      sentence: 'The source says that it has composed this mail, and has not.',
    };
  }
  return { ok: true, ...written, templateName: templateName ?? '', templateVersion: templateVersion ?? '' };
}

/** A template that cannot be loaded says nothing about the delivery: it waits, as for a source that cannot draft. */
async function renderSafely(draft: Extract<Draft, { kind: 'draft' }>, unsubscribeUrl: string, log: Log) {
  try {
    return await render({ ...draft, unsubscribeUrl });
  } catch (error) {
    log.error('template.load_failed', { template: draft.template, error });
    return { kind: 'later', error: { code: 'template_load_failed', message: thrownText(error) } } as const;
  }
}

function unsendable(code: string, message: string): Composure {
  return { kind: 'unsendable', error: { code, message } };
}
