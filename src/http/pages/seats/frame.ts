import type { Locale } from '../../../emails/words.ts';
import { escapeHtml, pageOf } from '../html.ts';
import { type SeatsWords, seatsWords } from './words.ts';

/**
 * What the pages for students share. They need no script and load nothing. All their links and forms are relative, because a
 * proxy may have put these pages below an address of its own.
 */
export interface SeatsPage {
  locale: Locale;
  title: string;
  content: string;
  /** From this page's address to the root of the server: empty, or some `../`. */
  toRoot: string;
  /** Its address is somebody's secret. */
  isUnlisted?: boolean;
  /** What was searched for, as the end of an address: the way back leads there. */
  search?: string | undefined;
  /** Without the way back to the search: it is the search. */
  isSearch?: boolean;
}

export function seatsPage({
  locale,
  title,
  content,
  toRoot,
  isUnlisted,
  isSearch,
  search = '',
}: SeatsPage): string {
  const words = seatsWords[locale];
  const back = isSearch
    ? ''
    : `<nav aria-label="${escapeHtml(words.name)}"><a href="${toRoot}seats${escapeHtml(search)}">${escapeHtml(words.toSearch)}</a></nav>\n`;
  return pageOf({
    title: `${escapeHtml(title)} · ${escapeHtml(words.name)}`,
    lang: locale,
    style,
    content: `${back}${content}`,
    ...(isUnlisted && { isUnlisted }),
  });
}

/** Where mail is while no mail service is set up. Whoever may not look into it is asked for a key there. */
export function inboxLine({ builtInInbox: { text, link } }: SeatsWords, toRoot: string): string {
  return `<p class="quiet">${escapeHtml(text)} <a href="${toRoot}console/inbox">${escapeHtml(link)}</a></p>`;
}

const style = `
main{padding:32px 20px 64px}
h1{margin-bottom:8px;text-wrap:balance}
h2{font-size:20px;line-height:1.3;margin:32px 0 8px}
h3{font-size:16px;margin:8px 0 0}
.code{display:block;font:400 16px/1.5 ui-monospace,monospace;color:var(--muted)}
p{max-width:65ch;text-wrap:pretty}
p+p,form+p,ul+p{margin-top:8px}
a{color:var(--accent)}
nav{margin:0 0 24px;font-size:14px}
nav a{display:inline-block;padding:4px 0}
ul{list-style:none;margin:0;padding:0}
.quiet{color:var(--muted);font-size:14px}
.chip{display:inline-block;white-space:nowrap;font-weight:600}
.good{color:var(--good)}.hand{color:var(--hand)}.person{color:var(--person)}.stopped{color:var(--stopped)}
.mono{font:14px/1.5 ui-monospace,monospace}
.warning{color:var(--hand)}
.told{margin:16px 0;padding:12px 16px;border-left:4px solid var(--hand)}
.told.good{border-color:var(--good)}
.told.person{border-color:var(--person)}
.told.good,.told.hand,.told.person{color:inherit}
.told strong{display:block}
label,legend{display:block;font-weight:600;padding:0}
input,select{display:block;width:100%;min-height:48px;margin-top:4px;padding:8px 12px;border:1px solid var(--muted);border-radius:8px;background:var(--paper);color:var(--ink);font:16px/1.4 system-ui,sans-serif}
input[type=checkbox]{display:inline-block;width:20px;min-height:20px;height:20px;margin:0 8px 0 0;vertical-align:middle;accent-color:var(--accent)}
.choice{font-weight:400;min-height:48px;padding:12px 0;margin-top:4px}
input[aria-invalid]{border:2px solid var(--person)}
fieldset{border:0;margin:0;padding:0;min-width:0}
.field{margin-top:16px;max-width:420px}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:12px;max-width:420px}
.field>.quiet,.pair+.quiet{margin-top:4px}
.problem{color:var(--person);font-weight:600;margin-top:4px}
button,.button{display:inline-block;min-height:48px;padding:12px 20px;border:1px solid var(--accent);border-radius:8px;background:transparent;color:var(--accent);font:600 16px/1.4 system-ui,sans-serif;text-decoration:none;text-align:center;cursor:pointer}
button.main,.button.main{background:var(--accent);color:var(--on-accent)}
button:hover,.button:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
form>button,form>.main{margin-top:16px}
.row{display:flex;flex-wrap:wrap;gap:12px;align-items:end;margin-top:12px}
.row form,.row button{margin:0}
details{margin-top:16px}
summary{cursor:pointer;padding:12px 0;min-height:48px}
code{font:600 16px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
dl{margin:12px 0;display:grid;grid-template-columns:max-content 1fr;gap:4px 16px}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
section{margin-top:32px;padding-top:8px;border-top:1px solid var(--hair)}
section h2{margin-top:16px}
.course{margin-top:16px}
.course details{margin:0}
.course .sections{margin-top:8px}
.sections li{display:grid;grid-template-columns:104px 1fr max-content;gap:4px 16px;align-items:start;padding:12px 0;border-top:1px solid var(--hair)}
.sections .warned{font-size:14px}
.sections>li>div{min-width:0;overflow-wrap:anywhere}
@media (max-width:480px){main{padding:24px 16px 48px}dl{gap:4px 12px}form>button,form>.main,p>.button{width:100%}.sections li{grid-template-columns:1fr max-content}.sections li>:nth-child(1){grid-area:1/1}.sections li>:nth-child(2){grid-area:2/1}.sections li>:nth-child(3){grid-area:1/2/3/3;align-self:center}.sections li>.row{grid-area:3/1/4/3;margin:4px 0}}
`;
