import { dark, light } from '../../emails/look.ts';

/** What all pages share: the frame, escaping, and a look that follows the reader's own light or dark. */
export function pageOf({ title, style = '', content, lang = 'en', isUnlisted = false }: Page): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isUnlisted ? '<meta name="robots" content="noindex, nofollow">\n' : ''}<title>${title}</title>
<style>${commonStyle}${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

interface Page {
  title: string;
  style?: string;
  content: string;
  lang?: string;
  /** No search engine should know of it. */
  isUnlisted?: boolean;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const commonStyle = `
:root{color-scheme:light dark;--paper:#faf8f4;--ink:#1d1b18;--muted:#665f56;--hair:#ded8ce;--good:#1f6f43;--hand:#7d5200;--person:#b3261e;--stopped:#665f56;--accent:${light.accent};--on-accent:${light.onAccent}}
@media (prefers-color-scheme:dark){:root{--paper:#1a1917;--ink:#ece8e1;--muted:#a8a196;--hair:#3a3732;--good:#7cc79a;--hand:#e0b15a;--person:#f2938c;--stopped:#a8a196;--accent:${dark.accent};--on-accent:${dark.onAccent}}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:720px;margin:0 auto;padding:40px 20px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px}
h2{font-size:16px;margin:32px 0 8px}
p{margin:0;max-width:70ch}
.muted{color:var(--muted);font-size:14px}
pre{margin:0 0 8px;padding:12px 16px;border:1px solid var(--hair);overflow-x:auto}
code{font:14px/1.5 ui-monospace,monospace}
a{color:inherit}
`;
