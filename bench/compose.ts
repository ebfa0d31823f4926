import { renderToStaticMarkup } from 'react-dom/server';
import { readTemplate, render, templateNames } from '../src/emails/render.ts';
import { samplesIn } from '../src/emails/samples.ts';
import type { Template } from '../src/emails/template.ts';
import { type Locale, words } from '../src/emails/words.ts';
import { type ReactEmail, readReactEmail } from './compose/react-email.ts';
import { report } from './report/result.ts';
import { taken } from './support/cpu.ts';
import { median } from './support/median.ts';

/**
 * What a mail costs before it is sent: the real templates with all of their samples in all of their languages, html and text. Ours
 * also reads the values and makes the subject. React Email makes the same html and takes the text from it; "React" is ours with the
 * markup written by React. They take turns, so that whatever else the machine does meets them alike, and processor time is what
 * counts. Unless React writes the same bytes, or if React Email is not slower by the goal, it ends with an error.
 */
const rounds = 7;

interface Mail {
  template: Template;
  locale: Locale;
  props: Readonly<Record<string, unknown>>;
}

interface Way {
  name: string;
  /** How often in a round: so many that a round of each takes about as long. */
  times: number;
  make(mail: Mail): Promise<unknown>;
}

const ways = [
  { name: 'Tidings', times: 200, make: byTidings },
  { name: 'React', times: 40, make: byReact },
  { name: 'React Email', times: 10, make: byReactEmail(await readReactEmail()) },
] as const satisfies readonly Way[];

const mails: Mail[] = [];
for (const name of templateNames) {
  const template = await readTemplate(name);
  if (!template) throw new Error(`no template ${name}`);
  for (const locale of template.locales)
    for (const props of samplesIn(template, locale).values()) mails.push({ template, locale, props });
}
for (const mail of mails) await requireSameBytes(mail);

/** In microseconds of processor time a mail, by template and way, one of each round. */
const costs = new Map<string, Map<string, number[]>>();
for (let round = 0; round <= rounds; round++) {
  console.error(round === 0 ? 'warming up …' : `round ${round} of ${rounds} …`);
  for (const name of templateNames) {
    const own = mails.filter(({ template }) => template.name === name);
    for (const way of ways) {
      const cost = await costOf(way, own);
      if (round > 0) costsOf(name, way.name).push(cost);
    }
  }
}
print();

async function byTidings({ template, locale, props }: Mail) {
  const mail = await render({ template: template.name, locale, props });
  if (!mail.ok) throw new Error(mail.sentence);
  return mail;
}

async function byReact({ template, locale, props }: Mail) {
  const values = template.read(props);
  if (!values.ok) throw new Error(values.sentence);
  const said = words[locale];
  return {
    subject: template.subject(values.props, said),
    html: `<!DOCTYPE html>${renderToStaticMarkup(template.html(values.props, said))}`,
    text: template.text(values.props, said),
  };
}

/** Its `render` with `plainText` would make the html a second time: this is the faster of the two ways that it offers. */
function byReactEmail(reactEmail: ReactEmail) {
  return async ({ template, locale, props }: Mail) => {
    const html = await reactEmail.render(template.html(props as never, words[locale]));
    return { html, text: reactEmail.toPlainText(html) };
  };
}

async function requireSameBytes(mail: Mail): Promise<void> {
  const [own, reacts] = [await byTidings(mail), await byReact(mail)];
  if (own.html !== reacts.html) throw new Error(`${mail.template.name}: React writes other bytes`);
}

async function costOf({ times, make }: Way, own: readonly Mail[]): Promise<number> {
  const { cpuMs } = await taken(async () => {
    for (let time = 0; time < times; time++) for (const mail of own) await make(mail);
  });
  return (cpuMs * 1000) / (times * own.length);
}

function costsOf(template: string, way: string): number[] {
  const ofTemplate = costs.get(template) ?? new Map<string, number[]>();
  costs.set(template, ofTemplate);
  const ofWay = ofTemplate.get(way) ?? [];
  ofTemplate.set(way, ofWay);
  return ofWay;
}

function print(): void {
  console.log(`\nHtml and text of a mail: median of ${rounds} rounds, in processor time, on one thread`);
  const titles = ways.map(({ name }) => name.padStart(12) + ''.padStart(11)).join('');
  console.log(`  ${''.padEnd(20)}${titles}    to React   to React Email`);
  for (const name of templateNames)
    line(
      name,
      ways.map((way) => median(costsOf(name, way.name))),
    );
  // Every mail counts alike. A round's average, and of these the middle.
  const averages = ways.map((way) =>
    median(Array.from({ length: rounds }, (_, round) => averageIn(round, way.name))),
  );
  line('all', averages);
  const times = (averages[2] ?? 0) / (averages[0] ?? 1);
  console.log('');
  report({ bench: 'compose', rounds, rows: mails.length, measured: { compose: times } });
}

function averageIn(round: number, way: string): number {
  const sum = mails.reduce((all, { template }) => all + (costsOf(template.name, way)[round] ?? NaN), 0);
  return sum / mails.length;
}

function line(name: string, microseconds: readonly number[]): void {
  const [own = NaN] = microseconds;
  const cells = microseconds.map(
    (one) => `${one.toFixed(0).padStart(7)} µs ${(1e6 / one).toFixed(0).padStart(7)}/s  `,
  );
  const shares = microseconds.slice(1).map((one) => `${(one / own).toFixed(1).padStart(8)} ×`);
  console.log(`  ${name.padEnd(20)}${cells.join('')}${shares.join('')}`);
}
