import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { startDevnode } from '@avm402/devnode';
import { type Chain, startChain } from './chain.ts';

/** A chain whose blocks come by the clock, and a buyer's own node that follows it. */
export interface SlowChain extends AsyncDisposable {
  /** As the seller sees it. */
  readonly chain: Chain;
  /** The buyer's own node. What it is sent goes to the chain. */
  readonly own: AlgodClient;
  /** Groups that the buyer sent. */
  readonly sent: () => number;
  /** Makes blocks at once. */
  readonly mine: (count: number) => Promise<void>;
  /** Makes no more blocks by the clock. */
  readonly stopClock: () => Promise<void>;
}

/** Starts the chain; the own node is so many blocks behind: none, or one. */
export async function startSlowChain(behind: 0 | 1, blockMs: number): Promise<SlowChain> {
  const chain = await startChain({ blocks: 'manual' });
  const follower = behind === 0 ? undefined : await followerOf(chain);
  let work: Promise<unknown> = Promise.resolve();
  /** One block of each after another. */
  const inTurn = (step: () => Promise<unknown>): Promise<unknown> => (work = work.then(step));
  const step = async (count: number): Promise<void> => {
    await follower?.catchUp();
    await chain.mine(count);
    if (count > 1) await follower?.mine(count - 1);
  };
  if (follower) await chain.mine(1);
  const timer = setInterval(() => void inTurn(() => step(1)), blockMs);
  const stopClock = async (): Promise<void> => {
    clearInterval(timer);
    await work;
  };
  let sent = 0;
  const view = follower?.algod ?? chain.algod;
  return {
    chain: follower ? { ...chain, algod: follower.recording } : chain,
    own: {
      ...view,
      sendRawTransaction: (group) => {
        sent++;
        return (follower?.recording ?? chain.algod).sendRawTransaction(group);
      },
    },
    sent: () => sent,
    mine: async (count) => void (await inTurn(() => step(count))),
    stopClock,
    async [Symbol.asyncDispose]() {
      await stopClock();
      await chain.stop();
      await follower?.stop();
    },
  };
}

/** A node that makes the blocks of a chain, one behind. */
async function followerOf({ algod }: Chain) {
  const node = await startDevnode({ port: 0, network: 'testnet', blocks: 'manual' });
  const own = createAlgodClient({ url: node.url, token: node.token });
  const groups = new Map<string, Uint8Array>();
  const recording: AlgodClient = {
    ...algod,
    sendRawTransaction: async (group) => {
      const answer = await algod.sendRawTransaction(group);
      groups.set(answer.txId, group);
      return answer;
    },
  };
  return {
    algod: own,
    recording,
    mine: (count: number) => node.mine(count),
    stop: () => node.stop(),
    /** Makes the chain's latest block, with what is in it. */
    catchUp: async () => {
      const { lastRound } = await algod.status();
      for (const id of await algod.blockTransactionIds(lastRound)) {
        const group = groups.get(id);
        if (group) await own.sendRawTransaction(group);
      }
      await node.mine(1);
    },
  };
}
