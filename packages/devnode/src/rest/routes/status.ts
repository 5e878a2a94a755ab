import { MAX_UINT64 } from '../../codec/integer.ts';
import type { DevelopmentNode } from '../../development-node.ts';
import { jsonAnswer, type Answer } from '../answer.ts';
import { pathUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';

const NANOSECONDS_PER_MS = 1_000_000n;

/** Node status, and waiting for a round: at most `waitTimeoutMs`, with algod 60,000. */
export function statusRoutes(node: DevelopmentNode, waitTimeoutMs: number): Route[] {
  return [
    route({
      path: '/v2/status',
      summary: 'Status of the node.',
      handle: () => statusAnswer(node),
    }),
    route({
      path: '/v2/status/wait-for-block-after/:round',
      summary: 'Waits for the block after a round, at most a minute, and answers the status.',
      parameters: { round: pathUint64('The round before the awaited block.') },
      async handle({ round }, request) {
        // There is no round after the last one to wait for: algod's counter wraps to 0.
        if (round < MAX_UINT64)
          await node.blocks.waitForRound(round + 1n, { timeoutMs: waitTimeoutMs, signal: request.signal });
        return statusAnswer(node);
      },
    }),
  ];
}

function statusAnswer({ queries, blocks }: DevelopmentNode): Answer {
  const { latestRound: lastRound, consensusVersion: version } = queries;
  return jsonAnswer({
    catchpoint: '',
    'catchpoint-acquired-blocks': 0,
    'catchpoint-processed-accounts': 0,
    'catchpoint-processed-kvs': 0,
    'catchpoint-total-accounts': 0,
    'catchpoint-total-blocks': 0,
    'catchpoint-total-kvs': 0,
    'catchpoint-verified-accounts': 0,
    'catchpoint-verified-kvs': 0,
    'catchup-time': 0,
    'last-catchpoint': '',
    'last-round': lastRound,
    'last-version': version,
    'next-version': version,
    'next-version-round': lastRound + 1n,
    'next-version-supported': true,
    'stopped-at-unsupported-round': false,
    'time-since-last-round': BigInt(Math.round(blocks.sinceLastBlockMs)) * NANOSECONDS_PER_MS,
  });
}
