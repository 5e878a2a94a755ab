import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode } from '../../src/start-devnode.ts';
import { exchange, type Answer } from './exchange.ts';
import { mismatches } from './mismatch.ts';
import { readVector, type Exchange, type Scenario } from './recording.ts';

// The node was started like this for every recording; a scenario's own config comes on top.
const RECORDED_CONFIG = {
  EnableDeveloperAPI: true,
  EnableExperimentalAPI: true,
  Archival: true,
  MaxAcctLookback: 256,
  DNSBootstrapID: '',
  NetAddress: '',
  IncomingConnectionsLimit: 0,
};
const TOKEN = 'a'.repeat(64);
const ADMIN_TOKEN = 'b'.repeat(64);
/** Rule 5: algod's pool settles a moment after its answer to an asynchronous submission. */
const POOL_SETTLES_MS = 40;
/** Time for a request that is not awaited to reach the node before the next one is sent. */
const UNDERWAY_MS = 15;

interface Mismatch {
  readonly n: number;
  readonly text: string;
}

export interface ReplayResult {
  /** Requests sent, the answer to each of which was compared. */
  readonly compared: number;
  readonly mismatched: readonly Mismatch[];
}

/** Boots the recorded genesis and sends every request of a scenario in order, comparing each answer. */
export async function replay(scenario: Scenario): Promise<ReplayResult> {
  const node = await startDevnode({
    port: 0,
    token: TOKEN,
    adminToken: ADMIN_TOKEN,
    genesis: readVector('genesis.json'),
    config: { ...RECORDED_CONFIG, ...scenario.config },
    strict: true,
  });
  const agent = new Agent({ keepAlive: true });
  try {
    return await replayAgainst(node.url, agent, scenario);
  } finally {
    agent.destroy();
    await node.stop();
  }
}

async function replayAgainst(origin: string, agent: Agent, { exchanges }: Scenario): Promise<ReplayResult> {
  const mismatched: Mismatch[] = [];
  const waiting = new Map<number, { recorded: Exchange; answer: Promise<Answer>; early: boolean }>();
  const judge = (recorded: Exchange, answer: Answer): void => {
    const found = mismatches(recorded, answer);
    if (found.length > 0) mismatched.push({ n: recorded.n, text: describe(recorded, found) });
  };
  for (const recorded of exchanges) {
    const answer = exchange(origin, agent, recorded.request);
    if (recorded.concurrent) {
      const entry = { recorded, answer, early: true };
      void answer.finally(() => {
        if (entry.early) mismatched.push({ n: recorded.n, text: describe(recorded, ['answered too early']) });
      });
      waiting.set(recorded.answeredAfter ?? 0, entry);
      await sleep(UNDERWAY_MS);
      continue;
    }
    const ended = waiting.get(recorded.n);
    if (ended) ended.early = false;
    judge(recorded, await answer);
    if (ended) judge(ended.recorded, await ended.answer);
    if (recorded.request.path.startsWith('/v2/transactions/async')) await sleep(POOL_SETTLES_MS);
  }
  return { compared: exchanges.length, mismatched };
}

function describe({ n, note, request }: Exchange, found: readonly string[]): string {
  return `#${n} ${request.method} ${request.path} (${note})\n${found.join('\n')}`;
}
