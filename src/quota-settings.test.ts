import { expect, it } from 'vitest';
import { quotaVariables } from './quota-settings.ts';

it.each(Object.values(quotaVariables))(
  '$name is a whole number of mails, or nothing',
  ({ read, default: usual }) => {
    expect(read(usual)).toEqual({ value: null });
    expect(read('100')).toEqual({ value: 100 });
    for (const text of ['0', '-1', '1.5', '1e3', 'ten', ' 5'])
      expect(read(text), text).toEqual({
        mustBe: expect.stringContaining('a whole number of mails above 0'),
      });
  },
);
