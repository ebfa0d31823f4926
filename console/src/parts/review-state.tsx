import type { ReviewState } from '../../../src/client/review-shapes.ts';
import { reviewMeanings } from '../reviews.ts';
import { useWords } from '../words/words.ts';
import { Mark } from './mark.tsx';

export function ReviewChip({ state }: { state: ReviewState }) {
  const { reviews } = useWords();
  return (
    <span className="chip">
      <Mark meaning={reviewMeanings[state]}>{reviews.states[state]}</Mark>
    </span>
  );
}
