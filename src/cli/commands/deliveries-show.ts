import type { Command } from 'commander';
import type { DeliveryRow } from '../../db/schema.ts';
import type { OutboxQueries } from '../../outbox/queries.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printableLines } from '../printable.ts';

export function addShow(deliveries: Command, context: Context): void {
  const { terminal } = context;
  deliveries
    .command('show')
    .argument(
      '<delivery>',
      "its number, its UUID, its key (source:occasion:recipient), or the provider's message id",
    )
    .description('Tell the story of a delivery: why did she, or did she not, get this mail?')
    .option('--mail', 'print the text of its latest mail, and nothing else; with --json all its parts')
    .option(...jsonOption)
    .addHelpText('after', example('deliveries show 12', 'deliveries show 12 --mail'))
    .action(async (reference: string, options: { mail?: true; json?: true }) => {
      const [{ mailJson, storyJson }, { tellDelivery }, { readWaits }] = await Promise.all([
        import('../../outbox/delivery-json.ts'),
        import('../story.ts'),
        import('../waits-for.ts'),
      ]);
      await withEngine(context, async (engine) => {
        const { queries, clock } = engine;
        const row = await requireDelivery(queries, reference);
        const { events, mails } = await queries.story(row.seq);
        const story = { row, events, mails, now: clock.now() };
        if (options.json && !options.mail) return terminal.json(storyJson(story));
        if (!options.mail) {
          const waits = await readWaits(engine, [row]);
          return terminal.print(...tellDelivery(story, terminal, waits.get(row.seq)));
        }
        const mail = mails.filter(({ round, text }) => round > 0 && text !== null).at(-1);
        if (!mail) {
          throw new Refusal(
            'no_mail',
            events.some(({ event }) => event === 'forgotten')
              ? `The mail of delivery ${row.seq} was deleted, as long after its end as MAIL_RETENTION_DAYS says.`
              : `Delivery ${row.seq} has no mail yet: it is written at the first attempt.`,
          );
        }
        if (options.json) return terminal.json(mailJson(row, mail));
        terminal.print(...printableLines(mail.text ?? ''));
      });
    });
}

async function requireDelivery(queries: OutboxQueries, reference: string): Promise<DeliveryRow> {
  const row = await queries.find(reference);
  if (!row) throw noDelivery(reference);
  return row;
}

export function noDelivery(reference: string): Refusal {
  return new Refusal(
    'delivery_not_found',
    `There is no delivery ${JSON.stringify(reference)}. See the numbers with: npx tidings deliveries list`,
  );
}
