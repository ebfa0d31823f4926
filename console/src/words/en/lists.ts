import { manyEn as many } from '../many.ts';

/** English: suppressions and templates. */
export const suppressionsEn = {
  title: 'Suppressions',
  lead: 'Addresses that are not mailed. Those that bounce for good, complain or stop all mails come here by themselves.',
  search: 'Find by address, or by its beginning',
  reason: 'Reason',
  scope: 'Mail of',
  everything: 'everything',
  withLifted: 'With those that were lifted',
  address: 'Address',
  by: 'By',
  when: 'Since',
  does: 'Action',
  reasons: {
    bounced_for_good: 'a mail bounced for good',
    complained: 'reported as spam',
    provider_suppressed: 'the provider does not mail it',
    mailbox_unknown: 'there is no such mailbox',
    operator: 'an operator said so',
    imported: 'came with a list',
    unsubscribed: 'they stopped all mails',
  },
  except: (sources: string) => `but mail of ${sources} is wanted again`,
  lifted: (by: string, because: string) => `lifted by ${by}: ${because}`,
  delivery: (seq: number) => `delivery ${seq}`,
  empty: 'No address is suppressed. Put one on the list, or bring a list from where you sent mail before.',
  emptyFiltered: 'No line matches. Take away a filter, or look for less of the address.',
  emptyExact: 'This address is not on the list.',
  beginning: 'Addresses that begin with this',
  more: 'More',
  first: 'From the beginning',
  add: 'Add an address',
  addWhat: 'Nothing is mailed to it any more, and what waits for it is stopped.',
  addButton: 'Do not mail it',
  added: (address: string, stopped: number) =>
    `${address} is on the list now. ${stopped === 0 ? 'Nothing waited for it.' : `${many(stopped, 'delivery that waited is', 'deliveries that waited are')} stopped.`}`,
  alreadyListed: (address: string) => `${address} was on the list already; its line is as it was.`,
  lift: 'Lift',
  liftOf: (address: string) => `Lift ${address}`,
  liftTitle: (address: string) => `Mail ${address} again`,
  liftWhat:
    'What is asked for from now on may be mailed. What was stopped stays stopped until it is sent again from its delivery. That the line was here is kept.',
  liftOwnWhat:
    'They stopped all mails themselves: lift this only if they ask for it. What is asked for from now on is mailed; what was stopped stays stopped.',
  liftButton: 'Mail it again',
  liftDone: (address: string) => `The line of ${address} is lifted.`,
  stillListed: (scopes: string) => `It is still on the list, for: ${scopes}.`,
  export: 'Download the list',
  import: 'Import a list',
};

export const suppressionImportEn = {
  title: 'Import a list of suppressions',
  lead: 'A file from your disk: CSV with or without a header, one address a line, or JSON. First you see what would come of it.',
  columns: 'Columns are address (or email), scope, reason and note; all but the first may be left out.',
  file: 'File',
  tooLarge: (size: string) =>
    `The file has ${size}, and here 4 MB is the most. Import it on the server: npx tidings suppressions import <file>`,
  wouldTitle: 'What would come of it',
  didTitle: 'What came of it',
  read: (count: number) => `${many(count, 'line', 'lines')} read`,
  wouldAdd: (count: number) => `${many(count, 'address', 'addresses')} would be new on the list`,
  didAdd: (count: number) => `${many(count, 'address is', 'addresses are')} new on the list`,
  already: (count: number) => `${many(count, 'line', 'lines')} on it already, or named twice`,
  lifted: (count: number) => `${many(count, 'line', 'lines')} passed over: lifted where they come from`,
  wouldStop: (count: number) =>
    `${many(count, 'delivery that waits', 'deliveries that wait')} would be stopped`,
  didStop: (count: number) =>
    `${many(count, 'delivery that waited is', 'deliveries that waited are')} stopped`,
  bad: (count: number) => `${many(count, 'line', 'lines')} that cannot be read, and would be left out`,
  ignored: (names: string) => `Columns that are not read: ${names}`,
  badTitle: 'Lines that cannot be read',
  badMore: (count: number) => `And ${many(count, 'more', 'more')}.`,
  place: (line: number, entry: number | undefined) =>
    entry === undefined ? String(line) : `${line}, entry ${entry}`,
  line: 'Line',
  problem: 'Problem',
  nothing: 'Nothing in it is new: there is nothing to import.',
  button: (count: number) => `Add ${many(count, 'address', 'addresses')}`,
  what: (added: number, stopped: number) =>
    `Nothing is mailed to ${many(added, 'address', 'addresses')} any more, and ${many(stopped, 'delivery that waits is', 'deliveries that wait are')} stopped. Each line can be lifted again, one by one.`,
  back: 'To the list',
};

export const templatesEn = {
  title: 'Templates',
  lead: 'Every mail as its readers see it. Change the values and look; nothing is sent or kept.',
  template: 'Template',
  language: 'Language',
  sample: 'Sample',
  values: 'Values, as JSON',
  reset: 'Back to the sample',
  phone: 'Phone',
  desktop: 'Desktop',
  text: 'Text',
  view: 'How to look at it',
  subject: 'Subject',
  size: (html: string, text: string) => `${html} of html, ${text} of text`,
  noSuch: 'There is no such template, language or sample. Choose one above.',
  badJson: (line: number, column: number) =>
    `This is not JSON: it breaks at line ${line}, column ${column}. Check quotes, commas and brackets.`,
  noObject: 'This is no JSON object. Write the values as { "name": "value" }.',
  stale: 'What you see is the mail before the last change.',
  fine: 'These values are fine.',
};
