import { type Address, parseAddress } from '../../../domain/address.ts';
import { campusCodes, parseTermId, termEndsAt } from '../term.ts';
import { problemOfPreferences } from './preferences.ts';
import type { CreateOrder, CreateRefusal, Preferences } from './subscriptions.ts';

/** An order to watch something, as far as it can be checked without asking anybody. */
export interface WatchOrder {
  kind: 'order';
  termId: string;
  campusCode: string;
  address: Address;
  locale: string | null;
  preferences: Preferences;
  caller: string | null;
}

export function readOrder(order: Omit<CreateOrder, 'indexNumber'>, now: number): WatchOrder | CreateRefusal {
  const { termId, campusCode, email, locale, preferences = {}, caller } = order;
  const notFound = (message: string): CreateRefusal => ({ kind: 'section_not_found', message });
  if (typeof termId !== 'string' || !parseTermId(termId))
    return notFound('There is no such term; give one such as 12026: 0 winter, 1 spring, 7 summer, 9 fall.');
  if ((termEndsAt(termId) ?? 0) <= now) return notFound(`Term ${termId} is over.`);
  if (!campusCodes.some((code) => code === campusCode))
    return notFound(`There is no such campus; give one of ${campusCodes.join(', ')}.`);
  const parsed = parseAddress(email);
  if (!parsed.ok) return { kind: 'invalid_contact', message: parsed.sentence };
  const problem =
    problemOfPreferences(preferences, now) ??
    (locale === undefined || localeShape.test(locale)
      ? undefined
      : 'The language must look like en or zh-CN.');
  if (problem !== undefined) return { kind: 'invalid_preferences', message: problem };
  return {
    ...{ kind: 'order', termId, campusCode, address: parsed.address },
    ...{ locale: locale ?? null, preferences, caller },
  };
}

const localeShape = /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}$/;
