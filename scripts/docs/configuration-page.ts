import { variables } from '../../src/settings.ts';
import { code, madeFrom, table } from './markdown.ts';

/** docs/configuration.md: the settings of src/settings.ts, for whoever runs Tidings. */
export function configurationPage(): string {
  return `${madeFrom('src/settings.ts')}

# Configuration

Tidings starts without any. Each setting is a variable of the environment, or a line of the file \`.env\` in the folder
from which it is started. Keys and passwords stand in that file: \`chmod 600 .env\` keeps them from other users of the machine.

${table(
  ['variable', 'default', 'meaning'],
  Object.values(variables).map(({ name, default: fallback, meaning }) => [
    code(name),
    code(fallback),
    meaning,
  ]),
)}

## How they combine

1. A variable of the environment wins.
2. Otherwise the line in \`.env\` counts.
3. Otherwise the default.

An empty variable counts as not set, because that is how deployment tools write "nothing". Settings are read once, at the
start: restart Tidings after a change.

\`\`\`sh
# .env
DATABASE_URL=postgres://tidings:secret@localhost:5432/tidings
LOG_LEVEL=warn
\`\`\`

\`\`\`sh
PORT=8080 npm start    # the environment, for this run only
\`\`\`

## When something is wrong

Tidings does not start, and names all problems at once, each with what the value must be. It never prints a value: it
may be a secret.

- A name in \`.env\` that is not a setting is refused, with the one that was probably meant, if one is near.
- The environment holds much that is not for Tidings, so an unknown name there is refused only if it looks like one of the
  longer names above, misspelt, and that one is not set.
`;
}
