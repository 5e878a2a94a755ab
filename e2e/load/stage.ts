import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createDevControls, developmentAccounts } from '@avm402/devnode';
import { facilitatorEnvironment, NODE_TOKEN, programFiles, startFacilitator, startNode } from '@avm402/stack/programs';
import { startPostgres } from '@avm402/testkit/postgres';
import { seededRandom } from '@avm402/testkit/random';
import { type Replicas, startReplicas } from '../orders/replicas.ts';
import { merchants } from '../orders/wallets.ts';
import { drainSponsor } from '../drain-sponsor.ts';
import { type Operator, startOperator } from './operator.ts';

export interface StageOptions {
  readonly blockTimeMs: number;
  /** Sponsored payments after which the sponsor is empty, until its operator sees that. */
  readonly sponsorLasts: number;
}

/** Three replicas of the facilitator on one PostgreSQL, a node, and the operator who watches the replicas. */
export interface Stage {
  readonly nodeUrl: string;
  readonly algod: AlgodClient;
  readonly replicas: Replicas;
  readonly operator: Operator;
  /** The account that pays the fees. */
  readonly feePayer: string;
  /** The replicas' store. */
  readonly database: string;
  /** Copies the store as it is now, and starts a facilitator from the copy, beside the replicas. */
  restoreBackup(): Promise<{ readonly database: string; readonly url: string }>;
  stop(): Promise<void>;
}

const REPLICAS = 3;
const SEED = 1;
/** µAlgo of a sponsored payment. */
const FEE = 2_000n;
const REFILL = 100_000_000_000n;
const NO_BUDGET = '1000000000000000';

export async function startStage({ blockTimeMs, sponsorLasts }: StageOptions): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const keep = <Part extends { stop(): Promise<unknown> }>(part: Part): Part =>
    started.adopt(part, async () => void (await part.stop()));
  const postgres = keep(await startPostgres());
  const database = await postgres.createDatabase();
  // TestNet, because on development networks nobody has a budget and the sponsor sponsors everybody.
  const node = keep(await startNode('--network', 'testnet', '--block-time', `${blockTimeMs}ms`));
  const environment = {
    DATABASE_URL: database,
    // One account, so that it runs dry.
    AVM_PRIVATE_KEY: developmentAccounts().facilitator.privateKey,
    SPONSOR_PAY_TO: merchants.join(','),
    SPONSOR_PAY_TO_BUDGET: NO_BUDGET,
    SPONSOR_PAYER_BUDGET: NO_BUDGET,
  };
  const replicas = keep(
    await startReplicas({
      count: REPLICAS,
      command: [programFiles.facilitator],
      environment: { ...facilitatorEnvironment(node.url), ...environment },
      random: seededRandom(SEED),
    }),
  );
  const feePayer = developmentAccounts().facilitator.address;
  const algod = createAlgodClient({ url: node.url, token: NODE_TOKEN });
  const controls = createDevControls({ url: node.url, token: NODE_TOKEN });
  await drainSponsor(algod, BigInt(sponsorLasts) * FEE);
  const operator = keep(
    startOperator({
      urls: () => replicas.urls(),
      refill: async () => void (await controls.fund(feePayer, REFILL)),
    }),
  );
  const running = started.move();
  return {
    nodeUrl: node.url,
    algod,
    replicas,
    operator,
    feePayer,
    database,
    async restoreBackup() {
      const copy = running.adopt(await postgres.copy(), (server) => server.stop());
      const restored = copy.urlOf(database);
      const program = running.use(await startFacilitator(node.url, { ...environment, DATABASE_URL: restored }));
      return { database: restored, url: program.url };
    },
    stop: () => running.disposeAsync(),
  };
}
