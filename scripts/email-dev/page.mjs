import { style } from './page-style.mjs';

const schemes = ['light', 'dark'];
const widths = ['600', '320'];

/** The page: all mails on the left, the chosen one in a frame, its text and its props beside it. It works without scripts, too. */
export function pageOf({ mails, problem, version }, query) {
  const view = {
    scheme: schemes.includes(query.scheme) ? query.scheme : 'light',
    width: widths.includes(query.width) ? query.width : '600',
  };
  const chosen = mails.find((mail) => isAsked(mail, query)) ?? mails[0];
  const title = chosen ? `${chosen.template}, ${chosen.sample}, ${chosen.locale}` : 'No mails yet';
  return `<!doctype html>
<html lang="en" data-version="${escapeHtml(version)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#mail">To the mail</a>
<nav aria-label="Mails">
${grouped(mails, 'template')
  .map(([name, group]) => groupOf(name, group, { chosen, view }))
  .join('\n')}
</nav>
<main id="mail">
${problem === undefined ? '' : `<section class="problem" role="alert"><h2>What is written there cannot be shown; below is what was there before.</h2><pre tabindex="0">${escapeHtml(problem)}</pre></section>`}
${chosen ? mailOf(chosen, view) : '<h1>No mails yet</h1>'}
</main>
<script src="/client.js"></script>
</body>
</html>
`;
}

function grouped(mails, by) {
  const groups = new Map();
  for (const mail of mails) groups.set(mail[by], [...(groups.get(mail[by]) ?? []), mail]);
  return [...groups];
}

function isAsked(mail, query) {
  return ['template', 'locale', 'sample'].every((name) => mail[name] === query[name]);
}

function groupOf(name, group, { chosen, view }) {
  const bySample = grouped(group, 'sample');
  const links = (sameSample) =>
    sameSample
      .map((mail) =>
        link(addressOf(mail, view), mail.locale, mail === chosen, `${name}, ${mail.sample}, ${mail.locale}`),
      )
      .join(' ');
  const lines = bySample.map(
    ([sample, same]) => `<li><span>${escapeHtml(sample)}</span> ${links(same)}</li>`,
  );
  return `<h2>${escapeHtml(name)} <small>${escapeHtml(group[0].version)}</small></h2><ul>${lines.join('')}</ul>`;
}

function mailOf(mail, view) {
  const choice = (name, values, label) =>
    `<span class="choice" role="group" aria-label="${label}">${values
      .map((value) => link(addressOf(mail, { ...view, [name]: value }), value, view[name] === value))
      .join(' ')}</span>`;
  return `<header>
<h1>${escapeHtml(mail.ok ? mail.subject : 'This sample cannot be made')}</h1>
<p>${escapeHtml(mail.template)}, ${escapeHtml(mail.sample)}, ${escapeHtml(mail.locale)} ${choice('width', widths, 'Width')} ${choice('scheme', schemes, 'Light or dark')}</p>
<p class="hint">Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous mail, <kbd>w</kbd> width, <kbd>d</kbd> light or dark</p>
</header>
<div class="parts">
${mail.ok ? `<iframe sandbox title="The mail" width="${view.width}" src="${escapeHtml(addressOf(mail, view, '/mail'))}"></iframe>` : `<p class="problem">${escapeHtml(mail.sentence)}</p>`}
<div class="beside">
${part('Text', mail.ok ? mail.text : '')}
${part('Props', JSON.stringify(mail.props, null, 2))}
</div>
</div>`;
}

/** Each can be scrolled with the keys alone. */
function part(title, text) {
  return `<section><h2>${title}</h2><pre tabindex="0" aria-label="${title}" role="region">${escapeHtml(text)}</pre></section>`;
}

function link(href, text, isCurrent, label) {
  return `<a href="${escapeHtml(href)}"${isCurrent ? ' aria-current="true"' : ''}${label ? ` aria-label="${escapeHtml(label)}"` : ''}>${escapeHtml(text)}</a>`;
}

function addressOf({ template, locale, sample }, view, path = '/') {
  return `${path}?${new URLSearchParams({ template, locale, sample, ...view })}`;
}

/** The html as a reader of that scheme sees it: a frame would follow the system. */
export function framed({ mails }, query) {
  const mail = mails.find((one) => isAsked(one, query));
  if (!mail?.ok) return undefined;
  const isDark = query.scheme === 'dark';
  return mail.html
    .replaceAll('(prefers-color-scheme:dark)', isDark ? 'all' : 'not all')
    .replaceAll('light dark', isDark ? 'dark' : 'light');
}

function escapeHtml(text) {
  return String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
