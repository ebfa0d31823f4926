/**
 * Who may import whom. Imports go one way: std ← domain ← db ← outbox ← consent ← sources ← dispatch, webhooks ← inbox, runners
 * ← engine ← samples ← http ← main ← cli. Emails and providers stand beside, and see std and domain only. A folder that is not here
 * may not exist. Whom the console may import is said in console-rule.ts.
 */
export interface Layer {
  /** As a sentence calls it. */
  name: string;
  /** Folders or single files below src/. Everybody may also import from their own folder. */
  may: readonly string[];
  because: string;
}

const outboxAndBelow = ['std', 'domain', 'db', 'outbox'];
const portsOnly = ['sources/source.ts', 'providers/provider.ts'];
const parts = [
  ...['audit', 'consent', 'sources', 'emails', 'providers', 'dispatch', 'webhooks', 'inbox', 'runners'],
];

export const layers: Readonly<Record<string, Layer>> = {
  std: { name: 'std', may: [], because: 'it knows nothing of mail' },
  domain: { name: 'domain', may: ['std'], because: 'it decides, and knows of no database and no network' },
  db: { name: 'db', may: ['std', 'domain'], because: 'it keeps rows and knows of nobody who uses them' },
  outbox: {
    name: 'outbox',
    may: ['std', 'domain', 'db'],
    because:
      'it is below everybody who reports to it, and hears of consent and sources only by what it is given',
  },
  audit: {
    name: 'audit',
    may: ['std', 'db'],
    because: 'it writes down what it is told, and knows of no verb',
  },
  consent: {
    name: 'consent',
    may: outboxAndBelow,
    because: 'who may be mailed does not depend on what is sent, or how',
  },
  sources: {
    name: 'sources',
    may: [...outboxAndBelow, 'consent'],
    because: 'what a source is does not depend on any one of them',
  },
  'sources/*': {
    name: 'a source',
    may: [...outboxAndBelow, 'consent', 'sources/source.ts'],
    because: 'a source never sees another source, and never sends',
  },
  emails: { name: 'emails', may: ['std', 'domain'], because: 'a mail is made from its props alone' },
  providers: {
    name: 'providers',
    may: ['std', 'domain'],
    because: 'a provider takes a mail and answers; what follows is not its business',
  },
  dispatch: {
    name: 'dispatch',
    may: [...outboxAndBelow, 'consent', 'emails/render.ts', ...portsOnly],
    because: 'it works with any source and any provider, so it knows no particular one',
  },
  webhooks: {
    name: 'webhooks',
    may: [...outboxAndBelow, 'consent', ...portsOnly],
    because: 'they bring evidence to the outbox, and nobody sends because of them',
  },
  inbox: {
    name: 'inbox',
    may: ['std', 'domain', 'db', 'providers', 'webhooks', 'sources/source.ts'],
    because: 'it shows what the built-in provider took, and tells what became of it as a stranger would',
  },
  runners: {
    name: 'runners',
    may: [...outboxAndBelow, 'consent', 'dispatch', 'webhooks', ...portsOnly],
    because: 'they say when, not what: any source and any provider will do',
  },
  'variable.ts': { name: 'variable.ts', may: [], because: 'it says what a setting is, and knows none' },
  'provider-settings.ts': {
    name: 'provider-settings.ts',
    may: ['std', 'domain/providers.ts', 'variable.ts'],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'seats-settings.ts': {
    name: 'seats-settings.ts',
    may: ['std', 'variable.ts'],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'newsletters-settings.ts': {
    name: 'newsletters-settings.ts',
    may: ['std', 'variable.ts'],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'jobs-settings.ts': {
    name: 'jobs-settings.ts',
    may: ['std', 'variable.ts'],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'tracing-settings.ts': {
    name: 'tracing-settings.ts',
    may: ['std', 'variable.ts'],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'quota-settings.ts': {
    name: 'quota-settings.ts',
    may: ['variable.ts'],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'settings.ts': {
    name: 'settings.ts',
    may: [
      ...['std', 'domain', 'variable.ts', 'provider-settings.ts', 'quota-settings.ts', 'jobs-settings.ts'],
      ...['seats-settings.ts', 'newsletters-settings.ts', 'tracing-settings.ts'],
    ],
    because: 'what a setting may be is known before anything is opened or started',
  },
  'config.ts': {
    name: 'config.ts',
    may: ['std', 'domain', 'provider-settings.ts', 'settings.ts', 'variable.ts'],
    because: 'settings are understood before anything is opened or started',
  },
  'link-parts.ts': {
    name: 'link-parts.ts',
    may: ['std', 'settings.ts'],
    because: 'where links lead is a matter of settings alone',
  },
  'open-tracer.ts': {
    name: 'open-tracer.ts',
    may: ['std', 'settings.ts'],
    because: 'where traces go is a matter of settings, and what is in them is not its business',
  },
  'open-course-seats.ts': {
    name: 'open-course-seats.ts',
    may: ['settings.ts', 'sources'],
    because: 'a source knows no settings: this one is told them here',
  },
  'open-newsletters.ts': {
    name: 'open-newsletters.ts',
    may: ['db', 'settings.ts', 'sources', 'emails'],
    because: 'a source knows no settings and no templates: this one is told them here',
  },
  'open-runner.ts': {
    name: 'open-runner.ts',
    may: ['db', 'dispatch', 'settings.ts', 'runners'],
    because: 'a runner knows no settings: it is told them here',
  },
  'engine.ts': {
    name: 'engine.ts',
    may: [
      ...outboxAndBelow,
      ...parts,
      'provider-settings.ts',
      'settings.ts',
      'config.ts',
      'link-parts.ts',
      'open-tracer.ts',
      'open-course-seats.ts',
      'open-newsletters.ts',
      'open-runner.ts',
    ],
    because: 'it puts the parts together, and does not know who asked for them',
  },
  samples: {
    name: 'samples',
    may: [...outboxAndBelow, 'sources', 'inbox', 'engine.ts'],
    because: 'the first minute is played with the engine, as anybody could',
  },
  http: {
    name: 'http',
    may: [...outboxAndBelow, ...parts, 'settings.ts', 'config.ts', 'engine.ts', 'samples'],
    because: 'it answers requests with the engine, and starts nothing itself',
  },
  client: {
    name: 'client',
    may: ['std'],
    because: 'it runs in the programs of others, who have no database, no engine and no settings of ours',
  },
  'main.ts': {
    name: 'main.ts',
    may: [...outboxAndBelow, ...parts, 'settings.ts', 'config.ts', 'engine.ts', 'http', 'samples'],
    because: 'it is one process; the command line starts it, not the other way round',
  },
  cli: {
    name: 'cli',
    may: [
      ...outboxAndBelow,
      ...parts,
      'settings.ts',
      'config.ts',
      'engine.ts',
      'http',
      'main.ts',
      'client',
      'samples',
    ],
    because: 'it is the outermost',
  },
};

export interface Exception {
  from: string;
  to: string;
  typesOnly?: true;
  because: string;
}

/** Imports that the table forbids and that are right nevertheless. One that nobody uses any more must go. */
export const exceptions: readonly Exception[] = [
  {
    from: 'src/providers/capture.ts',
    to: 'src/db/database.ts',
    typesOnly: true,
    because: 'the built-in inbox is the one provider whose wire is the database',
  },
  {
    from: 'src/settings.ts',
    to: 'src/db/dialect.ts',
    because: 'which database a URL names is known where it is opened; a second parser could disagree',
  },
];

/** The layer that a file belongs to: a source's own folder, the folder, or for a file at the top the file itself. */
export function layerKey(path: string): string {
  const [, first = '', second = '', third] = path.replace(/\.test(?=\.tsx?$)/, '').split('/');
  return first === 'sources' && third !== undefined ? `sources/${second}` : first;
}

export function layerOf(path: string): Layer | undefined {
  const key = layerKey(path);
  return layers[key.startsWith('sources/') ? 'sources/*' : key];
}
