import { developmentAccounts } from '@avm402/devnode';
import { facilitatorEnvironment, programFiles, startNode } from '@avm402/stack/programs';
import type { Program } from '@avm402/stack/program';
import { startPostgres } from '@avm402/testkit/postgres';
import { type Fault, type FaultProxy, startFaultProxy } from '@avm402/testkit/fault-proxy';
import { seededRandom } from '@avm402/testkit/random';
import { drawFault, FACILITATOR_FAULTS, nodeFaultRates, startOutages } from '@avm402/testkit/faults';
import { type Replicas, startReplicas } from '../orders/replicas.ts';
import { merchants } from '../orders/wallets.ts';

export interface StageOptions {
  readonly seed: number;
  readonly blockTimeMs: number;
  /** Whether connections to facilitators and nodes fail. */
  readonly faults: boolean;
  /** The facilitator: a file and its arguments, for node. Default: the product's program. */
  readonly facilitator?: readonly string[];
}

/** A node, a database, replicas of the facilitator, and the faulty lines between them. */
export interface Stage {
  /** Origin of the node, past all faults. */
  readonly nodeUrl: string;
  /** Where sellers reach any of the replicas that run, through faults. */
  readonly facilitatorUrl: string;
  readonly replicas: Replicas;
  /** The account that pays the fees of sponsored payments. */
  readonly feePayer: string;
  /** Faults so far, between sellers and facilitators. */
  readonly facilitatorFaults: Readonly<Record<Fault, number>>;
  /** Faults so far, between facilitators and each of their algods. */
  readonly nodeFaults: readonly Readonly<Record<Fault, number>>[];
  stop(): Promise<void>;
}

const REPLICAS = 3;

/** Starts everything. The replicas know the one node as two algods, each behind faults of its own. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { seed } = options;
  await using started = new AsyncDisposableStack();
  const keep = <Part extends { stop(): Promise<unknown> }>(part: Part): Part =>
    started.adopt(part, async () => void (await part.stop()));
  // More connections than by default: replicas are killed and started again faster than theirs end.
  const postgres = keep(await startPostgres(['-c', 'fsync=off', '-c', 'max_connections=200']));
  const database = await postgres.createDatabase();
  // TestNet, because there payments have short windows, so that some of them expire.
  const node = keep(await startNode('--network', 'testnet', '--block-time', `${options.blockTimeMs}ms`));
  const isOutage = startOutages();
  const algods = [
    keep(await faultyNode(node, seed + 1, { ...options, isOutage })),
    keep(await faultyNode(node, seed + 2, { ...options, isOutage })),
  ];
  const replicas = keep(
    await startReplicas({
      count: REPLICAS,
      command: options.facilitator ?? [programFiles.facilitator],
      environment: replicaEnvironment(algods, database),
      random: seededRandom(seed + 3),
    }),
  );
  const balancer = keep(await faultyBalancer(replicas, seed + 4, options));
  const running = started.move();
  return {
    nodeUrl: node.url,
    facilitatorUrl: balancer.url,
    replicas,
    feePayer: developmentAccounts().facilitator.address,
    facilitatorFaults: balancer.counts,
    nodeFaults: algods.map(({ counts }) => counts),
    stop: () => running.disposeAsync(),
  };
}

interface NodeFaults extends StageOptions {
  readonly isOutage: () => boolean;
}

function faultyNode(node: Program, seed: number, { faults, isOutage }: NodeFaults): Promise<FaultProxy> {
  const random = seededRandom(seed);
  return startFaultProxy({
    targets: () => [node.url],
    fault: (request) => (faults ? drawFault(nodeFaultRates(request, isOutage()), random) : undefined),
  });
}

function faultyBalancer(replicas: Replicas, seed: number, { faults }: StageOptions): Promise<FaultProxy> {
  const random = seededRandom(seed);
  return startFaultProxy({
    targets: () => replicas.urls(),
    fault: () => (faults ? drawFault(FACILITATOR_FAULTS, random) : undefined),
  });
}

/** One merchant is sponsored by name, the others from the budget for anyone. */
function replicaEnvironment(algods: readonly FaultProxy[], database: string): Record<string, string> {
  return {
    ...facilitatorEnvironment(algods.map(({ url }) => url).join(',')),
    DATABASE_URL: database,
    SETTLE_TIMEOUT_MS: '3000',
    SPONSOR_PAY_TO: merchants[0] ?? '',
    SPONSOR_ANYONE: 'true',
    SPONSOR_ANYONE_BUDGET: '1000000000',
  };
}
