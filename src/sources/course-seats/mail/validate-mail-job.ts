import type { ValidateFunction } from 'ajv';

/**
 * The mail job against its contract, `mail-job.schema.json` (spec 000, version 1.0). Answers what is wrong, in one sentence that
 * quotes no value, or nothing. The validator is made for the first job: whoever only lists deliveries does not wait for it.
 */
export async function validateMailJob(job: unknown): Promise<string | undefined> {
  compiled ??= await compile();
  const validate = compiled;
  if (validate(job)) return undefined;
  const [error] = validate.errors ?? [];
  return `The mail job${error?.instancePath ?? ''} ${error?.message ?? 'is not valid'}.`;
}

/** Not the promise of it: one that could not be kept, because files were short, would never be made again. */
let compiled: ValidateFunction | undefined;

async function compile(): Promise<ValidateFunction> {
  const [{ Ajv2020 }, { default: formats }, { default: schema }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('./mail-job.schema.json', { with: { type: 'json' } }),
  ]);
  const ajv = new Ajv2020({ strict: true });
  formats.default(ajv);
  return ajv.compile(schema);
}
