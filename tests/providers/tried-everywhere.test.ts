import { expect, test } from 'vitest';
import { type KnownProvider, providerNames, providers } from '../../src/domain/providers.ts';
import { informants } from '../../src/webhooks/informants.ts';
import { counterpartNames } from '../crash/counterparts.ts';
import { httpProviders } from '../support/http-providers.ts';
import { tongues } from '../webhooks/tongues.ts';

/** The lists by which all that holds for every provider is tried of each: whoever is missing from one would pass by not being asked. */
const known: readonly [string, KnownProvider][] = Object.entries(providers);
const sorted = (names: readonly string[]) => [...names].sort();

test('every provider with an HTTP API is in the suite of all of them', () => {
  // The others have suites of their own: capture.test.ts and smtp*.test.ts.
  const byHttp = providerNames.filter((name) => name !== 'capture' && name !== 'smtp');
  expect(sorted(httpProviders.map(({ name }) => name))).toEqual(sorted(byHttp));
});

test('every provider is killed at every point', () => {
  expect(sorted(counterpartNames)).toEqual(sorted(providerNames));
});

test('who is said to have a webhook is heard, and its words are tried; nobody else is', () => {
  const telling = sorted(known.flatMap(([name, { webhook }]) => (webhook ? [name] : [])));
  expect(
    sorted(informants.flatMap(({ provider, scheme }) => (scheme === 'in-process' ? [] : [provider]))),
  ).toEqual(telling);
  expect(sorted(tongues.map(({ provider }) => provider))).toEqual(telling);
});
