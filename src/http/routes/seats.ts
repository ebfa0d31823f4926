import type { Route } from '../route.ts';
import { seatCatalogRoutes } from './seats-catalog.ts';
import { seatLinkRoutes } from './seats-links.ts';
import { seatOverviewRoutes } from './seats-overview.ts';
import { type SeatParts, seatRouteParts } from './seats-parts.ts';
import { seatSearchRoutes } from './seats-search.ts';
import { seatSubscriptionRoute } from './seats-subscriptions.ts';
import { seatTokenRoutes } from './seats-tokens.ts';
import { seatWatchRoutes } from './seats-watch.ts';

/** Everything about course seats that is met over HTTP; nothing where there is no feed. */
export function seatRoutes({
  seats,
  ...parts
}: Omit<SeatParts, 'seats'> & { seats?: SeatParts['seats'] | undefined }): Route[] {
  if (!seats) return [];
  const common = seatRouteParts({ ...parts, seats });
  return [
    ...seatCatalogRoutes(common),
    ...seatOverviewRoutes(common),
    seatSubscriptionRoute(common),
    ...seatTokenRoutes(common),
    ...seatSearchRoutes(common),
    ...seatWatchRoutes(common),
    ...seatLinkRoutes(common),
  ];
}
