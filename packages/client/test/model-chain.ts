import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { decodeBase64 } from '@avm402/algorand/base64';
import { AlgorandError } from '@avm402/algorand/errors';
import { TESTNET } from '@avm402/algorand/networks';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { JournalEntry, PaymentJournal, SentPayment, SpendOptions } from '@avm402/client';
import { Spending } from '../src/budget/spending.ts';
import type { AssetAmount } from '../src/budget/cost.ts';
import { SpendPolicy } from '../src/budget/spend-policy.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Rounds of a payment's window. */
export const WINDOW = 32n;

/** What a node says of a block that it no longer has. */
export const noSuchBlock = new AlgorandError('algod_refused', 'no such block', {
  status: 404,
  reason: 'failed to retrieve information from the ledger',
});

/** A chain whose blocks a test makes, one a second, and the algod of it. */
export class ModelChain {
  now = 1_700_000_000_000;
  isDown = false;
  /** The node has no blocks up to this round. */
  forgotten = 0n;
  /** Round of each confirmed payment. */
  readonly confirmed = new Map<string, { round: bigint; at: number }>();
  round = 100n;
  readonly algod: AlgodClient;

  constructor() {
    const genesisHash = decodeBase64(TESTNET.genesisHash) ?? new Uint8Array();
    const up = <T>(answer: T): Promise<T> =>
      this.isDown ? Promise.reject(new Error('down')) : Promise.resolve(answer);
    this.algod = {
      ...createAlgodClient({ url: 'http://127.0.0.1:1' }),
      params: () =>
        up({
          fee: 0n,
          minFee: 1000n,
          genesisId: 'testnet-v1.0',
          genesisHash,
          lastRound: this.round,
          consensusVersion: '',
        }),
      pendingTransaction: (txId) => {
        const found = this.confirmed.get(txId);
        return up(found && found.round > this.forgotten ? { confirmedRound: found.round, poolError: '' } : undefined);
      },
      block: (round) => {
        const at = [...this.confirmed.values()].find((one) => one.round === round)?.at ?? this.now;
        return up(new Map([['block', new Map([['ts', BigInt(Math.floor(at / 1000))]])]]));
      },
      blockTransactionIds: (round) =>
        round <= this.forgotten
          ? Promise.reject(noSuchBlock)
          : up([...this.confirmed].filter(([, one]) => one.round === round).map(([txId]) => txId)),
    };
  }

  pass(ms: number): void {
    this.now += ms;
    this.round += BigInt(Math.ceil(ms / 2800));
  }

  confirm({ txId, lastValid }: SentPayment): void {
    if (this.round >= lastValid || this.confirmed.has(txId)) return;
    this.round += 1n;
    this.confirmed.set(txId, { round: this.round, at: this.now });
  }
}

export interface MemoryJournal extends PaymentJournal {
  readonly entries: JournalEntry[];
  /** The same journal, opened by the next process. */
  reopened(): MemoryJournal;
}

export function memoryJournal(entries: JournalEntry[] = []): MemoryJournal {
  return {
    reopened: () => memoryJournal(entries),
    entries,
    read: () => Promise.resolve([...entries]),
    append: (entry) => Promise.resolve(void entries.push(entry)),
  };
}

/** So many cents of USDC. */
export const cents = (amount: number): AssetAmount => ({
  network: ALGORAND_TESTNET,
  asset: TESTNET.usdcAssetId.toString(),
  amount: BigInt(amount) * 10_000n,
});
let payments = 0;

/** Reserves, pays and lets the payment leave. Undefined: the budget refused it. */
export async function spend(
  spending: Spending,
  chain: ModelChain,
  amount: AssetAmount,
  origin = 'https://a.example',
): Promise<SentPayment | undefined> {
  if (spending.whyNot(amount, origin)) return undefined;
  const reservation = spending.reserve(amount, origin);
  const payment: SentPayment = {
    txId: `T${++payments}`,
    groupTxIds: [],
    network: ALGORAND_TESTNET,
    asset: amount.asset,
    amount: amount.amount,
    payTo: 'M',
    payer: 'P',
    fee: 0n,
    firstValid: chain.round,
    lastValid: chain.round + WINDOW,
    origin,
    method: 'GET',
    path: '/',
    sentAt: chain.now,
  };
  await reservation.commit(payment);
  return payment;
}

export function spendingOn(chain: ModelChain, limits: SpendOptions, journal?: PaymentJournal): Spending {
  return new Spending({
    policy: new SpendPolicy(limits),
    algodOf: () => chain.algod,
    now: () => chain.now,
    ...(journal && { journal }),
  });
}
