import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One life of a process, which may end at any point: from then on none of its code goes on, not even its `finally`, while
 * what it has asked of the network or the database may still happen, as after kill -9.
 */
export interface Life {
  /** How often each point was passed. */
  readonly passed: ReadonlyMap<string, number>;
  /** Answers what `work` does, or that the life ended before. */
  live<T>(work: () => Promise<T>): Promise<{ isDead: true } | { isDead: false; value: T }>;
}

export interface Death {
  point: string;
  /** At which passing of it, from 1. */
  passing: number;
}

export interface LifeParts {
  death?: Death | undefined;
  /** At each point, before any code goes on: what a kill would leave is what is there now. */
  onFirstPassing?: ((point: string) => void) | undefined;
}

interface Present extends LifeParts {
  passed: Map<string, number>;
  isDead: boolean;
  die(): void;
}

const present = new AsyncLocalStorage<Present>();

export function createLife({ death, onFirstPassing }: LifeParts = {}): Life {
  const passed = new Map<string, number>();
  return {
    passed,
    live(work) {
      return new Promise((resolve, reject) => {
        const life: Present = {
          ...{ passed, death, onFirstPassing, isDead: false },
          die() {
            life.isDead = true;
            // Not at once: what was already on its way to the database or the network gets there or not.
            setImmediate(() => resolve({ isDead: true }));
          },
        };
        present.run(life, () => {
          work().then(
            (value) => {
              if (!life.isDead) resolve({ isDead: false, value });
            },
            (error) => {
              if (!life.isDead) reject(error);
            },
          );
        });
      });
    },
  };
}

/** Called by the instrumented code around every await. */
async function point<T>(name: string, run: () => Promise<T>): Promise<T> {
  const life = present.getStore();
  if (!life) return run();
  if (life.isDead) return never();
  try {
    return await run();
  } finally {
    if (life.isDead) await never();
    const passing = (life.passed.get(name) ?? 0) + 1;
    life.passed.set(name, passing);
    if (passing === 1) life.onFirstPassing?.(name);
    if (life.death?.point === name && life.death.passing === passing) {
      life.die();
      await never();
    }
  }
}

const never = () => new Promise<never>(() => {});

Object.assign(globalThis, { tidingsPoint: point });
