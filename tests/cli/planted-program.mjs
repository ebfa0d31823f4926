/** Commands that leave behind what no command should. */
const commands = {
  async tell() {
    let input = '';
    for await (const text of process.stdin.setEncoding('utf8')) input += text;
    const { cwd, env, argv, pid } = process;
    process.stdout.write(JSON.stringify({ cwd: cwd(), env, args: argv.slice(2), pid, signs: input.length }));
    process.stderr.write('And to the other side: ä.');
  },
  warn: () => process.emitWarning('Take care.'),
  linger: () => setTimeout(() => process.stdout.write('At last.'), 300),
  stay: () => setInterval(() => {}, 1_000),
  hang: () => new Promise(() => {}),
  fail: () => Promise.reject(new Error('Nobody has caught this.')),
  exit: () => process.exit(3),
  listen: () => process.on('SIGINT', () => {}),
  rename: () => {
    process.env.PORT = '1';
  },
  move: () => process.chdir('..'),
  claim: () => {
    globalThis.remembered = true;
  },
};

export async function run([name]) {
  await commands[name]();
  return 0;
}
