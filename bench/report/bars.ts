import type { MeasuredContender, Result } from './result.ts';

const width = 880;
const left = 400;
const right = 80;
const barHeight = 18;
const lineHeight = 26;
const headHeight = 40;

/** Light and dark in the file itself, with a background of its own: a page that shows it may have either. */
const style = `
svg{--paper:#fdfcf9;--ink:#1d1c1a;--soft:#5d5a54;--ours:#245fb5;--peer:#b9b4a9;--control:#e3dfd5}
@media (prefers-color-scheme:dark){svg{--paper:#17181b;--ink:#f0eee9;--soft:#aaa69d;--ours:#82b1f5;--peer:#5b5a58;--control:#333437}}
text{font:13px system-ui,sans-serif;fill:var(--ink)}
.paper{fill:var(--paper)}.ours{fill:var(--ours)}.peer{fill:var(--peer)}.control{fill:var(--control)}
.group{font-weight:600}.figure{font-variant-numeric:tabular-nums;fill:var(--soft)}`;

/** Mails a second of everybody who was measured, a bar each, by group and then by speed. */
export function bars(results: readonly Result[]): string {
  const contenders = results.find(({ bench }) => bench === 'throughput')?.contenders ?? [];
  const most = Math.max(1, ...contenders.map(({ perSecond }) => perSecond ?? 0));
  const lines: string[] = [];
  let y = headHeight + lineHeight;
  const text = (className: string, x: number, words: string) =>
    lines.push(`<text class="${className}" x="${x}" y="${y + barHeight - 4}">${escaped(words)}</text>`);
  for (const [group, members] of grouped(contenders)) {
    text('group', 16, group);
    y += lineHeight;
    for (const one of members) {
      const length = ((one.perSecond ?? 0) / most) * (width - left - right);
      text('name', 32, one.name.replace(/ \(.*\)$/, ''));
      lines.push(
        `<rect class="${kindOf(one)}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      );
      text('figure', left + length + 8, Math.round(one.perSecond ?? 0).toLocaleString('en-GB'));
      y += lineHeight;
    }
    y += lineHeight / 2;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img" aria-labelledby="bars-title bars-description">`,
    '<title id="bars-title">Mails a second, from claimable to recorded</title>',
    `<desc id="bars-description">${escaped(contenders.map(({ name, perSecond }) => `${name}: ${Math.round(perSecond ?? 0)}`).join('; '))}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${y}"/>`,
    `<text class="group" x="16" y="${headHeight - 8}">Mails a second, from claimable to recorded: medians of interleaved rounds</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

/** In each group of peers stands the engine on the same database, too. */
function grouped(contenders: readonly MeasuredContender[]): Map<string, MeasuredContender[]> {
  const groups = new Map<string, MeasuredContender[]>();
  const ours = contenders.filter((one) => kindOf(one) === 'ours');
  for (const one of contenders) {
    if (kindOf(one) === 'ours') continue;
    const beside = ours.filter(({ group }) => one.group.startsWith(`${group},`));
    const members = groups.get(one.group) ?? (one.group === 'control' ? [] : [...beside]);
    groups.set(one.group, [...members, one]);
  }
  for (const members of groups.values()) members.sort((a, b) => (b.perSecond ?? 0) - (a.perSecond ?? 0));
  return groups;
}

function kindOf({ name, group }: MeasuredContender): 'ours' | 'control' | 'peer' {
  if (group === 'control') return 'control';
  return name.startsWith('Tidings') ? 'ours' : 'peer';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
