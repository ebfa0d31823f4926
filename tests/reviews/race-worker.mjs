import { load } from '../support/program.mjs';

/** One process of many that submit at once: it makes its requests all together, and tells what each was answered. */
const { readConfig } = await load('config');
const { createEngine } = await load('engine');
const { silentLog } = await load('std/log');
const { settings, requests } = JSON.parse(process.argv[2]);
const engine = await createEngine(readConfig(settings, ''), {
  ...{ log: silentLog, migrations: 'empty database only' },
});
process.send('ready');
await new Promise((resolve) => process.once('message', resolve));
const answers = await Promise.all(
  requests.map((request) =>
    engine.reviews.submit(request, { by: 'a bot', traceId: 'trace-1' }).then(
      ({ answer, job }) => ({ answer, job }),
      ({ code, message }) => ({ refused: code ?? message }),
    ),
  ),
);
await engine.close();
process.send(answers, () => process.disconnect());
