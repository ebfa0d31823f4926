import { Type } from 'typebox';
import { render, templateNames } from '../../emails/render.ts';
import { requireSample, requireTemplate, samplesIn } from '../../emails/samples.ts';
import type { Locale } from '../../emails/words.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, line, nothing } from '../schemas.ts';

/**
 * The templates for whoever has signed in to the console, in production too. It renders and nothing else: nothing is sent or stored, and
 * the html goes out as a text inside JSON, never as a page of ours. Spec 002's own previews, which are pages, are in `email-preview.ts`.
 */
export function templateRoutes(): Route[] {
  return [listRoute(), sampleRoute(), renderRoute()];
}

const path = '/api/v1/templates';
const bodyOctetsMax = 262_144; // A tenth of it is more than any sample has.
/** The way out of a mail that nobody gets. */
const unsubscribeUrl = 'https://example.org/unsubscribe';

const name = line(60, 'As the list has it.');
const locale = line(35, 'One of its languages.');
const texts = Type.Array(Type.String());
const props = Type.Record(Type.String(), Type.Unknown());
const octets = Type.Integer({ minimum: 0, description: 'In UTF-8, as it would be sent.' });

function listRoute(): Route {
  const listed = Type.Object(
    {
      name: Type.String(),
      version: Type.String(),
      languages: Type.Array(Type.Object({ locale: Type.String(), samples: texts }, closed), {
        description: 'Each with the samples that there are in it.',
      }),
    },
    closed,
  );
  return defineRoute({
    method: 'GET',
    path,
    summary: 'List the templates of mails, with their languages and samples',
    who: ['read'],
    query: nothing,
    isConstant: true,
    answers: {
      200: { when: 'All of them.', schema: Type.Object({ templates: Type.Array(listed) }, closed) },
    },
    async handle() {
      const templates = [];
      for (const each of templateNames) {
        const template = await requireTemplate(each);
        const languages = template.locales.map((locale) => ({
          locale,
          samples: [...samplesIn(template, locale).keys()],
        }));
        templates.push({ name: template.name, version: template.version, languages });
      }
      return { status: 200, body: { templates } };
    },
  });
}

function sampleRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/:name/samples/:sample`,
    summary: 'The values of a sample, to begin with when changing them',
    who: ['read'],
    params: Type.Object({ name, sample: line(60, 'One of the samples of that language.') }, closed),
    query: Type.Object({ locale }, closed),
    isConstant: true,
    answers: { 200: { when: 'They are there.', schema: Type.Object({ props }, closed) } },
    async handle({ params, query }) {
      const template = await requireTemplate(params.name);
      // A language that it is not written in has no samples, and the refusal says which there are.
      return { status: 200, body: { props: requireSample(template, query.locale as Locale, params.sample) } };
    },
  });
}

function renderRoute(): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/:name/render`,
    summary: 'Render a mail with values of your own; nothing is sent',
    who: ['read'],
    params: Type.Object({ name }, closed),
    query: nothing,
    body: Type.Object({ locale, props }, closed),
    bodyOctetsMax,
    readsOnly: true,
    isConstant: true,
    answers: {
      200: {
        when: 'The mail. What is wrong with a value is a refusal that names it.',
        schema: Type.Object(
          {
            ...{ subject: Type.String(), html: Type.String(), text: Type.String() },
            octets: Type.Object({ html: octets, text: octets }, closed),
          },
          closed,
        ),
      },
    },
    async handle({ params, body: { locale, props } }) {
      const template = (await requireTemplate(params.name)).name;
      const answer = await render({ template, locale, props, unsubscribeUrl }, 'refused');
      if (!answer.ok) throw new Refusal(answer.code, answer.sentence);
      const { subject, html, text } = answer;
      const sizes = { html: Buffer.byteLength(html), text: Buffer.byteLength(text) };
      return { status: 200, body: { subject, html, text, octets: sizes } };
    },
  });
}
