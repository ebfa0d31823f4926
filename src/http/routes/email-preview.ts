import { Type } from 'typebox';
import { type Rendered, type RenderOrder, render, templateNames } from '../../emails/render.ts';
import { asPreview, idOf, requireSample, requireTemplate, samplesIn } from '../../emails/samples.ts';
import { localeFor } from '../../emails/words.ts';
import { type NotificationType, notificationTypes } from '../../sources/newsletters/notification-type.ts';
import { Refusal } from '../../std/refusal.ts';
import { languageFor } from '../accept-language.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, line, nothing } from '../schemas.ts';
import type { ApiParts } from '../server.ts';
import { readSpecProps } from '../spec-props.ts';

/**
 * Mails to look at before anybody gets one (002-P3-11 to -14). Nothing is sent and nothing is stored. There are no such addresses
 * where previews are not asked for, nor in production (002-P10-06): what is not there cannot be opened by mistake.
 */
export function emailPreviewRoutes(parts: PreviewParts): Route[] {
  const isThere = parts.emailPreviewEnabled === true && !isProduction(parts);
  return isThere ? [templatesRoute(), previewRoute(), samplePreviewRoute()] : [];
}

const isProduction = ({ environment }: PreviewParts) => environment.toLowerCase() === 'production';

/** Why there is no preview, for whoever could open one; all others find nothing, as at any address that is not there. */
export function previewsAreOff(parts: PreviewParts, url: string): Refusal | undefined {
  if (!url.startsWith(`${path}/`) || parts.emailPreviewEnabled === true || isProduction(parts))
    return undefined;
  return new Refusal(
    'preview_not_found',
    'Previews of mails are off. Set EMAIL_PREVIEW_ENABLED=true and restart; never where TIDINGS_ENV is production.',
  );
}

type PreviewParts = Pick<ApiParts, 'environment' | 'emailPreviewEnabled'>;

const path = '/api/v1/emails';
const bodyOctetsMax = 1_048_576; // What the largest mail may have, twice.
/** The way out of a mail that nobody gets. */
const unsubscribeUrl = 'https://example.org/unsubscribe';

/** 002-P3-05 */
const rendered = Type.Object(
  {
    subject: Type.String(),
    html: Type.String(),
    text: Type.String(),
    templateName: Type.String(),
    templateVersion: Type.String(),
  },
  closed,
);

const texts = Type.Array(Type.String());
const listed = Type.Object(
  {
    template: Type.String({ description: 'What the other two routes call it.' }),
    name: Type.String({ description: 'What intents call it.' }),
    version: Type.String(),
    locales: texts,
    samples: texts,
    previews: Type.Array(Type.String(), { description: 'Addresses of its samples.' }),
    props: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema.' }),
  },
  closed,
);

function templatesRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/templates`,
    summary: 'List the templates of mails, with their languages, samples and props',
    who: [],
    query: nothing,
    isConstant: true,
    answers: {
      200: { when: 'All of them.', schema: Type.Object({ templates: Type.Array(listed) }, closed) },
    },
    async handle() {
      const templates = [];
      for (const each of templateNames) {
        const { name, version, locales, schema, ...template } = await requireTemplate(each);
        const [locale = 'en'] = locales;
        const samples = [...samplesIn({ ...template, locales }, locale).keys()];
        const ownTypes = notificationTypes.filter((type) => types[type].template === name);
        const previews =
          ownTypes.length > 0 ? ownTypes : samples.map((sample) => `${idOf(name)}?sample=${sample}`);
        templates.push({
          ...{ template: idOf(name), name, version, locales, samples, props: schema },
          previews: previews.map((preview) => `${path}/preview/${preview}`),
        });
      }
      return { status: 200, body: { templates } };
    },
  });
}

function previewRoute(): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/preview`,
    summary: 'Render a mail with props of your own; nothing is sent',
    who: [],
    query: nothing,
    body: Type.Object(
      {
        template: line(100, 'As `GET /api/v1/emails/templates` calls it.'),
        locale: Type.Optional(line(35, 'The `lang` among the props, or English, if left out.')),
        props: Type.Record(Type.String(), Type.Unknown(), {
          description:
            "The template's props; of `newsletter_entity` and `alert_series` also with amounts as numbers, in a `summary` or in `triggeredConditions`.",
        }),
      },
      closed,
    ),
    bodyOctetsMax,
    readsOnly: true,
    isConstant: true,
    answers: { 200: { when: 'The mail.', schema: rendered } },
    async handle({ body }) {
      const { name } = await requireTemplate(body.template);
      const { locale, props } = readSpecProps(name, body.locale, body.props);
      return { status: 200, body: await mailOf({ template: name, locale, props }) };
    },
  });
}

/** What is shown for each kind of notification (002-V-02). */
const types: Readonly<Record<NotificationType, { template: string; sample: string }>> = {
  newsletter_entity_monthly: { template: 'newsletter-entity', sample: 'monthly' },
  newsletter_entity_quarterly: { template: 'newsletter-entity', sample: 'quarterly' },
  newsletter_entity_yearly: { template: 'newsletter-entity', sample: 'yearly' },
  alert_series_analytics: { template: 'alert-series', sample: 'analytics' },
  alert_series_static: { template: 'alert-series', sample: 'static' },
};
const allTypes: readonly string[] = [...notificationTypes, ...templateNames.map(idOf)];

/** Whatever a template may come to hold, nothing of it runs, loads or leads a form anywhere. */
const headers = {
  'content-security-policy':
    "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'none';frame-ancestors 'none';sandbox",
};

function samplePreviewRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/preview/:type`,
    summary: 'Look at a mail with sample data, of a type of notification or of a template',
    who: [],
    params: Type.Object({ type: line(100) }, closed),
    query: Type.Object(
      {
        lang: Type.Optional(line(35, "The browser's own, or English, if left out.")),
        sample: Type.Optional(line(100, "One of the template's samples.")),
        part: Type.Optional(Type.Enum(['html', 'text', 'json'], { description: '`html` if left out.' })),
      },
      closed,
    ),
    isConstant: true,
    answers: {
      200: { when: 'The html as a page; with `part` its text, or the whole as JSON.', type: 'text/html' },
    },
    refusals: { 404: 'There is no such type.' },
    async handle({ params: { type }, query: { lang, sample, part = 'html' }, headers: asked }) {
      const chosen = Object.hasOwn(types, type) ? types[type as NotificationType] : undefined;
      if (!allTypes.includes(type))
        throw new Refusal(
          'preview_not_found',
          `There is no such preview. There are: ${allTypes.join(', ')}.`,
        );
      const template = await requireTemplate(chosen?.template ?? type);
      const liked = languageFor(asked['accept-language']);
      const locale = localeFor(lang ?? liked, template.locales);
      const props = requireSample(template, locale ?? 'en', sample ?? chosen?.sample);
      const order = { template: template.name, props: asPreview(template, props) };
      const mail = await mailOf({ ...order, locale: lang ?? locale ?? null });
      if (part === 'json') return { status: 200, body: mail };
      if (part === 'text')
        return { status: 200, body: mail.text, type: 'text/plain; charset=utf-8', headers };
      return { status: 200, body: mail.html, type: 'text/html; charset=utf-8', headers };
    },
  });
}

async function mailOf(order: RenderOrder): Promise<Omit<Extract<Rendered, { ok: true }>, 'ok'>> {
  const answer = await render({ unsubscribeUrl, ...order }, 'refused');
  if (!answer.ok) throw new Refusal(answer.code, answer.sentence);
  const { ok: _, ...mail } = answer;
  return mail;
}
