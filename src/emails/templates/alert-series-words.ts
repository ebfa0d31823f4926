import type { AlertProps } from './alert-series-props.ts';

/** What an alert says by itself. */
export interface AlertWords {
  /** What stands before the alert's title in the subject, where a condition holds. */
  subject: string;
  period(period: string): string;
  value: string;
  /** Without conditions there is nothing that could hold: somebody wants to know the value. */
  informational: string;
  count(met: number, all: number): string;
  met: string;
  notMet: string;
  /** A whole sentence, of a condition that holds and of one that does not. */
  condition(condition: Condition): string;
  open: string;
  reason: string;
  unsubscribe: string;
}

type Condition = AlertProps['conditions'][number];
type Operator = Condition['operator'];

const english: Readonly<Record<Operator, string>> = {
  ...{ gt: 'above', gte: 'at least', lt: 'below', lte: 'at most', eq: 'equal to' },
};
const romanian: Readonly<Record<Operator, string>> = {
  ...{ gt: 'peste', gte: 'cel puțin', lt: 'sub', lte: 'cel mult', eq: 'egală cu' },
};

export const alertWords: Readonly<Record<'en' | 'ro', AlertWords>> = {
  en: {
    subject: 'Alert: ',
    period: (period) => `Period: ${period}`,
    value: 'Value',
    informational: 'You set no condition for this alert: you are told the value once a period.',
    count: (met, all) => `Conditions met: ${met} of ${all}`,
    met: 'Condition met',
    notMet: 'Condition not met',
    condition: ({ operator, threshold, actualValue, isMet }) =>
      `The value is ${isMet === 'true' ? '' : 'not '}${english[operator]} ${threshold}: it is ${actualValue}.`,
    open: 'See the whole series',
    reason: 'You get this mail because you set an alert for this series.',
    unsubscribe: 'Stop this alert',
  },
  ro: {
    subject: 'Alertă: ',
    period: (period) => `Perioada: ${period}`,
    value: 'Valoare',
    informational:
      'Nu ați stabilit nicio condiție pentru această alertă: aflați valoarea o dată pe perioadă.',
    count: (met, all) => `Condiții îndeplinite: ${met} din ${all}`,
    met: 'Condiție îndeplinită',
    notMet: 'Condiție neîndeplinită',
    condition: ({ operator, threshold, actualValue, isMet }) =>
      `Valoarea ${isMet === 'true' ? '' : 'nu '}este ${romanian[operator]} ${threshold}: este ${actualValue}.`,
    open: 'Vedeți toată seria',
    reason: 'Primiți acest mesaj pentru că ați creat o alertă pentru această serie.',
    unsubscribe: 'Opriți această alertă',
  },
};
