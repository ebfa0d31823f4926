import { evidenceEventNames, evidenceEvents, rankOf } from '../../src/domain/evidence.ts';
import { type Arrow, arrows } from '../../src/domain/lifecycle.ts';
import { idempotencyKey } from '../../src/domain/message.ts';
import { type Status, statuses, statusNames } from '../../src/domain/status.ts';
import { nextRound } from '../../src/domain/transition.ts';
import { capitalized, code, madeFrom, table } from './markdown.ts';
import { mermaidDiagrams } from './mermaid.ts';
import { lifecycle } from './moves.ts';

/** docs/lifecycle.md: what the table in src/domain/lifecycle.ts says, for people. */
export function lifecyclePage(): string {
  return `${madeFrom('src/domain/lifecycle.ts')}

# The life cycle of a delivery

A **delivery** is one occasion told to one recipient, once. It is one row, and its status says where it is between
"somebody should be told" and "the mail has arrived, or never will". This page is made from the table that the program
itself runs on, so it cannot say anything else than the program does.

![The life cycle of a delivery: pending, claimed, sending, sent, delivered from left to right; what waits, is in doubt or has ended below](lifecycle.svg)

## Two kinds of events

**Work events** are what we do: claim a row, begin to send, give up, wait. They follow the table below. A pair of
status and event that is not listed changes nothing; whoever reported it gets an answer ("already settled"), not an error.

**Evidence events** are what the provider says: its answer to our request, a webhook, a look-up, the result that a
slow worker brings when its time is long over. Evidence is true whenever it arrives, and it arrives in any order and
more than once. So it has a **rank**: the higher rank wins, from every status, and an equal or lower one changes no
status.

Why not one table for both? Suppose the provider's "accepted" reaches a delivery in ${code('failed_transient')}. If the
delivery is there because the provider refused it, or because a look-up wrongly said that the mail is not there, then a
mail does exist and the delivery must become ${code('sent')}. If it is there because that very mail was accepted and
then bounced, the report is merely late and must change nothing. Same status, same event, two right answers: a table
over the status alone cannot have both. Taking the highest rank can, and the order of arrival no longer matters.

## May a mail exist?

It is the question behind every "may I send now?", and the status alone answers it:

${mailExistsTable()}

${code('first_possible_accept_at')} is set exactly while the answer is *perhaps*, so after a crash the row itself says
since when a mail may exist. It also stays on a row that an operator closed without knowing: that mail may have been sent.

## Statuses

${statusTable()}

*Final* means that nothing more is to be done. Evidence may still come, and an operator may still decide otherwise.

## Work events

"Fenced" means that the write carries the number of the worker's lease: a worker that wakes up after its lease has
passed to another changes nothing. An attempt is counted when it ends, once, by whoever ends it.

${workTable()}

What the guards ask:

${guardList()}

## Evidence events

${evidenceTable()}

The rank of the first four grows with the round *r*, so that what is said about a later mail beats what is said about
an earlier one; the others stand above all rounds. ${code('begun')} raises the delivery's rank to 4*r*.

- Facts do not depend on rank: ${code('sent_at')} and ${code('delivered_at')} take the earliest time that any evidence
  gives, whichever came first. An "accepted" that arrives after ${code('delivered')} still fills ${code('sent_at')}.
- Evidence that reaches a delivery in ${code('sending')} ends the attempt and counts it. The worker's own report then
  finds it settled.
- A soft bounce never undoes ${code('delivered')}: what bounces after delivery is mostly an automatic reply, and
  sending again would be the second mail. A complaint beats everything.
- ${code('bounced_for_now')} in the last round that the source allows ends in ${code('failed_permanent')}. Rounds that
  ended with ${code('over_quota')} are not among those: the mail never left the provider. It goes out again after the next
  00:00 UTC, when the quota begins anew, on each of at least fourteen days. Of the two, which have one rank, the one that
  is the end holds.
- Where the mails of a delivery have been deleted, as retention says, no new round follows.
- ${code('suppressed')} has several reasons of one rank. The first moves the delivery; the others are told in its story,
  and the weightiest of them, a complaint before a bounce, is the reason for which the address is on the list.
- A provider's message id that contradicts the known one of the same round is kept in the story and not applied.
- An operator who resolves a ${code('needs_review')} as sent reports ${code('accepted')}: a person's word is evidence too.

For a fixed history of our own actions, any order and any repetition of the same evidence gives the same status,
the same rank and the same facts. Across a new round that began in between nobody can promise that: whether a second mail
went out depends on what was known when it did.

## Rounds and keys

A **round** is one mail under one key. All attempts of a round hand over the same bytes under the same key, so a
provider that knows keys accepts at most one of them. A new round begins only when it is *known* that the mail of the
last one did not stay delivered; doubt never opens a round.

${roundTable()}

The key is the delivery's id, and from the second round on its id with the round: ${code(exampleKey(1))}, then
${code(exampleKey(2))}. It is the same after a crash and after a restore from a back-up, because the id is computed from
source, occasion and recipient.

## The same as diagrams

${diagrams()}
`;
}

function mailExistsTable(): string {
  const rows = [
    ['no', 'No mail of this round can exist: to send it cannot make two.'],
    ['perhaps', 'A mail may exist. Nobody sends until that is settled.'],
    ['yes', 'A mail was accepted.'],
    ['see sent_at', 'It has ended; `sent_at` says whether a mail was ever accepted.'],
  ] as const;
  return table(
    ['may a mail exist?', 'statuses', 'so'],
    rows.map(([answer, so]) => [
      code(answer),
      statusNames
        .filter((name) => statuses[name].mailExists === answer)
        .map(code)
        .join(' '),
      so,
    ]),
  );
}

function statusTable(): string {
  return table(
    ['status', 'meaning', 'may a mail exist?', 'who moves it out', 'final'],
    statusNames.map((name) => {
      const { meaning, mailExists, movedOutBy, isFinal } = statuses[name];
      return [code(name), meaning, mailExists, movedOutBy, isFinal ? 'yes' : 'no'];
    }),
  );
}

function workTable(): string {
  const rows = groupsOfStatuses().flatMap((group) => {
    const row: [string, Arrow][] = Object.entries(arrows[group[0]]);
    return row.map(([event, arrow], index) => [
      index === 0 ? group.map((status) => `**${code(status)}**`).join(' ') : ' ',
      code(event),
      group.includes(arrow.to) ? 'stays' : code(arrow.to),
      arrow.by,
      arrow.isFenced ? 'yes' : '',
      arrow.countsAttempt ? 'yes' : '',
      arrow.guard ?? '',
      arrow.effect,
    ]);
  });
  const heads = ['status', 'event', 'next', 'who', 'fenced', 'counts an attempt', 'guard', 'effect'];
  const still = statusNames.filter((status) => Object.keys(arrows[status]).length === 0).map(code);
  return `${table(heads, rows)}\n\nNo work event moves ${still.join(' or ')}.`;
}

/** Statuses with the same arrows share their lines. */
function groupsOfStatuses(): [Status, ...Status[]][] {
  const groups = new Map<string, [Status, ...Status[]]>();
  for (const status of statusNames) {
    const row = JSON.stringify(arrows[status]);
    const group = groups.get(row);
    if (group) group.push(status);
    else groups.set(row, [status]);
  }
  return [...groups.values()];
}

const guards: Record<NonNullable<Arrow['guard']>, string> = {
  due: 'the time at which somebody must look at the row next has come.',
  'lease over': 'a worker holds the row, and its time is up.',
  'no mail in doubt': 'it is known what became of every mail that was handed over.',
  'within key window':
    'the account that holds the mail will still know the key at the end of the lease, which is the last moment at which bytes can leave.',
  'no evidence': 'nothing but an import says that this was sent.',
};

function guardList(): string {
  return Object.entries(guards)
    .map(([guard, asks]) => `- **${guard}**: ${asks}`)
    .join('\n');
}

function evidenceTable(): string {
  return table(
    ['event', 'rank', 'in round 1, 2', 'next', 'was it accepted?', 'comes from'],
    evidenceEventNames.map((event) => {
      const { rank, next, impliesAccepted, comesFrom } = evidenceEvents[event];
      const formula = typeof rank === 'number' ? `4*r* + ${rank}` : rank.top.toLocaleString('en-US');
      const examples = typeof rank === 'number' ? `${rankOf(event, 1)}, ${rankOf(event, 2)}` : 'the same';
      return [code(event), formula, examples, code(next), impliesAccepted ? 'yes' : 'not said', comesFrom];
    }),
  );
}

function roundTable(): string {
  const soft = rankOf('bounced_for_now', 1);
  const failed = rankOf('provider_failed', 1);
  const cases: [string, number][] = [
    ['nothing was ever begun', 0],
    ['round 1 was begun, and is known not to have been accepted', 4],
    ['the mail of round 1 bounced for now, or met a full quota', soft],
    ['round 1 failed at the provider, or an operator requeued the delivery', failed],
    ['round 2 was begun, and is known not to have been accepted', 8],
  ];
  return table(
    ['what is known', 'rank', 'the next mail is of'],
    cases.map(([known, evidence]) => {
      const round = nextRound({ evidence });
      const isSame = evidence > 0 && evidence % 4 === 0;
      return [
        capitalized(known),
        String(evidence),
        `round ${round}${isSame ? ': same key, same bytes' : ''}`,
      ];
    }),
  );
}

const exampleKey = (round: number) => idempotencyKey('5f0c9a6e-6f0b-5d51-9d3b-0c8f2f6f1f6a', round);

function diagrams(): string {
  return mermaidDiagrams(lifecycle)
    .map(({ title, text }) => `### ${title}\n\n${text}`)
    .join('\n\n');
}
