import type { Locale } from '../../emails/words.ts';
import { escapeHtml, pageOf } from './html.ts';
import {
  type Kinds,
  kindsSaid,
  type Says,
  type UnsubscribeWords,
  unsubscribeWords,
} from './unsubscribe-words.ts';

/**
 * The pages behind the link in a mail: what can be done, and what was done. They need no script and load nothing, and they are
 * made of nothing but words and where the buttons lead: they cannot tell whether the link is known.
 */
export type Step = 'stop' | 'undo' | 'everything';

export interface UnsubscribePage {
  locale: Locale;
  /** What came before it: nothing yet, a step that was done, or one that could not be. */
  shows: 'ask' | Step | { failed: Step };
  /** From the page's own address to that of its steps. */
  toSteps: string;
  /** Nobody is told of mails that nobody gets here. */
  kinds: Kinds;
}

export function unsubscribePage({ locale, shows, toSteps, kinds }: UnsubscribePage): string {
  const words = unsubscribeWords[locale];
  const button = (step: Step, label: string, isMain = false) =>
    `<form method="post" action="${escapeHtml(toSteps + step)}"><button type="submit"${isMain ? ' class="main"' : ''}>${escapeHtml(label)}</button></form>`;
  const undo = () => `<p>${escapeHtml(words.undo.text)}</p>\n${button('undo', words.undo.button)}`;
  const kindList = () => {
    const items = kindsSaid(words, kinds).map((kind) => `<li>${escapeHtml(kind)}</li>`);
    return items.length === 0
      ? ''
      : `<p class="muted" id="kinds">${escapeHtml(words.kindsLead)}</p>\n<ul class="muted" aria-labelledby="kinds">${items.join('')}</ul>\n`;
  };
  const { says, more = '', rest } = partsOf(words, shows, { button, undo, kindList, kinds });
  return pageOf({
    title: escapeHtml(says.title),
    lang: locale,
    isUnlisted: true,
    style,
    content: `<h1>${escapeHtml(says.heading)}</h1>\n<p>${escapeHtml(says.text)}</p>\n${more}${rest}`,
  });
}

interface Makers {
  button(step: Step, label: string, isMain?: boolean): string;
  undo(): string;
  kindList(): string;
  kinds: Kinds;
}

function partsOf(
  words: UnsubscribeWords,
  shows: UnsubscribePage['shows'],
  { button, undo, kindList, kinds }: Makers,
): { says: Says; more?: string; rest: string } {
  const { everything } = words;
  const otherwise = `<p class="muted">${escapeHtml(words.otherwise)}</p>`;
  if (typeof shows === 'object') {
    return { says: words.failed, rest: button(shows.failed, words.tryAgain, true) };
  }
  switch (shows) {
    case 'ask':
      return { says: words.ask, more: kindList(), rest: button('stop', words.stop, true) };
    case 'stop':
      return {
        says: words.stopped,
        more: kindList(),
        rest: `${undo()}
<section>
<h2>${escapeHtml(everything.heading)}</h2>
<p>${escapeHtml(everything.text)}</p>
${button('everything', everything.button)}
</section>
${otherwise}`,
      };
    case 'everything':
      return { says: words.everythingStopped, rest: `${undo()}\n${otherwise}` };
    case 'undo':
      return {
        says: words.takenBack,
        more: kinds.seats ? `<p>${escapeHtml(words.unconfirmed)}</p>\n` : '',
        rest: button('stop', words.stop),
      };
  }
}

const style = `
main{max-width:560px;padding:64px 20px}
h1{margin-bottom:12px;text-wrap:balance}
h2{margin:0 0 4px}
p{max-width:60ch;text-wrap:pretty}
form,p+p{margin-top:16px}
h1+p+form,ul+form{margin-top:24px}
ul{margin:4px 0 0;padding:0;max-width:60ch;list-style:none}
li{margin-top:4px}
ul+p{margin-top:24px}
section{margin-top:40px;padding-top:24px;border-top:1px solid var(--hair)}
section+p,form+p{margin-top:40px}
button{min-height:48px;padding:12px 24px;border:1px solid var(--accent);border-radius:8px;background:transparent;color:var(--accent);font:600 16px/1.4 system-ui,sans-serif;cursor:pointer}
button.main{background:var(--accent);color:var(--on-accent)}
button:hover{text-decoration:underline}
button:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
@media (max-width:480px){main{padding:40px 20px}button{width:100%}}
`;
