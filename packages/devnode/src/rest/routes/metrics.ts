import type { DevelopmentNode } from '../../development-node.ts';
import type { Answer } from '../answer.ts';
import type { RequestMetrics } from '../request-metrics.ts';
import { route, type Route } from '../route.ts';

interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly { readonly labels?: string; readonly value: number | bigint }[];
}

/** Counters in the Prometheus text format. */
export function metricsRoutes(node: DevelopmentNode, requests: RequestMetrics): Route[] {
  return [
    route({
      // Differs from algod: own-metrics
      path: '/metrics',
      access: 'open',
      summary: 'Counters of ledger, pool and requests in Prometheus’ text format.',
      handle: (): Answer => ({
        status: 200,
        contentType: 'text/plain',
        body: print([...nodeMetrics(node), requestMetric(requests)]),
      }),
    }),
  ];
}

function nodeMetrics(node: DevelopmentNode): Metric[] {
  const { counters } = node;
  return [
    gauge('algod_ledger_round', 'Last round.', node.queries.latestRound),
    counter('algod_ledger_transactions_total', 'Transactions confirmed.', counters.transactionsConfirmed),
    gauge('algod_tx_pool_count', 'Transactions in the pool.', counters.poolTransactions),
    counter('algod_transaction_groups_accepted_total', 'Groups that the pool took.', counters.groupsAccepted),
    counter(
      'algod_transaction_groups_refused_total',
      'Groups that were refused on submission.',
      counters.groupsRefused,
    ),
    gauge('algod_transaction_backlog_groups', 'Groups on the asynchronous backlog.', counters.backlogGroups),
    counter(
      'algod_transaction_backlog_refused_total',
      'Groups refused because the backlog was full.',
      counters.backlogRefused,
    ),
    counter(
      'algod_transaction_backlog_dropped_total',
      'Groups from the backlog that were invalid.',
      counters.backlogDropped,
    ),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
  ];
}

function counter(name: string, help: string, value: number | bigint): Metric {
  return { name, kind: 'counter', help, samples: [{ value }] };
}

function gauge(name: string, help: string, value: number | bigint): Metric {
  return { name, kind: 'gauge', help, samples: [{ value }] };
}

function requestMetric(requests: RequestMetrics): Metric {
  return {
    name: 'algod_rest_requests_total',
    kind: 'counter',
    help: 'Requests answered, by method, route and status.',
    samples: requests.counts().map(({ method, path = '', status, count }) => ({
      labels: `{method="${method}",route="${path}",status="${status}"}`,
      value: count,
    })),
  };
}

function print(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, kind, help, samples }) => {
      const lines = samples.map(({ labels = '', value }) => `${name}${labels} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
    })
    .join('');
}
