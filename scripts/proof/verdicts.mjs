/**
 * What the figures of each step of `npm run proof` show, in words, and whether they are right. What was not seen is not right: a
 * step that ran less than was asked, or nothing at all, has proved nothing, however few problems it has found.
 */
export const verdicts = {
  simulate(
    [{ seeds, broken, allBroken, missed, happenings, workers, ms, heapMb, rssMb }],
    { seeds: wanted },
  ) {
    const rate = Math.round(seeds / (ms / 1000) / workers);
    const memory = memoryOf({ heapMb, rssMb, seedsOfWorker: seeds / workers });
    const kinds = kindsOf({ missed, seeds, broken });
    return {
      what: `simulated worlds, ${rate === 0 ? 'less than 1' : rate} a second and core; ${memory.what}`,
      result:
        `${counted(seeds, 'seed')}, ${number(happenings)} faults and arrows, ${kinds.what}, ` +
        `${allBroken.length} broken${memory.objection === null ? '' : `; ${memory.objection}`}`,
      isRight: broken === null && kinds.isRight && seeds === wanted && memory.objection === null,
    };
  },
  points: (results) => testsOf('every crash point, both databases, each provider', results),
  pairs: ([{ points, pairs, broken, missing }]) => ({
    what: 'every pair of crash points, SQLite',
    result: `${counted(points, 'point')}, ${counted(pairs, 'pair')}, ${broken} broken${missing.length > 0 ? `; nothing from ${missing.join(', ')}` : ''}`,
    isRight: broken === 0 && points > 0 && pairs > 0 && missing.length === 0,
  }),
  kills: (results, { kills: wanted }) => ({
    what: 'real processes ended by SIGKILL',
    result: results
      .map(
        ({ database, kills, inFlightKills, intents, accepted, twice, lost, stuck }) =>
          `${database}: ${counted(kills, 'kill')} (${inFlightKills === 0 ? 'none of them' : inFlightKills} with mail on its way), ` +
          `${counted(intents, 'intent')}, ` +
          `${number(accepted)} accepted, ${twice} twice, ${lost} lost, ${stuck} stuck`,
      )
      .join('; '),
    isRight:
      ['sqlite', 'postgres'].every((name) => results.some(({ database }) => database === name)) &&
      results.every(
        ({ kills, inFlightKills, intents, accepted, twice, lost, stuck, wrong }) =>
          // A kill that met no mail on its way has tried nothing that is hard.
          [kills === wanted, inFlightKills > 0, intents > 0, accepted === intents].every(Boolean) &&
          twice + lost + stuck + wrong === 0,
      ),
  }),
  images: ([{ images, reopened, wrong }], { images: wanted }) => ({
    what: 'crash-consistent images of a SQLite database',
    result: `${counted(images, 'instant')}, ${counted(reopened, 'database')} reopened, ${wrong} wrong`,
    isRight: wrong === 0 && images === wanted && reopened > 0,
  }),
  mutations: ([{ planted, caught, latestSeed }]) => ({
    what: 'bugs planted on purpose',
    result: `${planted} planted, ${caught} caught, the latest by seed ${latestSeed}`,
    isRight: planted > 0 && planted === caught,
  }),
  fuzz: (results) => testsOf('fuzzers, twenty times as long as in npm test', results),
};

/** From so many seeds on, simulate.ts looks whether everything there is has happened. */
const kindsFrom = 2_000;

function kindsOf({ missed, seeds, broken }) {
  if (missed) return { what: `${missed.length} of their kinds missed`, isRight: missed.length === 0 };
  if (broken !== null) return { what: 'kinds not checked because a seed broke', isRight: false };
  const isSmall = seeds < kindsFrom;
  return { what: `kinds not checked${isSmall ? ` below ${number(kindsFrom)} seeds` : ''}`, isRight: isSmall };
}

/** From the second quarter of a run to its last. A leak is far beyond it at full size; what is none goes up and down by less. */
const growthMax = 1.2;
/** From so many seeds on, a worker has measured itself in every quarter. */
const seedsOfWorkerMin = 1_000;

/** What JavaScript holds, and what the process holds as a whole: SQLite is in the second alone. */
function memoryOf({ heapMb, rssMb, seedsOfWorker }) {
  if (!heapMb || !rssMb) {
    const isSmall = seedsOfWorker < seedsOfWorkerMin;
    return { what: 'memory not measured', objection: isSmall ? null : 'nobody saw whether memory grows' };
  }
  const isSteady = ([second, last]) => last <= growthMax * second;
  return {
    what:
      `a worker held ${heapMb[0]} MB of JavaScript and ${rssMb[0]} MB in all in the second quarter, ` +
      `${heapMb[1]} MB and ${rssMb[1]} MB in the last`,
    objection: isSteady(heapMb) && isSteady(rssMb) ? null : 'memory grew',
  };
}

/** Out of what readVitestResult makes of their report. */
function testsOf(what, [{ passed, failures, skipped }]) {
  return {
    what,
    result: `${passed} passed, ${failures.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
    isRight: passed > 0 && failures.length === 0 && skipped.length === 0,
  };
}

/** The row of a step: its figures, beside how its process ended. Figures alone are not believed. */
export function rowOf(name, { figures, ending }, order) {
  if (figures.length === 0)
    return { what: name, result: `it said nothing, and ended with ${ending}`, isRight: false };
  const verdict = verdicts[name](figures, order);
  if (ending === 'exit code 0') return verdict;
  return { ...verdict, result: `${verdict.result}; it ended with ${ending}`, isRight: false };
}

function counted(count, one) {
  return `${number(count)} ${one}${count === 1 ? '' : 's'}`;
}

function number(value) {
  return value.toLocaleString('en-GB');
}
