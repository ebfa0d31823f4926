import { load } from '../support/program.mjs';

/** One process of the storm: the whole engine with Resend as its provider, from the first message to the second. */
const { readConfig } = await load('config');
const { createEngine } = await load('engine');
const { silentLog } = await load('std/log');
const config = readConfig(JSON.parse(process.argv[2]), '');
const engine = await createEngine(config, { log: silentLog, migrations: 'empty database only' });
const word = () => new Promise((resolve) => process.once('message', resolve));

process.send('ready');
await word();
engine.runner.start();
await word();
await engine.close();
process.send('stopped', () => process.disconnect());
