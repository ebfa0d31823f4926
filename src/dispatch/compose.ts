import { checkMail, type Mail, requiredTags, type Sender } from '../domain/message.ts';
import { render } from '../emails/render.ts';
import type { Composed } from '../outbox/begin.ts';
import type { Claimed } from '../outbox/claim.ts';
import type { Report } from '../outbox/record.ts';
import type { Draft, Source } from '../sources/source.ts';

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
}

export async function compose(
  source: Source,
  batch: readonly Claimed[],
  worker: string,
  parts: ComposeParts,
): Promise<Composition> {
  const fresh = batch.filter(({ frozen }) => !frozen);
  const drafts = fresh.length > 0 ? await source.draft(fresh) : new Map<number, Draft>();
  const result: Composition = { composed: [], reports: [] };
  for (const claimed of batch) {
    if (claimed.frozen) {
      result.composed.push({ claimed, mail: claimed.frozen });
      continue;
    }
    const mail = mailOf(claimed, drafts.get(claimed.seq), parts);
    const report = { seq: claimed.seq, lease: claimed.lease, actor: worker };
    if (mail.kind === 'mail') result.composed.push({ claimed, mail: mail.mail });
    else if (mail.kind === 'no_address') result.reports.push({ ...report, event: 'no_address' });
    else result.reports.push({ ...report, event: 'unsendable', error: mail.error });
  }
  return result;
}

type Composure = { kind: 'mail'; mail: Mail } | Exclude<Draft, { kind: 'draft' }>;

function mailOf(claimed: Claimed, draft: Draft | undefined, { from, environment }: ComposeParts): Composure {
  if (!draft) return unsendable('no_draft', `The source ${claimed.source} gave no answer for this delivery.`);
  if (draft.kind !== 'draft') return draft;
  const rendered = renderSafely(draft);
  if (!rendered.ok) return unsendable(rendered.code, rendered.sentence);
  const { subject, html, text } = rendered;
  const tags = requiredTags(claimed.id, claimed.round, environment);
  const mail: Mail = {
    from,
    to: draft.to,
    subject,
    html,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
    tags,
  };
  const checked = checkMail(mail);
  return checked.ok ? { kind: 'mail', mail } : unsendable(checked.code, checked.sentence);
}

/** A template that throws ends its delivery, not its batch. */
function renderSafely(draft: Extract<Draft, { kind: 'draft' }>) {
  try {
    return render(draft.template, draft.props);
  } catch (error) {
    return {
      ok: false,
      code: 'template_failed',
      sentence: `The template ${draft.template} threw: ${String(error)}`,
    } as const;
  }
}

function unsendable(code: string, message: string): Composure {
  return { kind: 'unsendable', error: { code, message } };
}
