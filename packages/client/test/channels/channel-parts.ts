import type { AlgodClient } from '@avm402/algorand/algod';
import { formatAddress } from '@avm402/algorand/address';
import { createSigner } from '@avm402/algorand/ed25519';
import { encodeChannelTerms } from '@avm402/avm/batch-settlement';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentOutcome } from '../../src/own-node/payment-outcome.ts';
import type { Spending } from '../../src/budget/spending.ts';
import { BuyerChannel } from '../../src/channels/buyer-channel.ts';
import type { ChannelDeposit, ChannelRecord } from '../../src/channels/channel-record.ts';
import { type ChannelStore, memoryChannelStore } from '../../src/channels/channel-store.ts';
import { accounts } from '../chain.ts';

export const signer = createSigner(new Uint8Array(32).fill(9));
const genesisHash = new Uint8Array(32).fill(7);
const network = networkOfGenesis(genesisHash);
const { facilitator: closer, merchant, payer } = accounts;

/** An offer through a channel that must live for so many rounds. */
export function offered(minRounds = 2_000n, change: Partial<PaymentRequirements> = {}): PaymentRequirements {
  const extra = encodeChannelTerms({
    receiverAuthorizer: closer.address,
    claimAuthorizer: closer.address,
    genesisHash,
    feePayer: closer.address,
    funder: closer.address,
    minDeposit: 100n,
    minRounds,
  });
  const offer = {
    scheme: 'batch-settlement',
    network,
    asset: '10458941',
    amount: '10',
    payTo: merchant.address,
  } as const;
  return { ...offer, maxTimeoutSeconds: 60, extra, ...change };
}

export function deposit(txId: string, change: Partial<ChannelDeposit> = {}): ChannelDeposit {
  const rounds = { firstValid: 1n, lastValid: 9n };
  return { txId, groupTxIds: [], amount: 1_000n, ...rounds, settled: true, paymentGroup: [], ...change };
}

export function recordOf(change: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    config: {
      payer: payer.address,
      payerAuthorizer: formatAddress(signer.publicKey),
      receiver: merchant.address,
      receiverAuthorizer: closer.address,
      token: 10_458_941n,
      expiry: 100_000n,
      funder: closer.address,
      genesisHash,
      salt: new Uint8Array(16),
    },
    network,
    opened: { method: 'GET', url: 'https://shop.example/news', requirements: offered() },
    state: 'open',
    deposits: [deposit('A')],
    charged: 0n,
    signed: 0n,
    signedUpTo: 0n,
    ...change,
  };
}

/** As a node or a disk: others go on meanwhile. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A store in memory whose writes take their time. */
export function slowStore(): ChannelStore {
  const kept = memoryChannelStore();
  return {
    ...kept,
    write: async (record) => {
      await othersTurn();
      await kept.write(record);
    },
  };
}

/** A channel on record. */
export function channelOf(change: Partial<ChannelRecord> = {}, store: ChannelStore = slowStore()): BuyerChannel {
  return new BuyerChannel({ record: recordOf(change), store, signer });
}

/** What the buyer's node shows of a channel. Absent `balance`: it holds nothing. */
export interface Shown {
  round: bigint;
  balance?: bigint | undefined;
  isHandedOver?: boolean;
  isOtherNetwork?: boolean;
}

/** A node that shows this of each channel, and the groups that it has taken, with what it throws at them. */
export function nodeThat(shown: Shown, refuse: () => void = () => undefined) {
  const sent: Uint8Array[] = [];
  const node = {
    url: 'http://own.example',
    params: async () => ({
      genesisHash: shown.isOtherNetwork === true ? new Uint8Array(32) : genesisHash,
      lastRound: shown.round,
    }),
    accountAsset: async () => (shown.balance === undefined ? undefined : { amount: shown.balance }),
    account: async () => ({
      round: shown.round,
      minBalance: shown.balance === undefined ? 100_000n : 200_000n,
      authAddress: shown.isHandedOver === true ? payer.address : undefined,
    }),
    sendRawTransaction: async (bytes: Uint8Array) => {
      sent.push(bytes);
      refuse();
    },
  };
  return { algod: node as unknown as AlgodClient, sent };
}

/** The budgets of a buyer whose node tells this of each deposit, and what came back to them. */
export function spendingThat(outcome: PaymentOutcome) {
  const returned: [txId: string, amount: bigint][] = [];
  const happened: string[] = [];
  const spending = {
    load: async () => {
      await othersTurn();
      happened.push('load');
    },
    learn: async ({ txId }: { txId: string }) => {
      await othersTurn();
      happened.push(`learn ${txId}`);
      return outcome;
    },
    returned: async ({ txId }: { txId: string }, amount: bigint) => void returned.push([txId, amount]),
  };
  return { spending: spending as unknown as Spending, returned, happened };
}
