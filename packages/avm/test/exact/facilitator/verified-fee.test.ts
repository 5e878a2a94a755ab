import { decodeBase64 } from '@avm402/algorand/base64';
import { TESTNET } from '@avm402/algorand/networks';
import { beforeEach, expect, it } from 'vitest';
import { PaymentVerifier, type Sponsor } from '../../../src/exact/facilitator/index.ts';
import { merchant, requirements, sponsor, sponsoredPayment } from '../checks/payment-fixture.ts';

let clock: number;
/** What the network asks for, and what the sponsor pays. */
let asked: { fee: bigint; minFee: bigint };
let pays: Pick<Sponsor, 'maxFee' | 'budgetLeft'>;
beforeEach(() => {
  clock = 0;
  asked = { fee: 10n, minFee: 1000n };
  pays = { maxFee: 10_000n, budgetLeft: async () => 10_000n };
});

function createVerifier(): PaymentVerifier {
  const genesisHash = decodeBase64(TESTNET.genesisHash) ?? new Uint8Array();
  const params = { genesisId: TESTNET.genesisId, genesisHash, lastRound: 110n, consensusVersion: '' };
  const network = () => ({
    genesisHash: TESTNET.genesisHash,
    lastRound: () => 110n,
    algod: {
      simulate: async () => ({ lastRound: 110n, wouldSucceed: true }),
      params: async () => ({ ...params, ...asked }),
    },
    sponsor: {
      account: sponsor,
      accounts: new Map([[sponsor.address, sponsor]]),
      feePayer: () => sponsor.address,
      uptoFeePayer: () => undefined,
      payTo: new Set([merchant.address]),
      assets: new Set(['10458941']),
      minAmount: 1n,
      anyone: false,
      ...pays,
    },
  });
  return new PaymentVerifier({ networkOf: network, now: () => clock });
}

async function verified(verifier: PaymentVerifier) {
  const payment = sponsoredPayment({ feePayer: { fee: 6_000n } });
  await verifier.verify(verifier.check(payment, requirements));
  return () => verifier.verifyToSettle(verifier.check(payment, requirements));
}

it('settling holds to the fee that was verified, though the network asks for less since; half a minute later it does not', async () => {
  const settle = await verified(createVerifier());
  asked = { fee: 0n, minFee: 1000n };
  clock += 29_999;
  expect((await settle()).group.fee).toBe(6_000n);
  clock += 2;
  await expect(settle()).rejects.toMatchObject({ code: 'invalid_exact_avm_fee_too_high' });
});

it.each([
  ['budget', { maxFee: 10_000n, budgetLeft: async () => 5_999n }, 'sponsor_budget'],
  ['cap', { maxFee: 5_999n, budgetLeft: async () => 10_000n }, 'fee_too_high'],
])('settling pays no more than the %s of now, whatever was verified', async (_what, now, reason) => {
  const settle = await verified(createVerifier());
  pays = now;
  await expect(settle()).rejects.toMatchObject({ code: `invalid_exact_avm_${reason}` });
});
