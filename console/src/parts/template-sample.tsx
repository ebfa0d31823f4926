import { useId, useState } from 'react';
import { readProps } from '../props-text.ts';
import { sizeOf } from '../size.ts';
import { useAsked } from '../use-asked.ts';
import { type RenderedMail, useRendered } from '../use-rendered.ts';
import { useLanguage, useWords } from '../words/words.ts';
import { MailFrame } from './mail-view.tsx';
import { Broken, Loading } from './shapes.tsx';

interface SampleParts {
  template: string;
  locale: string;
  sample: string;
  view: string;
  look(view: View): void;
}

const views = ['phone', 'desktop', 'text'] as const;
type View = (typeof views)[number];

/** One sample: its values to change beside the mail that they make. */
export function TemplateSample({ template, locale, sample, ...parts }: SampleParts) {
  const path = `/api/v1/templates/${encodeURIComponent(template)}/samples/${encodeURIComponent(sample)}`;
  const [asked, again] = useAsked<{ props: Record<string, unknown> }>(
    `${path}?${new URLSearchParams({ locale })}`,
  );
  if (asked.state === 'waiting') return <Loading />;
  if (asked.state === 'broken') return <Broken problem={asked.problem} again={again} />;
  return <Editor template={template} locale={locale} given={asked.value.props} {...parts} />;
}

type EditorParts = Omit<SampleParts, 'sample'> & { given: Record<string, unknown> };

function Editor({ template, locale, given, view, look }: EditorParts) {
  const { templates: words } = useWords();
  const written = JSON.stringify(given, null, 2);
  const [text, setText] = useState(written);
  const read = readProps(text);
  const { mail, problem } = useRendered(template, locale, 'props' in read ? read.props : null);
  const help = useId();
  const unreadable =
    'props' in read
      ? undefined
      : read.problem === 'no object'
        ? words.noObject
        : words.badJson(read.line, read.column);
  const wrong = unreadable ?? problem?.message;
  return (
    <div className="columns sample">
      <section>
        <label className="values">
          {words.values}
          <textarea
            className="mono"
            value={text}
            onChange={({ target }) => setText(target.value)}
            spellCheck={false}
            rows={Math.min(32, Math.max(12, written.split('\n').length + 1))}
            maxLength={200_000}
            aria-invalid={wrong !== undefined}
            aria-describedby={help}
          />
        </label>
        <div id={help} role="status">
          {wrong === undefined ? (
            <p className="muted">{words.fine}</p>
          ) : (
            <p className="notice">
              {wrong} {mail && words.stale}
            </p>
          )}
        </div>
        {text !== written && (
          <button type="button" onClick={() => setText(written)}>
            {words.reset}
          </button>
        )}
      </section>
      <section>{mail ? <Mail mail={mail} view={view} look={look} /> : !wrong && <Loading />}</section>
    </div>
  );
}

function Mail({ mail, view: asked, look }: { mail: RenderedMail } & Pick<SampleParts, 'view' | 'look'>) {
  const { templates: words } = useWords();
  const language = useLanguage();
  const view = views.find((one) => one === asked) ?? 'phone';
  const { html, text } = mail.octets;
  return (
    <>
      <p>
        <span className="muted">{words.subject}</span> <strong>{mail.subject}</strong>
      </p>
      <p className="muted">{words.size(sizeOf(html, language), sizeOf(text, language))}</p>
      <fieldset className="row views">
        <legend className="unseen">{words.view}</legend>
        {views.map((name) => (
          <button
            type="button"
            key={name}
            aria-pressed={view === name}
            className={view === name ? 'main' : ''}
            onClick={() => look(name)}
          >
            {words[name]}
          </button>
        ))}
      </fieldset>
      {view === 'text' ? (
        <pre>{mail.text}</pre>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on a narrow screen it scrolls sideways, which takes the keyboard's focus.
        <section className={`scroll frame-${view}`} tabIndex={0} aria-label={words[view]}>
          <MailFrame html={mail.html} title={mail.subject} />
        </section>
      )}
    </>
  );
}
