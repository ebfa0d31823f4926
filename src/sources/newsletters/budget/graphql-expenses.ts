import { add, type Decimal } from '../../../std/decimal.ts';
import type { Period } from '../period.ts';
import { type Chapter, chapterName } from './chapters.ts';
import { unexpectedAnswer } from './graphql-answer.ts';
import type { GraphqlClient, Question } from './graphql-client.ts';
import { amountIn, partIn, types } from './graphql-report.ts';

/**
 * What an entity has spent, by chapter: the platform's line items of a period, page by page, added up by the first part of their
 * functional code. Transfers between institutions are left out, as they are from its totals.
 */
export interface ExpensesWanted {
  cui: string;
  period: Period;
  reportType: string | null;
}

const pageSize = 1000; // The platform's largest.
/** More than the classification has lines. A server that always has one more page is not followed for ever. */
const pagesMax = 20;
const transfers = ['51.01', '51.02'];

/** Null where there is no end to them. */
export async function readExpenses(client: GraphqlClient, wanted: ExpensesWanted): Promise<Chapter[] | null> {
  const amounts = new Map<string, Decimal>();
  for (let page = 0; page < pagesMax; page++) {
    const { nodes, hasMore } = readPage(await client.ask(expensesQuestion(wanted, page * pageSize)));
    for (const { code, amount } of nodes) {
      const sofar = amounts.get(code);
      amounts.set(code, sofar === undefined ? amount : add(sofar, amount));
    }
    if (!hasMore || nodes.length === 0)
      return [...amounts].map(([code, amount]) => ({ code, amount, name: chapterName(code, 'ro') ?? null }));
  }
  return null;
}

function expensesQuestion({ cui, period, reportType }: ExpensesWanted, offset: number): Question {
  return {
    query: expensesQuery,
    variables: {
      filter: {
        account_category: 'ch',
        entity_cuis: [cui],
        report_period: { type: types[period.frequency], selection: { dates: [period.key] } },
        ...(reportType !== null && { report_type: reportType }),
        normalization: 'total',
        exclude: { economic_prefixes: transfers },
      },
      limit: pageSize,
      offset,
    },
  };
}

const expensesQuery = `query TidingsExpenses($filter: AnalyticsFilterInput!, $limit: Int!, $offset: Int!) {
  aggregatedLineItems(filter: $filter, limit: $limit, offset: $offset) {
    nodes { functional_code amount }
    pageInfo { hasNextPage }
  }
}`;

function readPage(data: unknown): { nodes: { code: string; amount: Decimal }[]; hasMore: boolean } {
  const { aggregatedLineItems } = data as { aggregatedLineItems?: unknown };
  const { nodes, pageInfo } = partIn(aggregatedLineItems, 'line items');
  if (!Array.isArray(nodes)) throw unexpectedAnswer('a list of line items', nodes);
  return {
    nodes: nodes.map((node) => {
      const { functional_code, amount } = partIn(node, 'a line item');
      if (typeof functional_code !== 'string') throw unexpectedAnswer('a functional code', functional_code);
      return { code: functional_code.split('.')[0] ?? '', amount: amountIn(amount) };
    }),
    hasMore: partIn(pageInfo, 'whether there are more').hasNextPage === true,
  };
}
