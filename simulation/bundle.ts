import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** A file of `simulation` with all that it needs in one: it starts in a quarter of the time that some four hundred take. */
export interface Bundle {
  file: string;
  remove(): void;
}

/** As it is at this moment: whoever changes the source under a run does not change the run. */
export async function bundle(folder: string, name: string): Promise<Bundle> {
  const own = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-bundle-'));
  const remove = () => {
    process.off('exit', remove);
    rmSync(own, { recursive: true, force: true });
  };
  process.once('exit', remove);
  try {
    symlinkSync(join(folder, 'node_modules'), join(own, 'node_modules'));
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = join(own, `${name}.mjs`);
    await build({
      ...{ absWorkingDir: folder, entryPoints: [`simulation/${name}.ts`], outfile: file },
      ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'silent' },
      ...{ sourcemap: true, sourcesContent: false },
      external: Object.keys(dependencies).filter((each) => each !== 'kysely'),
      // Migrations are looked for where the source is.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(folder, 'src/bundle.js')).href) },
    });
    return { file, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
