import type { DeliveryEventRow, DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import { type Explanation, explain, type Reason } from '../domain/explain.ts';
import type { Circumstances } from '../domain/hindrances.ts';
import { meanings } from '../domain/meanings.ts';
import { deliveryJson, iso } from '../outbox/delivery-json.ts';
import { stateOf } from '../outbox/rows.ts';
import { ago } from '../std/duration.ts';
import { printable, shellWord } from './printable.ts';
import type { Paint, Terminal } from './terminal.ts';
import { proseWidth, wrap } from './wrap.ts';

/** An explanation on a screen, and the same for programs. */
export interface Explained {
  row: DeliveryRow;
  subject: string | null;
  explanation: Explanation;
  now: number;
}

export function explained(
  row: DeliveryRow,
  { events, mails }: { events: readonly DeliveryEventRow[]; mails: readonly DeliveryMailRow[] },
  circumstances: Circumstances,
): Explained {
  const { seq, id, source, lane, created_at: createdAt, expires_at: expiresAt } = row;
  const mail = mails.findLast(({ round, text }) => round > 0 && text !== null);
  const delivery = {
    ...{ seq, id, source, lane, createdAt, expiresAt, state: stateOf(row) },
    words: {
      recipient: shellWord(row.recipient),
      address: row.to_email === null ? null : shellWord(row.to_email),
    },
    hasMail: mail !== undefined,
  };
  const explanation = explain(delivery, events, circumstances);
  return { row, subject: mail?.subject ?? null, explanation, now: circumstances.now };
}

/** More than this tells nothing more; the whole story is elsewhere. */
const reasonsMax = 12;

export function tellExplanation(one: Explained, { paint, columns }: Pick<Terminal, 'paint' | 'columns'>) {
  const { row, explanation } = one;
  const width = proseWidth(columns);
  const prose = (text: string, indent: string) => wrap(`${indent}${printable(text)}`, width, indent);
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`  ${paint.dim(title)}`, ...lines];
  return [
    `${paint.bold(`Delivery ${row.seq}`)} to ${printable(row.to_email ?? row.recipient)}: ${paint.meaning(meanings[row.status], row.status)}`,
    ...headLines(one).flatMap((line) => wrap(printable(line), width, '  ').map(paint.dim)),
    '',
    ...verdictLines(one, width, paint),
    '',
    ...section('Why', whyLines(one, width, paint)),
    ...section(
      'What it waits for',
      explanation.hindrances.flatMap((sentence) => prose(sentence, '    ')),
    ),
    ...section('What happens next', prose(explanation.next, '    ')),
    ...section(
      'What you can do',
      explanation.remedies.flatMap(({ sentence, command }) => [
        ...prose(sentence, '    '),
        // Never broken: it is there to be copied.
        ...(command === null ? [] : [`      ${paint.bold(printable(command))}`]),
      ]),
    ),
  ];
}

/** One line each, for whoever has asked about a person who got several. */
export function tellVerdict(
  { row, explanation }: Explained,
  { paint, columns }: Pick<Terminal, 'paint' | 'columns'>,
) {
  const number = String(row.seq).padStart(5);
  const lines = wrap(
    `${number}  ${printable(`${row.source}: ${row.occasion}. ${explanation.sentence}`)}`,
    proseWidth(columns),
    ' '.repeat(7),
  );
  return lines.map((line, index) => (index === 0 ? paint.bold(line.slice(0, 5)) + line.slice(5) : line));
}

function headLines({ row, subject, now }: Explained): string[] {
  const about = subject === null ? '' : `, “${subject}”`;
  return [`${row.source}: ${row.occasion}${about}, asked for ${ago(now - row.created_at)}`];
}

function verdictLines({ explanation }: Explained, width: number | undefined, paint: Paint): string[] {
  const { sentence, meaning, isDoubt } = explanation;
  const [first = '', ...rest] = wrap(`  ${isDoubt ? '? ' : ''}${printable(sentence)}`, width, '  ');
  const end = first.indexOf(':') + 1;
  return [`${paint.meaning(meaning, first.slice(0, end))}${first.slice(end)}`, ...rest];
}

function whyLines(
  { row, explanation: { why } }: Explained,
  width: number | undefined,
  paint: Paint,
): string[] {
  const left = Math.max(0, why.length - reasonsMax);
  const [first, ...others] = why;
  const shown: (Reason | 'left out')[] =
    left === 0 || !first ? why : [first, 'left out', ...others.slice(left)];
  const hanging = ' '.repeat(25);
  return shown.flatMap((reason) => {
    if (reason === 'left out') {
      return [paint.dim(`${hanging}… ${left} more: npx tidings deliveries show ${row.seq}`)];
    }
    const evidence = reason.evidence === null ? '' : ` [${reason.evidence}]`;
    const text = `${reason.isDoubt ? '? ' : ''}${printable(reason.sentence)}${evidence}`;
    return [
      ...wrap(`    ${stamp(reason.at)} ${text}`, width, hanging),
      ...(reason.repeated > 0 ? [paint.dim(`${hanging}… and ${reason.repeated} more like this`)] : []),
    ];
  });
}

function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

export function explanationJson({ row, subject, explanation }: Explained) {
  const { answer, sentence, isDoubt, why, hindrances, next, remedies } = explanation;
  return {
    delivery: deliveryJson(row),
    subject,
    answer,
    sentence,
    isDoubt,
    why: why.map(({ at, sentence: told, isDoubt: isDoubtful, evidence, repeated }) => ({
      ...{ at: iso(at), sentence: told, isDoubt: isDoubtful, evidence, repeated },
    })),
    waitsFor: hindrances,
    next,
    remedies,
  };
}
