import { useEffect } from 'react';
import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Broken, Loading } from '../parts/shapes.tsx';
import { TemplateSample } from '../parts/template-sample.tsx';
import { go, usePlace } from '../place.ts';
import { useAsked } from '../use-asked.ts';
import { useLanguage, useWords } from '../words/words.ts';
import '../lists.css';

interface Template {
  name: string;
  version: string;
  languages: { locale: string; samples: string[] }[];
}

/** Every mail as its readers see it. The address says which: template, language, sample and how it is looked at. */
export function TemplatesPage() {
  const { templates: words } = useWords();
  const [list, again] = useAsked<{ templates: Template[] }>('/api/v1/templates');
  return (
    <>
      <Heading>{words.title}</Heading>
      <p>{words.lead}</p>
      {list.state === 'waiting' && <Loading />}
      {list.state === 'broken' && <Broken problem={list.problem} again={again} />}
      {list.state === 'there' && <Chosen templates={list.value.templates} />}
    </>
  );
}

function Chosen({ templates }: { templates: readonly Template[] }) {
  const { templates: words } = useWords();
  const consoleLanguage = useLanguage();
  const { query } = usePlace();
  const asked = Object.fromEntries(
    ['template', 'language', 'sample', 'view'].map((name) => [name, query.get(name) ?? '']),
  );
  const template = templates.find(({ name }) => name === asked.template);
  const language = template?.languages.find(({ locale }) => locale === asked.language);
  const isThere = language?.samples.includes(asked.sample ?? '') === true;
  const isUnsaid = [asked.template, asked.language, asked.sample].includes('');
  const isUnknown = asked.template !== '' && (!template || (asked.language !== '' && !language));

  /** What was not said, or is not there in the new choice, is the first that there is. */
  const complete = (wanted: Record<string, string>) => {
    const next = templates.find(({ name }) => name === wanted.template) ?? templates[0];
    const inLanguage =
      next?.languages.find(({ locale }) => locale === wanted.language) ??
      next?.languages.find(({ locale }) => locale === consoleLanguage) ??
      next?.languages[0];
    const sample = inLanguage?.samples.find((name) => name === wanted.sample) ?? inLanguage?.samples[0];
    const place = { template: next?.name, language: inLanguage?.locale, sample, view: wanted.view };
    return `/templates${queryOf(place)}`;
  };
  const show = (changes: Record<string, string>) => go(complete({ ...asked, ...changes }));
  const bare = isUnsaid && !isUnknown ? complete(asked) : null;
  useEffect(() => {
    if (bare !== null) go(bare, { isInPlace: true });
  }, [bare]);
  if (bare !== null) return <Loading />;
  const { template: templateName = '', language: locale = '', sample = '', view = '' } = asked;
  return (
    <>
      <form className="bar" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label={words.template}
          value={templateName}
          options={templates.map(({ name }) => name)}
          choose={(value) => show({ template: value })}
        />
        <Choice
          label={words.language}
          value={locale}
          options={template?.languages.map((one) => one.locale) ?? []}
          choose={(value) => show({ language: value })}
        />
        <Choice
          label={words.sample}
          value={sample}
          options={language?.samples ?? []}
          choose={(value) => show({ sample: value })}
        />
      </form>
      {isThere ? (
        <TemplateSample
          key={`${templateName} ${locale} ${sample}`}
          {...{ template: templateName, locale, sample, view }}
          look={(value) => go(`/templates${queryOf({ ...asked, view: value })}`, { isInPlace: true })}
        />
      ) : (
        <p className="notice" role="alert">
          {words.noSuch}
        </p>
      )}
    </>
  );
}

interface ChoiceParts {
  label: string;
  value: string;
  options: readonly string[];
  choose(value: string): void;
}

/** What the address says stays shown, also where there is no such thing. */
function Choice({ label, value, options, choose }: ChoiceParts) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => choose(target.value)}>
        {[...new Set([...options, value])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
