/**
 * A subject with a stranger's words in it. A name may be long, and three hundred characters of some scripts are more octets than a
 * subject may have; and what looks like an encoded word ends a delivery. Neither is a reason not to tell somebody: the whole
 * name stands in the mail.
 */
export function subjectOf(before: string, name: string, after = ''): string {
  return (before + shortened(name) + after).replaceAll('=?', '= ?');
}

const nameCharactersMax = 120; // More than any list of mails shows.

function shortened(name: string): string {
  const characters = [...name];
  return characters.length > nameCharactersMax
    ? `${characters
        .slice(0, nameCharactersMax - 1)
        .join('')
        .trimEnd()}…`
    : name;
}
