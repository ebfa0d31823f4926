import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import { meanings } from '../../domain/tell-now.ts';
import { duration } from '../../std/duration.ts';
import type { Checkup, DatabaseCheckup, DeliveriesCheckup } from '../checkup.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { printable } from '../printable.ts';
import { withoutCredentials } from '../redact.ts';
import { table } from '../table.ts';
import type { Paint } from '../terminal.ts';
import { providers } from './serve.ts';

/** A finding and how much it matters: ✓ as it should be, · to know, ! somebody should look, ✗ broken. */
interface Finding {
  mark: '✓' | '·' | '!' | '✗';
  text: string;
}

export function addDoctor(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('doctor')
    .description('Say what is configured, what is only a sample, and what is wrong; changes nothing')
    .option(...jsonOption)
    .addHelpText('after', example('doctor'))
    .action(async ({ json }: { json?: true }) => {
      const [{ readConfig, variables }, { checkUp }, { createLog }] = await Promise.all([
        import('../../config.ts'),
        import('../checkup.ts'),
        import('../../std/log.ts'),
      ]);
      const config = readConfig();
      const log = createLog({ level: config.logLevel, isForPeople: process.stderr.isTTY === true });
      const settings = settingsOf(config, variables);
      const checkup = await checkUp(config, log);
      const isBroken = checkup.database.state === 'broken';
      if (isBroken) context.exitCode = 1;
      if (json)
        return terminal.json({ isBroken, settings, samples: samplesOf(config, variables), ...checkup });
      const { paint } = terminal;
      const paintTitle = paint.dim;
      const settingsTable = table(
        settings,
        [
          { title: 'SETTING', cell: ({ name }) => name },
          { title: 'VALUE', cell: ({ value }) => printable(value) },
          { title: 'FROM', cell: ({ isDefault }) => (isDefault ? 'default' : 'set') },
        ],
        { paintTitle },
      );
      const findings = [
        ...samplesOf(config, variables).map((text): Finding => ({ mark: '·', text: `Sample: ${text}` })),
        databaseFinding(checkup.database),
        ...(checkup.deliveries ? deliveriesFindings(checkup.deliveries, paint) : []),
        serverFinding(checkup.server),
      ];
      terminal.print(...settingsTable, '', ...findings.map(({ mark, text }) => `${mark} ${text}`));
    });
}

type Variables = typeof import('../../config.ts')['variables'];

/** Every setting as text. None but the database's address can hold a secret so far, and that one is shown without. */
function settingsOf(config: Config, variables: Variables) {
  return (Object.keys(variables) as (keyof Config)[]).map((key) => {
    const { name, default: byDefault, read, isSecret } = variables[key];
    const standard = read(byDefault);
    const value = String(config[key]);
    return {
      name,
      value: isSecret ? (value === '' ? '' : '(set, not shown)') : withoutCredentials(value),
      isDefault: 'value' in standard && String(standard.value) === value,
    };
  });
}

function samplesOf({ provider, from }: Config, variables: Variables): string[] {
  const samples = provider === 'capture' ? [`MAIL_PROVIDER is capture, ${providers.capture}.`] : [];
  if (from === variables.from.default)
    samples.push(`EMAIL_FROM_ADDRESS is ${from}; set it to a sender of yours.`);
  return samples;
}

function databaseFinding(database: DatabaseCheckup): Finding {
  switch (database.state) {
    case 'in memory':
      return { mark: '!', text: 'The database is in memory: everything is forgotten when the process ends.' };
    case 'not made yet':
      return { mark: '·', text: `The database ${database.url} is not made yet. npm start makes it.` };
    case 'broken':
      return {
        mark: '✗',
        text: `The database ${database.url} cannot be used. ${printable(database.problem)}`,
      };
    case 'reachable':
      return database.pending.length === 0
        ? {
            mark: '✓',
            text: `The database is reachable and up to date (${database.applied} of ${database.applied} migrations).`,
          }
        : {
            mark: '!',
            text: `The database is reachable and lacks ${database.pending.join(', ')}. npm start or npx tidings migrate applies them.`,
          };
  }
}

/** A worker looks four times a second; what is late by more than this is not on its way. */
const lateMs = 10_000;

function deliveriesFindings(
  { counts, oldestDue, needPerson, stuck }: DeliveriesCheckup,
  paint: Paint,
): Finding[] {
  const list = counts.map(({ status, count }) => `${count} ${paint.meaning(meanings[status], status)}`);
  const findings: Finding[] = [
    { mark: '·', text: list.length > 0 ? `Deliveries: ${list.join(', ')}.` : 'No deliveries yet.' },
  ];
  if (oldestDue) {
    const isLate = oldestDue.lateMs > lateMs;
    const hint = isLate ? ' Is a worker running? npm start starts one.' : '';
    findings.push({
      mark: isLate ? '!' : '·',
      text: `The oldest that waits (${printable(oldestDue.source)}) has been due for ${duration(oldestDue.lateMs)}.${hint}`,
    });
  }
  if (stuck.count > 0) {
    const text = `${stuck.count}${stuck.isMore ? ' or more' : ''} in the hands of a worker for too long; a running worker frees them within seconds.`;
    findings.push({ mark: '!', text });
  }
  if (needPerson > 0) {
    const command = 'npx tidings deliveries list --status needs_review --status failed_permanent';
    findings.push({
      mark: '!',
      text: `${needPerson} ${needPerson === 1 ? 'needs' : 'need'} a person. See: ${command}`,
    });
  }
  return findings;
}

function serverFinding({ url, answer }: Checkup['server']): Finding {
  switch (answer) {
    case 'tidings':
      return { mark: '✓', text: `A server answers at ${url}.` };
    case 'something else':
      return { mark: '!', text: `Something else than Tidings answers at ${url}. Set PORT to another port.` };
    case 'port not known':
      return { mark: '·', text: 'PORT is 0: whether a server runs cannot be seen from here.' };
    case 'nothing':
      return { mark: '·', text: `No server answers at ${url}. npm start starts one.` };
  }
}
