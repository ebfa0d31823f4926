import { sql } from 'kysely';
import type { Unsubscribe } from '../../../consent/unsubscribe.ts';
import type { Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { type Address, addressKey } from '../../../domain/address.ts';
import { everySource } from '../../../domain/suppression.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import { seatSourceName } from '../mail/seat-source.ts';
import { verificationSourceName } from '../mail/verification-source.ts';
import { lockContact } from './contact.ts';
import { liveWatches } from './creating.ts';
import { type EventLine, writeEvents } from './subscription-events.ts';
import type { Subscriptions } from './subscriptions.ts';
import { sendVerification } from './verification.ts';
import { findByToken, type LinkParts, type Outcome, withFound } from './watch-link.ts';

/**
 * The way back for whoever stopped all mails and wants some again. Nobody is mailed to ask whether they do: they come with the link
 * of an older mail, which shows that the mailbox is theirs. Only their own line goes; what a bounce or an operator said stays.
 */
export interface MailAgainParts extends LinkParts {
  outbox: Pick<Outbox, 'enqueue'>;
  unsubscribe: Pick<Unsubscribe, 'startAgain'>;
  contactHash: (address: Address) => string;
  verifiesAddresses: boolean;
}

export function createMailAgain(
  parts: MailAgainParts,
): Pick<Subscriptions, 'hasStoppedEverything' | 'mailAgain'> {
  const { db, clock, outbox, unsubscribe } = parts;

  /** The address of this watch's owner, if their own line stands against it. It may be known only from another watch, or from the line. */
  async function stoppedAddress(tx: Tx | typeof db.read, row: SubscriptionRow): Promise<Address | undefined> {
    const [live] = await liveWatches(tx, row.contact_hash);
    const address = row.contact_value ?? live?.contact_value ?? null;
    const recipient = String(row.subscription_id);
    const { rows } = await sql<{ address_key: string }>`
      SELECT address_key FROM suppressions
      WHERE reason = 'unsubscribed' AND scope = ${everySource} AND lifted_at IS NULL AND ${
        address === null
          ? sql`suppression_seq IN (
              SELECT suppression_seq FROM unsubscribe_tokens WHERE recipient = ${recipient}
                AND source IN (${seatSourceName}, ${verificationSourceName})
            )`
          : sql`address_key = ${addressKey(address as Address)}`
      }
    `.execute(tx);
    const found = rows[0]?.address_key as Address | undefined;
    // The line is about this person, or it is none of theirs.
    return found !== undefined && parts.contactHash(found) === row.contact_hash ? found : undefined;
  }

  async function startIn(tx: Tx, row: SubscriptionRow): Promise<Outcome> {
    await lockContact(tx, db.dialect, row.contact_hash);
    const address = await stoppedAddress(tx, row);
    if (address === undefined || !(await unsubscribe.startAgain(address, tx))) return 'unchanged';
    const now = clock.now();
    const { subscription_id: subscriptionId, last_known_section_status: sectionStatus } = row;
    const lines: EventLine[] = [{ subscriptionId, event: 'mail_again', sectionStatus }];
    // What was asked for meanwhile has not been mailed, and nobody would ask for it a second time.
    const waiting = (await liveWatches(tx, row.contact_hash)).findLast(({ status }) => status === 'pending');
    if (waiting && parts.verifiesAddresses) {
      const to = (waiting.contact_value ?? address) as Address;
      lines.push(await sendVerification(tx, outbox, waiting, to, now));
    }
    await writeEvents(tx, db.dialect, lines, now);
    return 'changed';
  }

  return {
    async hasStoppedEverything(token) {
      const row = await findByToken(parts, token);
      return row !== undefined && (await stoppedAddress(db.read, row)) !== undefined;
    },
    mailAgain: (token) =>
      withFound(parts, token, 'mailed_again', (found) => db.transaction((tx) => startIn(tx, found))),
  };
}
