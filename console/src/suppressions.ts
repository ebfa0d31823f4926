import type { SuppressionReason } from '../../src/domain/suppression.ts';

/** As the API answers it. */
export interface Suppression {
  seq: number;
  address: string;
  scope: string;
  reason: SuppressionReason;
  note: string | null;
  deliverySeq: number | null;
  by: string;
  at: string;
  liftedAt: string | null;
  liftedBy: string | null;
  liftedBecause: string | null;
  exceptFor: string[];
}

export interface SuppressionPage {
  suppressions: Suppression[];
  /** What to ask for the next page with. */
  next: { below: number } | { after: string; above: number } | null;
}

/** What somebody typed: a whole address is looked for as it is, unless they want all that begin with it. */
export function searchedFor(text: string, isBeginning: boolean): Record<string, string> {
  const words = text.trim();
  if (words === '') return {};
  const isWhole = /^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(words);
  return isWhole && !isBeginning ? { address: words } : { addressPrefix: words };
}

export interface ImportedFile {
  read: number;
  added: number;
  alreadyListed: number;
  stopped: number;
  lifted: number;
  bad: number;
  problems: { line: number; number?: number; problem: string }[];
  ignoredColumns: string[];
}
