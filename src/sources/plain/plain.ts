import { parseAddress } from '../../domain/address.ts';
import { plainPolicy } from '../../domain/policy.ts';
import type { Draft, Source } from '../source.ts';

/** Intents that bring their own subject and text: the engine used by itself, without a source of its own. */
export const plainSource: Source = {
  name: 'plain',
  policy: plainPolicy,
  // No specification of its own: the engine's words.
  words: ({ status }) => status,
  async draft(deliveries) {
    return new Map(
      deliveries.map(({ seq, toEmail, templateName, locale, variables }): [number, Draft] => {
        if (toEmail === null) return [seq, { kind: 'no_address' }];
        const parsed = parseAddress(toEmail);
        if (!parsed.ok)
          return [
            seq,
            { kind: 'unsendable', error: { code: 'invalid_recipient', message: parsed.sentence } },
          ];
        const template = templateName ?? 'plain';
        return [seq, { kind: 'draft', to: parsed.address, template, locale, props: variables }];
      }),
    );
  },
};
