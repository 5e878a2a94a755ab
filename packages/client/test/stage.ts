import { beforeEach, onTestFinished } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, type PayingFetchOptions } from '@avm402/client';
import { asking, receipt, startSeller, type Answers, type Seller } from './seller.ts';
import { accounts, startChain, type Chain } from './chain.ts';

export const payer = parseAccount(accounts.payer.privateKey);

export interface Stage {
  readonly chain: Chain;
  /** Starts a seller; it is stopped after the test. */
  sellerThat(answers: Answers): Promise<Seller>;
  /** Asks, settles on chain and answers with the receipt. */
  readonly honest: Answers;
  paying(options?: Partial<Omit<PayingFetchOptions, 'client' | 'account' | 'mandate'>>): typeof fetch;
}

/** A chain of a test's own, and sellers as it needs them: for tests that wait side by side. */
export async function startStage(atEnd: (stop: () => Promise<void>) => void): Promise<Stage> {
  const chain = await startChain();
  const sellers: Seller[] = [];
  atEnd(async () => {
    for (const seller of sellers) await seller.stop();
    await chain.stop();
  });
  return {
    chain,
    async sellerThat(answers) {
      const seller = await startSeller(answers);
      sellers.push(seller);
      return seller;
    },
    honest: async ({ payment }) => {
      if (!payment) return asking();
      await chain.settle(payment);
      return { headers: receipt(payment) };
    },
    paying: (options = {}) =>
      createPayingFetch({ account: payer, networks: { 'algorand:*': chain.algod }, recoverMs: 2_000, ...options }),
  };
}

/** A chain for each test of the file, and sellers as it needs them. */
export function useStage(): Stage {
  let stage: Stage;
  beforeEach(async () => {
    stage = await startStage(onTestFinished);
  });
  return {
    get chain() {
      return stage.chain;
    },
    sellerThat: (answers) => stage.sellerThat(answers),
    honest: (seen, all) => stage.honest(seen, all),
    paying: (options) => stage.paying(options),
  };
}
