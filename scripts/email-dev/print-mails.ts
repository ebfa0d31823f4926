// Every sample of every template in every language, as JSON on standard output: for the page of email-dev.mjs.
import { readTemplate, render, templateNames } from '../../src/emails/render.ts';
import { samplesIn } from '../../src/emails/samples.ts';

const mails: object[] = [];
for (const name of templateNames) {
  const template = await readTemplate(name);
  if (!template) throw new Error(`there is no template ${name}`);
  for (const locale of template.locales) {
    for (const [sample, props] of samplesIn(template, locale)) {
      const rendered = await render({ template: name, locale, props }, 'refused');
      mails.push({ template: name, version: template.version, locale, sample, props, ...rendered });
    }
  }
}
process.stdout.write(JSON.stringify(mails));
