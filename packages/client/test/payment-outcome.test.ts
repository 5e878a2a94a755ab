import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAddress } from '@avm402/algorand/address';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { AlgorandError } from '@avm402/algorand/errors';
import type { MsgpackKey, MsgpackValue } from '@avm402/algorand/msgpack';
import { MAINNET } from '@avm402/algorand/networks';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { paymentOutcome, type TrackedPayment } from '../src/own-node/payment-outcome.ts';
import { accounts } from './chain.ts';
import { ModelChain, noSuchBlock } from './model-chain.ts';

const payment: TrackedPayment = { txId: 'T', network: ALGORAND_TESTNET, firstValid: 100n, lastValid: 132n };

/** A node whose pool has forgotten what was confirmed. */
function forgetfulNode(confirmedIn: bigint | undefined, lastRound: bigint): AlgodClient {
  const chain = new ModelChain();
  chain.round = lastRound;
  if (confirmedIn !== undefined) chain.confirmed.set(payment.txId, { round: confirmedIn, at: chain.now });
  return { ...chain.algod, pendingTransaction: () => Promise.resolve(undefined) };
}

describe('a payment that the pool of the node has forgotten', () => {
  it.each([100n, 101n, 107n, 108n, 131n, 132n])(
    'is confirmed in the block of round %s of its window',
    async (round) => {
      expect(await paymentOutcome(payment, forgetfulNode(round, 132n))).toEqual({ state: 'confirmed', round });
    },
  );

  it('has expired when no block of its window holds it', async () => {
    expect(await paymentOutcome(payment, forgetfulNode(undefined, 132n))).toEqual({ state: 'expired' });
  });

  it('is open before the node has the block of its last valid round', async () => {
    expect(await paymentOutcome(payment, forgetfulNode(undefined, 131n))).toEqual({ state: 'open' });
  });

  it.each([
    [371n, { state: 'open' }],
    [372n, { state: 'forgotten' }],
  ])('is one that nobody can tell the end of where its blocks are gone, at round %s', async (lastRound, outcome) => {
    const node = forgetfulNode(undefined, lastRound);
    const pruned = { ...node, blockTransactionIds: () => Promise.reject(noSuchBlock) };
    expect(await paymentOutcome(payment, pruned)).toEqual(outcome);
  });

  it.each([
    ['takes no more requests now', new AlgorandError('algod_refused', 'busy', { status: 429 })],
    ['is restarted', new AlgorandError('algod_unreachable', 'down')],
  ])('is open for a node that %s, however long ago its window was', async (_what, failure) => {
    const node = forgetfulNode(101n, 2_000n);
    const failing = () => Promise.reject(failure);
    expect(await paymentOutcome(payment, { ...node, pendingTransaction: failing })).toEqual({ state: 'open' });
    expect(await paymentOutcome(payment, { ...node, blockTransactionIds: failing })).toEqual({ state: 'open' });
  });

  it('is open for a node of another network, whatever that has', async () => {
    const genesisHash = decodeBase64(MAINNET.genesisHash) ?? new Uint8Array();
    for (const confirmedIn of [undefined, 101n]) {
      const node = forgetfulNode(confirmedIn, 132n);
      const elsewhere = { ...node, params: async () => ({ ...(await node.params()), genesisHash }) };
      expect(await paymentOutcome(payment, elsewhere)).toEqual({ state: 'open' });
    }
  });
});

describe('a payment by mandate whose slot others have taken', () => {
  const lease = new Uint8Array(32).fill(1);
  const payer = accounts.payer.address;
  const bySlot = { ...payment, lastValid: 1_000n, slotLease: encodeBase64(lease), payer };

  /** A node with transfers that took the slot: the block of each, and the last round in which the slot is its own. */
  function nodeWith(taken: ReadonlyMap<bigint, bigint>): AlgodClient {
    const chain = new ModelChain();
    chain.round = 120n;
    const map = (members: Readonly<Record<string, MsgpackValue>>) =>
      new Map<MsgpackKey, MsgpackValue>(Object.entries(members));
    const transfer = (until: bigint) => map({ type: 'axfer', lx: lease, snd: parseAddress(payer), lv: until });
    return {
      ...chain.algod,
      block: (round) => {
        const until = taken.get(round);
        const txns = until === undefined ? [] : [map({ txn: transfer(until) })];
        return Promise.resolve(map({ block: map({ txns }) }));
      },
      blockTransactionIds: (round) => Promise.resolve(taken.has(round) ? [`of ${round}`] : []),
    };
  }

  it.each([
    ['is open while another has it only until its window ends', [[101n, 500n]], 'open'],
    ['has expired once another has it for as long as it is valid', [[102n, 1_000n]], 'expired'],
    [
      'has expired also if one of the window before had it first',
      [
        [101n, 500n],
        [110n, 1_000n],
      ],
      'expired',
    ],
  ] as const)('%s', async (_what, taken, state) => {
    expect(await paymentOutcome(bySlot, nodeWith(new Map(taken)))).toEqual({ state });
  });
});
