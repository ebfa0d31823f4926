/** A table of Markdown; cells may hold Markdown themselves. An empty cell shows as a dash, so that it looks meant. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text === '' ? '–' : text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first line of a generated page: whoever opens it to edit it learns where to go instead. */
export function madeFrom(source: string): string {
  return `<!-- Made by \`npm run docs\` from ${source}. Edit that, or scripts/docs/, and run it again. -->`;
}
