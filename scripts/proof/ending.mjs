const filesNamed = 5;

/**
 * What a run that came to its end has to say: its table, its sentences, and whether it is right. Only what is right, and all of it, may
 * be written down. `part` is what size.mjs makes of what was left out.
 */
export function endingOf({ rows, changed, part }) {
  const isOfOneSource = changed.length === 0;
  const isRight = isOfOneSource && rows.every((row) => row.isRight);
  const origins = `${originsOf(rows)}${isOfOneSource ? '' : ', and changed while this ran'}`;
  return {
    table: `${tableOf(rows)}\n\n${origins}.`,
    sentence: isOfOneSource ? sentenceOf(isRight, part) : sentenceAbout(changed),
    isRight,
    canBeWritten: isRight && part === null,
  };
}

function tableOf(rows) {
  const lines = rows.map(
    ({ what, result, seconds, isRight }) =>
      `| ${what} | ${isRight ? '' : '**WRONG** '}${result} | ${seconds} s |`,
  );
  return ['| what | result | time |', '|---|---|---|', ...lines].join('\n');
}

/** One, unless some steps are of an earlier run. */
function originsOf(rows) {
  const origins = [...new Set(rows.map(({ origin }) => origin))];
  if (origins.length === 1) return origins[0];
  const namesOf = (origin) => rows.flatMap((row) => (row.origin === origin ? [row.name] : [])).join(', ');
  return origins.map((origin) => `${namesOf(origin)}: ${origin}`).join('. ');
}

function sentenceOf(isRight, part) {
  if (!isRight) return 'NOT every promise was kept.';
  if (part === null) return 'Every promise was kept.';
  const { what, notRun } = part;
  return `${what}: nothing wrong in these.${notRun.length > 0 ? ` Not run: ${notRun.join(', ')}.` : ''}`;
}

function sentenceAbout(changed) {
  const more = changed.length > filesNamed ? ` and ${changed.length - filesNamed} more` : '';
  return (
    `The source was changed while this ran (${changed.slice(0, filesNamed).join(', ')}${more}), so it shows nothing of ` +
    'any one source and is NOT right. With --go-on, only the steps that this concerns are run again.'
  );
}
