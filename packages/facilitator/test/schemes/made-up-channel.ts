import { accountFromSeed } from '@avm402/algorand/account';
import { createSigner } from '@avm402/algorand/ed25519';
import { channelId, claimAuthorizerOf, encodeChannelPayload } from '@avm402/avm/batch-settlement';
import { canonicalNetwork, networkOfGenesis } from '@avm402/core/network';

const account = (seed: number) => accountFromSeed(new Uint8Array(32).fill(seed));
export const [payer, seller, ours] = [account(1), account(2), account(3)];
export const sessionKey = createSigner(new Uint8Array(32).fill(4));
const genesisHash = new Uint8Array(32).fill(7);
/** The short form. */
export const network = canonicalNetwork(networkOfGenesis(genesisHash));
export const claimKey = createSigner(new Uint8Array(32).fill(5));
export const claimAuthorizer = claimAuthorizerOf(claimKey);

/** A channel that expires in round 5,000; all accounts are made up. */
export const config = {
  payer: payer.address,
  payerAuthorizer: account(4).address,
  receiver: seller.address,
  receiverAuthorizer: ours.address,
  token: 5n,
  expiry: 5_000n,
  funder: ours.address,
  genesisHash,
  salt: new Uint8Array(16),
};
export const id = channelId(config);

export const offer = {
  scheme: 'batch-settlement',
  network,
  asset: '5',
  amount: '10',
  payTo: seller.address,
  maxTimeoutSeconds: 60,
  extra: {
    receiverAuthorizer: ours.address,
    claimAuthorizer,
    genesisHash: Buffer.from(genesisHash).toString('base64'),
    feePayer: ours.address,
    funder: ours.address,
    minDeposit: '1',
    minRounds: '1',
  },
};

export type Payload = Parameters<typeof encodeChannelPayload>[0];
export const refund: Payload = { type: 'refund', channelConfig: config };
export const message = (payload: Payload) => ({
  x402Version: 2 as const,
  accepted: offer,
  payload: encodeChannelPayload(payload),
});
