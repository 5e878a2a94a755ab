import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { createSigner } from '@avm402/algorand/ed25519';
import type { ChannelConfig } from '../../src/batch-settlement/channel-config.ts';

const account = (seed: number): Account => accountFromSeed(new Uint8Array(32).fill(seed));

export const payer = account(1);
export const seller = account(2);
export const closer = account(3);
export const sessionKey = createSigner(new Uint8Array(32).fill(4));

export const config: ChannelConfig = {
  payer: payer.address,
  payerAuthorizer: account(4).address,
  receiver: seller.address,
  receiverAuthorizer: closer.address,
  token: 10_458_941n,
  expiry: 5000n,
  funder: payer.address,
  genesisHash: new Uint8Array(32).fill(7),
  salt: new Uint8Array(16).fill(9),
};
