import type { AlgodClient } from '@avm402/algorand/algod';
import { type ChannelConfig, channelProgram } from '@avm402/avm/batch-settlement';
import { networkOfGenesis } from '@avm402/core/network';
import { expect, it } from 'vitest';
import { findChannels } from '../../src/channels/find-channels.ts';
import { accounts } from '../chain.ts';

const config: ChannelConfig = {
  payer: accounts.payer.address,
  payerAuthorizer: accounts.payer.address,
  receiver: accounts.merchant.address,
  receiverAuthorizer: accounts.facilitator.address,
  token: 10_458_941n,
  expiry: 5000n,
  funder: accounts.facilitator.address,
  genesisHash: new Uint8Array(32).fill(7),
  salt: new Uint8Array(16),
};
const decoded = (fields: object) => new Map<string, unknown>(Object.entries(fields));
const optIn = (signedBy: ChannelConfig, txn = {}) =>
  decoded({ lsig: decoded({ l: channelProgram(signedBy) }), txn: decoded(txn) });

/** Blocks of a chain; all are empty but those named. */
function blocks(members: Readonly<Record<number, readonly ReadonlyMap<string, unknown>[]>>) {
  const asked: bigint[] = [];
  let open = 0;
  let most = 0;
  const block = async (round: bigint): Promise<unknown> => {
    asked.push(round);
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    const txns = members[Number(round)];
    return decoded({ block: decoded(txns === undefined ? {} : { txns }) });
  };
  return { asked, most: () => most, algod: { block } as unknown as AlgodClient };
}

it.each([
  [0n, 20n, 1n],
  [1n, 8n, 1n],
  [5n, 5n, 5n],
])(
  'the rounds from %s to %s are each asked for once, eight at once, and from the first block on',
  async (from, to, first) => {
    const { asked, most, algod } = blocks({});
    expect(await findChannels(algod, config.payer, { from, to })).toEqual([]);
    const rounds = Array.from({ length: Number(to - first) + 1 }, (_, index) => first + BigInt(index));
    expect(asked).toEqual(rounds);
    expect(most()).toBe(Math.min(8, rounds.length));
  },
);

it('a channel is found where it opted in, if it is this payer’s, and nothing is known of what it charged', async () => {
  const strangers = { ...config, payer: accounts.merchant.address };
  const { algod } = blocks({
    2: [
      decoded({ txn: decoded({}) }),
      optIn(strangers),
      optIn(config, { aclose: 'payer' }),
      decoded({ lsig: decoded({ l: new Uint8Array(3) }) }),
    ],
    9: [optIn(config)],
  });
  const network = networkOfGenesis(config.genesisHash);
  expect(await findChannels(algod, config.payer, { from: 1n, to: 9n })).toEqual([
    { config, network, state: 'closing', deposits: [], charged: 0n, signed: 0n, signedUpTo: 0n },
  ]);
});
