import { accountFromSeed } from '@avm402/algorand/account';
import { programSigningBytes } from '@avm402/algorand/program';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { UptoPayment } from '../../src/upto/payload.ts';
import { type UptoAuthorization, uptoProgram } from '../../src/upto/upto-program.ts';

export const account = (seed: number) => accountFromSeed(new Uint8Array(32).fill(seed));
export const [payer, seller, settler, closer] = [account(1), account(2), account(3), account(4)];
export const genesisHash = new Uint8Array(32).fill(7);
/** The last round of an authorization. */
export const LAST = 5_000n;

export const offer: PaymentRequirements = {
  scheme: 'upto',
  network: networkOfGenesis(genesisHash),
  asset: '5',
  amount: '50000',
  payTo: seller.address,
  maxTimeoutSeconds: 60,
  extra: { feePayer: settler.address },
};

/** A payment of the offer, or of a changed one. */
export function signed(change: Partial<UptoAuthorization> = {}, signer = payer): UptoPayment {
  const authorization: UptoAuthorization = {
    receiver: seller.address,
    feePayer: settler.address,
    genesisHash,
    token: 5n,
    maxAmount: 50_000n,
    lastValid: LAST,
    // Written out: what a lease begins with is part of the specification.
    lease: Uint8Array.from([...Buffer.from('x402/upto/lease/'), ...new Uint8Array(16).fill(1)]),
    ...change,
  };
  const signature = signer.sign(programSigningBytes(uptoProgram(authorization)));
  return { payer: payer.address, authorization, signature };
}
