import type { Standing } from '../../../src/http/live/standing.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Mark } from './mark.tsx';
import { When } from './shapes.tsx';

/** Who takes the mail: how fast, whether it is asked at all, and how much of the plan there is used; also where all is well. */
export function ProviderNow({ provider }: Pick<Standing, 'provider'>) {
  const { home, chaos } = useWords();
  const { ratePerSecond, downSince, downBecause, pausedUntil, quotas, switchesOn } = provider;
  const name = home.providerNames[provider.name] ?? provider.name;
  const usedUp = quotas.some(({ used, of }) => used >= of);
  const isUp = downSince === null && pausedUntil === null;
  return (
    <section>
      <h2>{home.provider}</h2>
      {switchesOn.length > 0 && (
        <p>
          <Mark meaning="needs a person">
            {home.providerSwitched(
              name,
              switchesOn.map((one) => chaos.switches[one].name),
            )}{' '}
            <Link to="/inbox">{home.providerSwitches}</Link>
          </Mark>
        </p>
      )}
      {!(isUp && switchesOn.length > 0) && (
        <p>
          <span className={isUp ? 'good' : 'hand'} aria-hidden="true">
            {isUp ? '●' : '◐'}
          </span>{' '}
          {downSince !== null
            ? home.providerDown(name, home.troubles[downBecause ?? ''] ?? downBecause ?? '')
            : pausedUntil !== null
              ? home.providerPaused(name)
              : home.providerUp(name)}{' '}
          <When at={downSince} />
        </p>
      )}
      <dl className="facts">
        <dt>{home.rate}</dt>
        <dd>{home.rateOf(ratePerSecond)}</dd>
        <dt>{home.circuit}</dt>
        <dd>
          {downSince !== null ? home.circuitOpen : home.circuitClosed}
          {pausedUntil !== null && (
            <>
              {', '}
              {home.restsUntil} <When at={pausedUntil} />
            </>
          )}
        </dd>
        <dt>{home.quota}</dt>
        <dd>
          {quotas.length === 0
            ? home.noQuota
            : quotas.map(({ per, used, of }) => <div key={per}>{home.quotaUsed(used, of, per)}</div>)}
          {usedUp && (
            <div>
              <span className="person" aria-hidden="true">
                ▲
              </span>{' '}
              {home.quotaUsedUp}
            </div>
          )}
        </dd>
      </dl>
    </section>
  );
}
