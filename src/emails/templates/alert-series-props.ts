import { line, link, listOf, oneOf, type PropsOf, text } from '../values.ts';

/** 002-P3-04, with values as texts that carry their unit (8.21). */
export const alertSchema = {
  type: 'object',
  required: ['title', 'periodLabel', 'actualValue', 'conditions', 'unsubscribeUrl'],
  properties: {
    title: line(300),
    description: text(2000),
    periodLabel: line(60),
    actualValue: line(80),
    /** Empty where somebody wants to know the value, whatever it is. */
    conditions: listOf(20, {
      type: 'object',
      required: ['operator', 'threshold', 'actualValue', 'isMet'],
      properties: {
        operator: oneOf('gt', 'gte', 'lt', 'lte', 'eq'),
        threshold: line(80),
        actualValue: line(80),
        isMet: oneOf('true', 'false'),
      },
    }),
    seriesUrl: link,
    preferencesUrl: link,
    platformBaseUrl: link,
    unsubscribeUrl: link,
    isPreview: oneOf('true'),
  },
} as const;

export type AlertProps = PropsOf<typeof alertSchema>;
