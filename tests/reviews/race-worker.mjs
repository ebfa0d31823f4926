import { takeOrders } from '../support/crew-member.mjs';
import { load } from '../support/program.mjs';

/** One process of many that submit at once: it makes its requests all together, and tells what each was answered. */
const { readConfig } = await load('config');
const { createEngine } = await load('engine');
const { silentLog } = await load('std/log');

takeOrders(async ({ settings, requests }) => {
  const engine = await createEngine(readConfig(settings, ''), {
    ...{ log: silentLog, migrations: 'empty database only' },
  });
  const submit = (request) =>
    engine.reviews.submit(request, { by: 'a bot', traceId: 'trace-1' }).then(
      ({ answer, job }) => ({ answer, job }),
      ({ code, message }) => ({ refused: code ?? message }),
    );
  return async () => {
    const answers = await Promise.all(requests.map(submit));
    await engine.close();
    return answers;
  };
});
