import { channelId, type ChannelConfig } from '@avm402/avm/batch-settlement';
import type { Channel, ChannelRequest } from '../../src/channels/record/channel.ts';
import type { ChannelChange } from '../../src/channels/record/channel-store.ts';
import { account } from './payments.ts';

export const NOW = 1_700_000_000_000;

const PARTIES = {
  payer: account(1).address,
  payerAuthorizer: account(2).address,
  receiver: account(3).address,
  receiverAuthorizer: account(4).address,
  funder: account(4).address,
};

/** A channel of its own for each number, with nothing charged. */
export function channel(number: number, change: Partial<Channel> = {}): Channel {
  const config: ChannelConfig = {
    ...PARTIES,
    token: 10_458_941n,
    expiry: 2n ** 64n - 1n,
    genesisHash: new Uint8Array(32).fill(7),
    salt: Uint8Array.from(Buffer.alloc(16, `salt ${number}.`)),
  };
  return {
    channelId: channelId(config),
    version: 1,
    state: 'open',
    config,
    requirements: {
      scheme: 'batch-settlement',
      network: 'algorand:x',
      asset: '10458941',
      amount: '1',
      payTo: config.receiver,
      maxTimeoutSeconds: 60,
      extra: { minDeposit: '1' },
    },
    balance: 1_000_000n,
    authorized: 0n,
    charged: 0n,
    floor: 0n,
    openedAt: NOW,
    openedRound: 1000n,
    usedAt: NOW,
    ...change,
  };
}

export function request(amount: bigint, change: Partial<ChannelRequest> = {}): ChannelRequest {
  return { amount, charge: amount, owner: 'aa', ...change };
}

/** The change that charges one request of `amount` under a voucher of that amount. */
export function charging(known: Channel, amount: bigint): ChannelChange & { readonly next: Channel } {
  const next: Channel = {
    ...known,
    version: known.version + 1,
    authorized: amount,
    signature: new Uint8Array(64).fill(Number(amount % 256n)),
    charged: amount,
    usedAt: known.usedAt + 1,
  };
  return { next, previous: known.version, requests: [request(amount, { charge: amount - known.charged })] };
}
