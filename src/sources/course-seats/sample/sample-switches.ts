import { nearest } from '../../../std/nearest.ts';
import { isIndex } from '../term.ts';
import type { SampleCampus } from './sample-campus.ts';
import { type Fault, type FaultKind, type FaultOrder, type Faults, faultKinds } from './sample-faults.ts';

/** What can be done to the sample campus while it runs: seats by hand, and faults of its answers. */
export interface SampleSwitches
  extends Pick<SampleCampus, 'open' | 'close' | 'oscillate' | 'release'>,
    Pick<Faults, 'set' | 'off'> {
  state(): { faults: (Fault & FaultOrder)[]; seats: ReturnType<SampleCampus['byHand']> };
}

export function createSampleSwitches(campus: SampleCampus, faults: Faults): SampleSwitches {
  const { open, close, oscillate, release } = campus;
  return {
    ...{ open, close, oscillate, release, set: faults.set },
    off: faults.off,
    state: () => ({ faults: faults.list(), seats: campus.byHand() }),
  };
}

const seatVerbs = ['open', 'close', 'oscillate', 'release'] as const;
/** As people call them. */
const otherNames: Readonly<Record<string, FaultKind>> = { '429': 'too_many_requests', '5xx': 'server_error' };
const words = [...seatVerbs, ...faultKinds, ...Object.keys(otherNames), 'off'];

/** A person's order, `open=04711` or `partial=0.7&answers=3`; answers a sentence where it cannot be followed. */
export function followOrder(switches: SampleSwitches, order: URLSearchParams): string | undefined {
  const [word = '', value = ''] = [...order].find(([name]) => words.includes(name)) ?? [];
  if (word === '') return unknownWord([...order.keys()][0]);
  if (word === 'off') {
    const kind = otherNames[value] ?? faultKinds.find((each) => each === value);
    if (value !== '' && !kind) return unknownWord(value);
    switches.off(kind);
    return undefined;
  }
  const verb = seatVerbs.find((each) => each === word);
  if (verb) {
    if (!isIndex(value)) return `${verb}= takes an index of five digits, such as ${verb}=04711.`;
    switches[verb](value);
    return undefined;
  }
  const answers = order.get('answers');
  if (answers !== null && !/^[1-9]\d{0,5}$/.test(answers)) return 'answers= takes a whole number.';
  const kind = otherNames[word] ?? (word as FaultKind);
  const fault = faultOf(kind, value);
  if (typeof fault === 'string') return fault;
  switches.set({ ...fault, ...(answers !== null && { answers: Number(answers) }) });
  return undefined;
}

function faultOf(kind: FaultKind, text: string): Fault | string {
  const value = Number(text);
  switch (kind) {
    case 'partial':
      return value > 0 && value < 1
        ? { kind, fraction: value }
        : 'partial= takes the fraction that is left, such as partial=0.7.';
    case 'slow':
      return value > 0 ? { kind, ms: value } : 'slow= takes milliseconds, such as slow=3000.';
    case 'too_many_requests':
      return text === '' ? { kind } : { kind, retryAfterSeconds: value || 0 };
    case 'server_error':
      return value >= 500 && value < 600 ? { kind, status: value } : { kind };
    default:
      return { kind };
  }
}

function unknownWord(word: string | undefined): string {
  const meant = word === undefined ? undefined : nearest(word, words);
  return `${word === undefined ? 'Say what.' : `There is no switch ${JSON.stringify(word)}.`}${meant ? ` Did you mean ${meant}?` : ''} The switches are ${words.join(', ')}.`;
}
