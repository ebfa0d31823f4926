import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** What is loaded of React after each of some scripts in one process: React is CommonJS, whose modules can be counted. */
async function reactAfter(...scripts: string[]): Promise<string[]> {
  const count =
    "Object.keys(require.cache).some((path) => path.includes('react-dom')) ? 'loaded' : 'not loaded'";
  const steps = scripts.map((script) => `${script}; console.log(${count});`);
  const whole = `(async () => { ${steps.join(' ')} })()`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', whole]);
  return stdout.trim().split('\n');
}

it('React is loaded by the first mail, and not by whoever only looks', async () => {
  const look = "await import('./src/main.ts'); await import('./src/cli/commands/send.ts')";
  const send = "const { render } = await import('./src/emails/render.ts')";
  const order = "{ template: 'plain', locale: null, props: { subject: 'a', text: 'b' } }";
  expect(await reactAfter(look, `${send}; await render(${order})`)).toEqual(['not loaded', 'loaded']);
});
