import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../std/log.ts';
import type { BudgetData, Dataset } from './budget-data.ts';

/**
 * Static datasets, one file each, named after its id: `ro.economics.inflation.yearly.yaml`. An id is a stranger's text, so it may
 * hold nothing that leads out of the folder; a file is bounded, and one that cannot be understood is as good as none, and told.
 */
export interface DatasetFilesParts {
  folder: string;
  log: Log;
}

/** Words of letters and digits, parted by single points, dashes or underscores: none of them is a path, or hidden. */
export const isDatasetId = (id: string) =>
  id.length <= 200 && /^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/.test(id);

const endings = ['yaml', 'yml', 'json'] as const;
/** A value a month for a century takes 40,000. YAML that is nested as deep as it is long costs thousands of times its size. */
const octetsMax = 262_144;

export function createDatasetFiles({ folder, log }: DatasetFilesParts): Pick<BudgetData, 'datasets'> {
  async function find(id: string): Promise<Dataset | undefined> {
    if (!isDatasetId(id)) return undefined;
    for (const ending of endings) {
      const read = await readFile(folder, id, ending);
      if (read === undefined) continue;
      if ('dataset' in read) return read.dataset;
      log.warn('budget.dataset_unreadable', { datasetId: id, ...read });
      return undefined;
    }
    return undefined;
  }

  return {
    async datasets(ids) {
      const found = new Map<string, Dataset>();
      for (const id of new Set(ids)) {
        const dataset = await find(id);
        if (dataset) found.set(id, dataset);
      }
      return found;
    },
  };
}

/** What is in the folder, as far as it is a dataset by its name: for an operator. Undefined where there is no folder. */
export async function checkDatasetFiles(
  folder: string,
): Promise<
  { known: string[]; unreadable: { file: string; problem: string }[]; isMore: boolean } | undefined
> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) return undefined;
    throw error;
  });
  if (!files) return undefined;
  const named = files.flatMap((file) => {
    const ending = endings.find((one) => file.endsWith(`.${one}`));
    const id = ending === undefined ? '' : file.slice(0, -ending.length - 1);
    return ending !== undefined && isDatasetId(id) ? [{ file, id, ending }] : [];
  });
  const checked = { known: [] as string[], unreadable: [] as { file: string; problem: string }[] };
  for (const { file, id, ending } of named.slice(0, checkedMax)) {
    const read = await readFile(folder, id, ending);
    if (read && 'problem' in read) checked.unreadable.push({ file, problem: read.problem });
    else if (read) checked.known.push(id);
  }
  return { ...checked, isMore: named.length > checkedMax };
}

const checkedMax = 500;

/** For a process that stays: later its own files may be others, or gone. */
export const loadDatasetReader = () => import('./dataset-text.ts');

async function readFile(folder: string, id: string, ending: (typeof endings)[number]) {
  const text = await readBounded(join(folder, `${id}.${ending}`));
  if (typeof text !== 'string') return text;
  // With its parser, which is loaded where there is something to parse.
  const { readDataset } = await loadDatasetReader();
  return readDataset(text, ending === 'json' ? 'json' : 'yaml', id);
}

/** Undefined where there is no such file. What else may go wrong with a disk may go right later, and is thrown. */
async function readBounded(path: string): Promise<string | { problem: string } | undefined> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: Number.NaN }));
    if (Number.isNaN(size)) return { problem: 'It is no file.' };
    if (size > octetsMax) return { problem: `It is larger than ${octetsMax} octets.` };
    // Not the whole file by its name: it may have grown since.
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
