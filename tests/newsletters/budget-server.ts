import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BudgetData } from '../../src/sources/newsletters/budget/budget-data.ts';
import { createGraphqlBudget } from '../../src/sources/newsletters/budget/graphql-budget.ts';
import type { GraphqlLimits } from '../../src/sources/newsletters/budget/graphql-client.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';

/** The platform's API as far as we ask it, on a real socket: a server that does as it is told, and what was asked of it. */
export interface BudgetServer {
  budget: BudgetData;
  log: RecordingLog;
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

export interface Asked {
  query: string;
  variables: Record<string, unknown>;
}

export type Answer = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

export async function startBudgetServer(
  answer: Answer,
  more: { limits?: Partial<GraphqlLimits>; clock?: Clock } = {},
): Promise<BudgetServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const question = JSON.parse(text) as Asked;
      asked.push(question);
      answer(question, response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const log = createRecordingLog();
  const { clock = systemClock, limits = {} } = more;
  const budget = createGraphqlBudget({ url, clock, log, limits, datasets: async () => new Map() });
  return {
    ...{ budget, log, url, asked },
    async close() {
      await budget.close?.();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** As it stands: figures must not become floats on their way into a test. */
export function sendJson(response: ServerResponse, json: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(json);
}

export const sendData = (response: ServerResponse, data: string) => sendJson(response, `{"data":${data}}`);

export interface KnownEntity {
  name?: string;
  isUat?: boolean;
  population?: number;
  reportType?: string;
  /** By period key: income and expenses, as JSON has them. */
  totals: Readonly<Record<string, readonly [income: string, expenses: string]>>;
  /** Line items: a functional code, and an amount. */
  items?: readonly (readonly [code: string, amount: string])[];
}

/** Answers as the platform does: totals are 0 where it knows none, trends have points only where it knows some. */
export function platformAnswers(entities: Readonly<Record<string, KnownEntity>>, pageSize = 1000): Answer {
  return ({ query, variables }, response) => {
    if (query.includes('entity(cui')) {
      const cui = String(variables.cui);
      const entity = entities[cui];
      return sendData(response, `{"entity":${entity ? entityJson(cui, entity, variables) : 'null'}}`);
    }
    const { entity_cuis } = variables.filter as { entity_cuis: string[] };
    const [from, limit] = [Number(variables.offset), Math.min(pageSize, Number(variables.limit))];
    const items = entities[entity_cuis[0] ?? '']?.items ?? [];
    const nodes = items
      .slice(from, from + limit)
      .map(([code, amount]) => `{"functional_code":"${code}","amount":${amount}}`);
    const hasNextPage = from + limit < items.length;
    sendData(
      response,
      `{"aggregatedLineItems":{"nodes":[${nodes.join(',')}],"pageInfo":{"hasNextPage":${hasNextPage}}}}`,
    );
  };
}

function entityJson(cui: string, entity: KnownEntity, variables: Record<string, unknown>): string {
  const { name = 'CLUJ', isUat = true, population = 300_000, reportType = 'DETAILED', totals } = entity;
  const { dates } = (variables.period as { selection: { dates: string[] } }).selection;
  const { interval } = (variables.trend as { selection: { interval: Record<'start' | 'end', string> } })
    .selection;
  const [income = '0', expenses = '0'] = totals[dates[0] ?? ''] ?? [];
  const trend = (side: 0 | 1) => {
    const points = Object.entries(totals)
      .filter(([key]) => key.length === interval.end.length && key >= interval.start && key <= interval.end)
      .map(([key, both]) => `{"x":"${key}","y":${both[side]}}`);
    return `{"yAxis":{"unit":"RON"},"data":[${points.join(',')}]}`;
  };
  return `{"cui":"${cui}","name":${JSON.stringify(name)},"is_uat":${isUat},"default_report_type":"${reportType}",
    "uat":{"population":${population}},"totalIncome":${income},"totalExpenses":${expenses},
    "incomeTrend":${trend(0)},"expensesTrend":${trend(1)}}`;
}
