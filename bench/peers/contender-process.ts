import { answerParent } from '../support/child.ts';
import type { Contender, ContenderOrder, Question, Ran } from './contender.ts';

/** One contender in a process of its own. */
let contender: Contender | undefined;

answerParent(async (question: Question): Promise<unknown> => {
  if (question.verb === 'open') {
    const made = await load(question.order.kind);
    contender = await made.createContender(question.order);
    return null;
  }
  if (!contender) throw new Error('nobody is there yet');
  if (question.verb === 'fill') return contender.fill(question.round);
  if (question.verb === 'check') return contender.check();
  if (question.verb === 'close') return contender.close();
  return run(contender);
});

interface Maker {
  createContender(order: ContenderOrder): Promise<Contender>;
}

/** A peer by its name alone: the compiler of the program knows nothing of bench/node_modules, which is not there on most machines. */
async function load(kind: string): Promise<Maker> {
  if (kind === 'engine') return import('./engine.ts');
  if (kind === 'bare-loop') return import('./bare-loop.ts');
  return (await import(`./${kind}.mjs`)) as Maker;
}

async function run(contender: Contender): Promise<Ran> {
  let startedAt = performance.now();
  let cpu = process.cpuUsage();
  await contender.run(() => {
    startedAt = performance.now();
    cpu = process.cpuUsage();
  });
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 };
}
