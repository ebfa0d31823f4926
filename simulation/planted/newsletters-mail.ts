import type { PlantedBug } from './planted-bug.ts';

const where = 'among citizens';
const mail = 'sources/newsletters/mail';
const runs = 'sources/newsletters/runs';

/** What a newsletter says, to whom, and whether it may leave when it is due. */
export const newsletterMailBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'the-gate-does-not-ask-the-run', rule: 'last look', where },
    because: 'what a worker has in hand leaves from a run that is paused or ended',
    edits: [
      {
        file: `${mail}/newsletter-gate.ts`,
        find: 'byTheWish(standings.get(recipient)) ?? byTheRun(runs.get(seq), clock.now())',
        replace: 'byTheWish(standings.get(recipient)) ?? byTheRun(runs.get(-1), clock.now())',
      },
    ],
  },
  {
    ...{ name: 'the-gate-does-not-ask-the-wish', rule: 'last look', where },
    because: 'who has ended it in their account is mailed when an operator puts it back',
    edits: [
      {
        file: `${mail}/newsletter-gate.ts`,
        find: 'const verdict = byTheWish(standings.get(recipient)) ?? byTheRun(',
        replace: 'const verdict = (standings.size < 0 ? byTheWish(undefined) : undefined) ?? byTheRun(',
      },
    ],
  },
  {
    ...{ name: 'a-run-that-is-over-bars-the-next', rule: 'last look', where },
    because: 'the oldest run decides, and who was in one that was ended is never told',
    edits: [
      {
        file: `${mail}/newsletter-gate.ts`,
        find: 'ORDER BY runs.created_at\n',
        replace: 'ORDER BY runs.created_at DESC\n',
      },
      // A line has one run at a time; without that there are two to choose from.
      {
        file: 'sources/newsletters/runs/collect.ts',
        find: "AND state IN ('collected', 'composed')",
        replace: "AND state = 'excluded'",
      },
    ],
  },
  {
    ...{ name: 'content-is-rendered-when-it-leaves', rule: 'composed once', where },
    because: 'figures that change make each round another mail',
    edits: [
      {
        file: `${mail}/newsletter-source.ts`,
        find: 'batch.filter(({ written }) => written === null)',
        replace: 'batch.filter(({ seq }) => seq > 0)',
      },
      {
        file: `${mail}/newsletter-source.ts`,
        find: 'if (claimed.written) return',
        replace: 'if (claimed.written && claimed.seq < 0) return',
      },
    ],
  },
  {
    ...{ name: 'an-address-is-remembered', rule: 'addresses at the last moment', where },
    because: 'who has moved is written to where they lived',
    edits: [
      {
        file: `${mail}/newsletter-source.ts`,
        find: 'const addresses = await parts.users.addressesOf([...new Set(userIds)]);',
        replace:
          'const known = remembered.get(parts.users) ?? new Map();\n  remembered.set(parts.users, known);\n  const addresses = new Map([...(await parts.users.addressesOf([...new Set(userIds)])), ...known]);\n  for (const [id, found] of addresses) if (found.kind === "address") known.set(id, found);',
      },
      {
        file: `${mail}/newsletter-source.ts`,
        find: 'async function draftNewsletters(',
        replace: 'const remembered = new WeakMap();\n\nasync function draftNewsletters(',
      },
    ],
  },
  {
    ...{ name: 'a-directory-that-is-away-knows-nobody', rule: 'waits for an address', where },
    because: 'who cannot be looked up for a minute is never told',
    edits: [
      {
        file: `${mail}/newsletter-source.ts`,
        find: "if (found.kind === 'later') {",
        replace: "if (found.kind === 'later' && found.waitMs < 0) {",
      },
      {
        file: `${mail}/newsletter-source.ts`,
        find: "if (found.kind === 'none') {",
        replace: "if (found.kind !== 'address') {",
      },
    ],
  },
  {
    ...{ name: 'figures-that-are-late-are-none', rule: 'waits for figures', where },
    because: 'a platform that is away for a minute costs everybody their newsletter',
    edits: [
      {
        file: `${mail}/content.ts`,
        find: "return { kind: 'later', error: told, isHopeless, ...(waitMs !== undefined && { waitMs }) };",
        replace:
          "return (waitMs === 0 ? { kind: 'later', error: told } : { kind: 'ineligible', error: told }) as Later;",
      },
    ],
  },
  {
    ...{ name: 'an-alert-speaks-whatever-its-conditions', rule: 'conditions', where },
    because: 'an alert is told although none of its conditions holds',
    edits: [
      {
        file: `${mail}/alert-verdict.ts`,
        find: 'if (judged.length > 0 && !judged.some((condition) => condition.isMet)) {',
        replace: 'if (judged.length > 1 && !judged.some((condition) => condition.isMet)) {',
      },
    ],
  },
  {
    ...{ name: 'an-alert-without-conditions-is-silent', rule: 'conditions', where },
    because: 'who asked to be told every period is told never',
    edits: [
      {
        file: `${mail}/alert-verdict.ts`,
        find: 'if (judged.length > 0 && !judged.some((condition) => condition.isMet)) {',
        replace: 'if (!judged.some((condition) => condition.isMet)) {',
      },
    ],
  },
  {
    ...{ name: 'the-way-out-is-somebody-elses', rule: 'scope of links', where },
    because: 'who uses the link in their mail ends a wish of somebody else',
    edits: [
      {
        file: `${runs}/compose.ts`,
        find: 'await mailOf(seq, id, content, links.get(seq), parts)',
        replace: 'await mailOf(seq, id, content, [...links.values()][0], parts)',
      },
    ],
  },
  {
    ...{ name: 'let-go-without-words', rule: 'composed first', where },
    because: 'a delivery is due, and what it says is not kept',
    edits: [
      {
        file: 'outbox/written.ts',
        find: 'await keepWords(tx, dialect, open);',
        replace: 'await keepWords(tx, dialect, open.slice(1));',
      },
    ],
  },
  {
    ...{ name: 'a-full-mailbox-is-tried-again-at-once', rule: 'rounds after hours', where },
    because: 'a new mail goes out while the mailbox is still full',
    edits: [
      {
        file: `${mail}/newsletter-source.ts`,
        find: 'bounceDelayMs: 4 * 3_600_000,',
        replace: 'bounceDelayMs: 4 * 3_600,',
      },
    ],
  },
];
