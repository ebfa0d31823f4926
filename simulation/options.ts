import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What was asked for on the command line. `--help` tells what there is, and so does whatever there is not. */
export function readOptions<T extends Options>(usage: string, options: T) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } as T });
    if (!('help' in values)) return values;
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  } catch (error) {
    // Its first sentence; the rest is about how to write a file name that looks like an option.
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : [];
    process.stderr.write(`${sentence}.\n${usage}\n`);
    process.exit(2);
  }
}
