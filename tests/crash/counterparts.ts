import type { Database } from '../../src/db/database.ts';
import { createCapture } from '../../src/providers/capture.ts';
import { createPostmark } from '../../src/providers/postmark.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import { createResend } from '../../src/providers/resend.ts';
import { createSmtp } from '../../src/providers/smtp.ts';
import type { Clock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { serverToken, startFakePostmark } from '../support/fake-postmark/fake-postmark.ts';
import { startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { createFakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import type { JumpingClock } from './jumping-clock.ts';

export const counterpartNames = ['resend', 'postmark', 'smtp', 'capture'] as const;

/** Who takes the mail, over a real socket where there is one, and what was truly accepted. */
export interface Counterpart {
  name: (typeof counterpartNames)[number];
  /** A client of its own for each life. */
  connect(db: Database): Provider;
  /** The addresses of all mails that were accepted, one entry a mail. */
  accepted(db: Database): Promise<string[]>;
  /** Mails in flight at once. */
  connections: number;
  close(): Promise<void>;
}

export const connections = 3;
/** Slots that are worth a wait: the code that waits for them is part of what is tested. */
const ratePerSecond = 10;

/** As the engine uses a provider, at a rate that makes it wait. */
export function madePatient(provider: Provider, clock: Clock): Provider {
  const patient = createReliable(provider, { clock, random: createSeededRandom(1), ratePerSecond: null });
  return { ...patient, guarantees: { ...patient.guarantees, ratePerSecond } };
}

export async function startCounterpart(name: Counterpart['name'], clock: JumpingClock): Promise<Counterpart> {
  const providers: Provider[] = [];
  const patient = clock.patient;
  const keep = (provider: Provider): Provider => {
    providers.push(provider);
    return madePatient(provider, clock.hurried);
  };
  const closeAll = () => Promise.all(providers.map((provider) => provider.close?.()));
  switch (name) {
    case 'resend': {
      const fake = await startFakeResend({ clock: patient });
      return {
        ...{ name, connections },
        connect: () =>
          keep(
            createResend({
              apiKey: 're_test',
              baseUrl: fake.url,
              clock: clock.hurried,
              connections,
              ratePerSecond: 1_000,
            }),
          ),
        accepted: async () => fake.ledger.accepted.flatMap(({ body }) => body.to),
        async close() {
          await closeAll();
          await fake.close();
        },
      };
    }
    case 'postmark': {
      const fake = await startFakePostmark({ clock: patient });
      return {
        ...{ name, connections },
        connect: () =>
          keep(
            createPostmark({
              ...{ serverToken, baseUrl: fake.url, clock: clock.hurried, connections },
              requestsPerSecond: 1_000,
            }),
          ),
        accepted: async () => fake.ledger.accepted.map(({ body }) => body.To),
        async close() {
          await closeAll();
          await fake.close();
        },
      };
    }
    case 'smtp': {
      const fake = await createFakeSmtp();
      return {
        ...{ name, connections },
        connect: () => keep(createSmtp({ url: fake.plainUrl, clock: patient, connections })),
        accepted: async () => fake.ledger.flatMap(({ to }) => to),
        async close() {
          await closeAll();
          await fake.close();
        },
      };
    }
    case 'capture':
      return {
        ...{ name, connections },
        connect: (db) => keep(createCapture({ db, clock: patient, ids: systemIds })),
        async accepted(db) {
          const rows = await db.read.selectFrom('captured_mails').select('mail').execute();
          return rows.map(({ mail }) => (JSON.parse(mail) as { to: string }).to);
        },
        close: async () => {},
      };
  }
}
