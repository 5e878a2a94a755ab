import { afterEach, beforeEach } from 'vitest';
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
  paying(options?: Partial<Omit<PayingFetchOptions, 'client' | 'account'>>): typeof fetch;
}

/** A chain for each test of the file, and sellers as it needs them. */
export function useStage(): Stage {
  let chain: Chain;
  const sellers: Seller[] = [];
  beforeEach(async () => {
    chain = await startChain();
  });
  afterEach(async () => {
    for (const seller of sellers.splice(0)) await seller.stop();
    await chain.stop();
  });
  return {
    get chain() {
      return chain;
    },
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
