/**
 * Other people's texts on our screen: subjects, addresses, error messages. Whatever could move the cursor, change the
 * order of the letters or look like a line of ours is shown as its escape.
 */
export function printable(text: string): string {
  return text.replace(unsafe, escaped);
}

/** The same for a text of several lines, whose line breaks and tabs are meant. */
export function printableLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(unsafe, (sign) => (sign === '\t' ? sign : escaped(sign))));
}

/** One word of a command that a shell reads back as it is. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${printable(text).replaceAll("'", String.raw`'\''`)}'`;
}

/** Of Cf only what turns the writing direction: joiners belong to words and emoji. */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
