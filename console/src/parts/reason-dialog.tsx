import { useState } from 'react';
import { useWords } from '../words/words.ts';
import { VerbDialog, type VerbParts } from './verb-dialog.tsx';

/** A verb of the operator that is kept with its reason. */
interface ReasonParts extends Omit<VerbParts, 'perform' | 'isIncomplete'> {
  /** It changes nothing for anybody who gets mail: whoever has nothing to say about it says nothing. */
  isOptional?: boolean;
  perform(reason: string): Promise<void>;
}

export function ReasonDialog({ children, perform, isOptional = false, ...others }: ReasonParts) {
  const [reason, setReason] = useState('');
  const given = reason.trim();
  return (
    <VerbDialog {...others} isIncomplete={given === '' && !isOptional} perform={() => perform(given)}>
      {children}
      <ReasonField reason={reason} change={setReason} isOptional={isOptional} />
    </VerbDialog>
  );
}

interface FieldParts {
  reason: string;
  change(reason: string): void;
  isOptional?: boolean;
}

/** In a form of its own where there is one already. */
export function ReasonField({ reason, change, isOptional = false }: FieldParts) {
  const { verb } = useWords();
  return (
    <label>
      {isOptional ? verb.reasonOptional : verb.reason}
      <input
        value={reason}
        onChange={({ target }) => change(target.value)}
        required={!isOptional}
        maxLength={500}
      />
      <span className="muted">{isOptional ? verb.reasonAudit : verb.reasonHelp}</span>
    </label>
  );
}

/** As the API takes it: nothing where nobody said anything. */
export const reasonOf = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });
