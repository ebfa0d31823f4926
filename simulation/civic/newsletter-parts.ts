import type { Consent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { createNewsletters, type Newsletters } from '../../src/sources/newsletters/newsletters.ts';
import type { Render } from '../../src/sources/newsletters/runs/compose.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog as log } from '../../src/std/log.ts';
import type { Faults } from '../faults.ts';
import { overheardSource } from '../overheard-source.ts';
import { idsOf, uuidBy, type World } from '../world.ts';
import type { Town } from './town.ts';
import type { TownHall } from './town-hall.ts';

/** Newsletters and alerts as one process has them, put together as the front door of the source does it. */
export interface NewsletterParts {
  newsletters: Newsletters;
  sources: readonly Source[];
  turns: Readonly<Record<CivicTurn, () => Promise<unknown>>>;
}

export type CivicTurn = 'runs';

export interface CivicSide {
  town: Town;
  hall: TownHall;
  /** Of a run, in one transaction. */
  pageMax: number;
  /** Who is at work at runs now: more than one where `isLeader` has lied. */
  atWork: Set<string>;
}

interface Parts {
  name: string;
  world: World;
  civic: CivicSide;
  db: Database;
  faults: Pick<Faults, 'call' | 'clock'>;
  outbox: Outbox;
  consent: Consent;
  stopping: AbortController;
}

const pagesInATurn = 3;

export function createNewsletterParts(parts: Parts): NewsletterParts {
  const { name, world, civic, db, faults, outbox, consent, stopping } = parts;
  const { chance, isTroubled, mayStrike } = world;
  const newsletters = createNewsletters({
    ...{ db, clock: faults.clock, log, outbox: overheard(outbox, world), unsubscribe: consent.unsubscribe },
    ids: { ...idsOf(chance), uuid: () => uuidBy(chance) },
    budget: civic.hall.budgetOf((what, work) => faults.call(what, work)),
    users: civic.hall.directoryOf((what, work) => faults.call(what, work)),
    render: async (order) => renderPlainly(order),
    ...{ defaultLocale: 'en', entityUrl: 'https://budget.example.org/{cui}', preferencesUrl: '' },
    ...{ baseUrl: () => 'https://civic.example.org', onComposed: () => {}, pageMax: civic.pageMax },
    async isLeader() {
      const others = [...civic.atWork].some((each) => each !== name);
      if (!others) return !isTroubled() || chance.isTrue(0.97);
      return isTroubled() && chance.isTrue(0.8) && mayStrike('two processes work at runs at once');
    },
  });
  return {
    newsletters,
    sources: [overheardSource(newsletters.source, world)],
    turns: {
      async runs() {
        civic.atWork.add(name);
        try {
          for (let left = pagesInATurn; left > 0; left--) {
            if ((await newsletters.runs.runOnce(stopping.signal)) !== 'again') return;
          }
        } finally {
          civic.atWork.delete(name);
        }
      },
    },
  };
}

/** What would be read, without the looks: to render costs more than all the rest of a run. */
const renderPlainly = ({ template, locale, props, unsubscribeUrl }: Parameters<Render>[0]) => {
  const text = JSON.stringify({ template, locale, props, unsubscribeUrl });
  const subject = `${props.entityName ?? props.title} (${props.periodLabel})`;
  return {
    ...{ ok: true as const, subject, text, html: `<p>${text}</p>` },
    ...{ templateName: template, templateVersion: '1' },
  };
};

/** What a run says of a delivery is a word of its source. */
function overheard(outbox: Outbox, { watch }: World): Outbox {
  return {
    ...outbox,
    record(reports, tx) {
      for (const { seq, event } of reports) {
        const row = event === 'ineligible' ? watch.rows.find((each) => each.seq === seq) : undefined;
        if (row) watch.said(row.id, 'ineligible');
      }
      return outbox.record(reports, tx);
    },
  };
}
