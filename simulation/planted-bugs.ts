import { attemptBugs } from './planted/attempts.ts';
import { consentBugs } from './planted/consent.ts';
import { doubtBugs } from './planted/doubt.ts';
import { endingBugs } from './planted/endings.ts';
import { evidenceBugs } from './planted/evidence.ts';
import { modelBugs } from './planted/model.ts';
import { newsletterMailBugs } from './planted/newsletters-mail.ts';
import { newsletterRunBugs } from './planted/newsletters-runs.ts';
import { newsletterStopBugs } from './planted/newsletters-stops.ts';
import { newsletterWishBugs } from './planted/newsletters-wishes.ts';
import { omissionBugs } from './planted/omissions.ts';
import { paceBugs } from './planted/pace.ts';
import type { PlantedBug } from './planted/planted-bug.ts';
import { reviewBugs } from './planted/reviews.ts';
import { reviewTryBugs } from './planted/reviews-tries.ts';
import { seatEventBugs } from './planted/seats-events.ts';
import { seatFeedBugs } from './planted/seats-feed.ts';
import { seatMailBugs } from './planted/seats-mail.ts';
import { sendingBugs } from './planted/sending.ts';

/**
 * Bugs planted on purpose, each in a copy of the source: the simulator must notice every one. A rule whose absence nobody
 * notices is not tested.
 */
export const plantedBugs: readonly PlantedBug[] = [
  ...modelBugs,
  ...sendingBugs,
  ...attemptBugs,
  ...doubtBugs,
  ...endingBugs,
  ...evidenceBugs,
  ...consentBugs,
  ...paceBugs,
  ...omissionBugs,
  ...seatFeedBugs,
  ...seatEventBugs,
  ...seatMailBugs,
  ...newsletterRunBugs,
  ...newsletterStopBugs,
  ...newsletterMailBugs,
  ...newsletterWishBugs,
  ...reviewBugs,
  ...reviewTryBugs,
];
