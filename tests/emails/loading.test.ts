import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** What is loaded of React by the time that a script is done: React is CommonJS, whose modules can be counted. */
async function reactAfter(script: string): Promise<string> {
  const count =
    "Object.keys(require.cache).some((path) => path.includes('react-dom')) ? 'loaded' : 'not loaded'";
  const whole = `(async () => { ${script}; console.log(${count}); })()`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', whole]);
  return stdout.trim();
}

it('React is loaded by the first mail, and not by whoever only looks', async () => {
  const look = "await import('./src/main.ts'); await import('./src/cli/commands/send.ts')";
  expect(await reactAfter(look)).toBe('not loaded');
  const send = "const { render } = await import('./src/emails/render.ts')";
  const order = "{ template: 'plain', locale: null, props: { subject: 'a', text: 'b' } }";
  expect(await reactAfter(`${send}; await render(${order})`)).toBe('loaded');
});
