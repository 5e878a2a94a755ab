import type { SimulateRequest, SimulateResult } from '@avm402/algorand/algod';
import { decodeBase64 } from '@avm402/algorand/base64';
import { AlgorandError } from '@avm402/algorand/errors';
import { TESTNET } from '@avm402/algorand/networks';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { encodeTransaction, transactionSigningBytes } from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import { canonicalNetwork } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  ExactAvmFacilitator,
  type FacilitatorNetwork,
  PaymentVerifier,
  type Sponsor,
  signSponsored,
} from '../../../src/exact/facilitator/index.ts';
import {
  grouped,
  lonePayment,
  merchant,
  payer,
  payloadOf,
  requirements,
  sponsor,
  sponsoredPayment,
  stranger,
  transfer,
  unsponsored,
  feePayment,
} from '../checks/payment-fixture.ts';

let simulations: SimulateRequest[];
let paramsCalls: number;
let result: SimulateResult;
let clock: number;
let fees: { fee: bigint; minFee: bigint };
let sponsorship: Sponsor;
let knownRound: bigint;
let whileSimulating: () => Promise<void>;

beforeEach(() => {
  [simulations, paramsCalls] = [[], 0];
  result = { lastRound: 110n, wouldSucceed: true };
  clock = 1_000_000;
  fees = { fee: 0n, minFee: 1000n };
  knownRound = 0n;
  whileSimulating = async () => {};
  sponsorship = {
    account: sponsor,
    accounts: new Map([[sponsor.address, sponsor]]),
    uptoFeePayer: () => undefined,
    feePayer: () => sponsor.address,
    payTo: new Set([merchant.address]),
    assets: new Set(['10458941']),
    minAmount: 1n,
    anyone: false,
    maxFee: 10_000n,
    budgetLeft: async () => 10_000n,
  };
});

const algod: FacilitatorNetwork['algod'] = {
  async simulate(request) {
    simulations.push(request);
    await whileSimulating();
    return result;
  },
  async params() {
    paramsCalls += 1;
    return {
      ...fees,
      genesisId: TESTNET.genesisId,
      genesisHash: decodeBase64(TESTNET.genesisHash) ?? new Uint8Array(),
      lastRound: 110n,
      consensusVersion: 'v42',
    };
  },
};

function network(): FacilitatorNetwork {
  return { genesisHash: TESTNET.genesisHash, algod, lastRound: () => knownRound, sponsor: sponsorship };
}

function createVerifier(served: FacilitatorNetwork | undefined = network()): PaymentVerifier {
  const networkOf = (id: string) => (canonicalNetwork(id) === requirements.network ? served : undefined);
  return new PaymentVerifier({ networkOf, now: () => clock });
}

async function reasonFor(payload: PaymentPayload, required: PaymentRequirements = requirements): Promise<string> {
  const verifier = createVerifier();
  try {
    await verifier.verify(verifier.check(payload, required));
    return 'accepted';
  } catch (error) {
    if (isX402Error(error)) return error.code;
    throw error;
  }
}

describe('verifying', () => {
  it('simulates a sponsored group once, with the fee payer unsigned', async () => {
    expect(await reasonFor(sponsoredPayment())).toBe('accepted');
    expect(simulations).toHaveLength(1);
    const [request] = simulations;
    expect(request?.allowEmptySignatures).toBe(true);
    const [fee, axfer] = (request?.transactions ?? []).map(decodeSignedTransaction);
    expect(fee).toEqual({ txn: expect.objectContaining({ type: 'pay', sender: sponsor.address }) });
    expect(axfer?.signature).toBeDefined();
  });

  it('asks for the fees of a payment only when it sponsors them, and not for every payment', async () => {
    const verifier = createVerifier();
    await verifier.verify(verifier.check(lonePayment(), unsponsored));
    expect(paramsCalls).toBe(0);
    await verifier.verify(verifier.check(sponsoredPayment(), requirements));
    await verifier.verify(verifier.check(sponsoredPayment({ transfer: { note: new Uint8Array([1]) } }), requirements));
    expect(paramsCalls).toBe(1);
  });

  it.each([
    ['a broken signature', { transfer: {} }, stranger],
    ['another network', { transfer: { genesisHash: new Uint8Array(32).fill(1) } }, payer],
    ['another amount', { transfer: { amount: 1n } }, payer],
  ] as const)('asks no node about %s', async (_, changes, signer) => {
    const forged = signer === payer ? sponsoredPayment(changes) : signedBy(signer);
    expect(await reasonFor(forged)).toMatch(/^invalid_exact_avm_/);
    expect(simulations).toHaveLength(0);
    expect(paramsCalls).toBe(0);
  });

  it('takes nothing for granted about its input', () => {
    const verifier = createVerifier();
    const refuses = (payload: unknown, required: unknown): unknown => {
      try {
        return verifier.check(payload, required);
      } catch (error) {
        return isX402Error(error) ? error.code : error;
      }
    };
    expect(refuses(sponsoredPayment(), null)).toBe('invalid_payment_requirements');
    expect(refuses(null, requirements)).toBe('invalid_payment_payload');
    expect(refuses(sponsoredPayment(), { ...requirements, network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' })).toBe(
      'unsupported_network',
    );
  });

  it('shares one simulation between identical requests under way, and repeats it for later ones', async () => {
    const verifier = createVerifier();
    const checked = () => verifier.check(sponsoredPayment(), requirements);
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(checked())));
    expect(simulations).toHaveLength(1);
    await verifier.verify(checked());
    expect(simulations).toHaveLength(2);
  });

  it('does not share a verdict between different bytes of one payment', async () => {
    const verifier = createVerifier();
    const copy = signedBy(stranger, stranger.address);
    await Promise.all([
      verifier.verify(verifier.check(sponsoredPayment(), requirements)),
      verifier.verify(verifier.check(copy, requirements)),
    ]);
    expect(simulations).toHaveLength(2);
  });
});

describe('the window', () => {
  it.each([
    [197n, 'accepted'],
    [198n, 'invalid_exact_avm_window_too_short'],
    [199n, 'invalid_exact_avm_window_too_short'],
    [200n, 'invalid_exact_avm_expired'],
    [99n, 'accepted'],
    [98n, 'invalid_exact_avm_not_yet_valid'],
  ])('of rounds 100 to 200 is, after round %d, %s', async (lastRound, reason) => {
    result = { lastRound, wouldSucceed: true };
    expect(await reasonFor(sponsoredPayment())).toBe(reason);
  });

  it('is judged by the latest round that any node has shown', async () => {
    knownRound = 200n;
    expect(await reasonFor(sponsoredPayment())).toBe('invalid_exact_avm_expired');
  });
});

describe('sponsorship', () => {
  it.each([
    ['a seller who is not listed', { payTo: new Set<string>() }, {}, 'invalid_exact_avm_not_sponsored'],
    ['an asset that is not listed', { assets: new Set(['1']) }, {}, 'invalid_exact_avm_not_sponsored'],
    ['too small an amount', { minAmount: 10_001n }, {}, 'invalid_exact_avm_not_sponsored'],
    ['exactly the least amount', { minAmount: 10_000n }, {}, 'accepted'],
    ['anyone, if the policy says so', { payTo: new Set<string>(), anyone: true }, {}, 'accepted'],
    ['a fee above the cap', { maxFee: 1_999n }, {}, 'invalid_exact_avm_fee_too_high'],
    ['exactly the highest fee', { maxFee: 2_000n }, {}, 'accepted'],
    ['the last of a budget', { budgetLeft: async () => 2_000n }, {}, 'accepted'],
    ['a fee a fifth above what the network asks', {}, { fee: 2_400n }, 'accepted'],
    ['a fee more than a fifth above it', {}, { fee: 2_401n }, 'invalid_exact_avm_fee_too_high'],
  ] as const)('of %s', async (_, policy, feePayer, reason) => {
    sponsorship = { ...sponsorship, ...policy };
    expect(await reasonFor(sponsoredPayment({ feePayer }))).toBe(reason);
  });

  it('of anyone ends with the budget', async () => {
    sponsorship = { ...sponsorship, payTo: new Set(), anyone: true, budgetLeft: async () => 1_999n };
    expect(await reasonFor(sponsoredPayment())).toBe('invalid_exact_avm_sponsor_budget');
    expect(simulations).toHaveLength(0);
  });

  it("counts the payment's own fee, too", async () => {
    expect(await reasonFor(sponsoredPayment({ transfer: { fee: 401n } }))).toBe('invalid_exact_avm_fee_too_high');
  });

  it('follows the fees of a congested network', async () => {
    fees = { fee: 10n, minFee: 1000n };
    expect(await reasonFor(sponsoredPayment({ feePayer: { fee: 6_000n } }))).toBe('accepted');
  });

  it('is for others than the sponsor', async () => {
    sponsorship = { ...sponsorship, anyone: true };
    const toUs = { ...requirements, payTo: sponsor.address };
    const payload = { ...sponsoredPayment({ transfer: { receiver: sponsor.address } }), accepted: toUs };
    expect(await reasonFor(payload, toUs)).toBe('invalid_exact_avm_not_sponsored');
    const byUs = payloadOf(
      [sponsor.signTransaction({ ...transfer, sender: sponsor.address, fee: 1000n })],
      unsponsored,
    );
    expect(await reasonFor(byUs, unsponsored)).toBe('invalid_exact_avm_facilitator_transferring');
    const sponsored = sponsoredPayment({ transfer: { sender: sponsor.address } }, sponsor);
    expect(await reasonFor(sponsored)).toBe('invalid_exact_avm_facilitator_transferring');
  });

  it('is by our own accounts only', async () => {
    const offered = { ...requirements, extra: { feePayer: stranger.address } };
    const changes = { feePayer: { sender: stranger.address, receiver: stranger.address } };
    const payload = { ...sponsoredPayment(changes), accepted: offered };
    expect(await reasonFor(payload, offered)).toBe('invalid_exact_avm_unsigned_non_facilitator');
  });
});

describe('what the chain refuses', () => {
  const account = payer.address;
  const transaction = 'transaction ABCDEF: ';
  it.each([
    [`${transaction}transaction already in ledger: ABCDEF`, 'payment_already_on_chain'],
    [`${transaction}underflow on subtracting 10000 from sender amount 5`, 'invalid_exact_avm_insufficient_balance'],
    [
      `${transaction}overspend (account ${account}, data {AccountBaseData:{Status:Offline}}, tried to spend {1000})`,
      'invalid_exact_avm_insufficient_balance',
    ],
    [
      `${transaction}account ${account} balance 199000 below min 200000 (1 assets)`,
      'invalid_exact_avm_insufficient_balance',
    ],
    [
      `${transaction}overspend (account ${sponsor.address}, data {AccountBaseData:{}}, tried to spend {2000})`,
      'sponsor_unfunded',
    ],
    [`${transaction}account ${sponsor.address} balance 1 below min 100000 (0 assets)`, 'sponsor_unfunded'],
    [`${transaction}asset 10458941 missing from ${account}`, 'invalid_exact_avm_payer_not_opted_in'],
    [
      `${transaction}receiver error: must optin, asset 10458941 missing from ${merchant.address}`,
      'invalid_exact_avm_receiver_not_opted_in',
    ],
    [`${transaction}asset 10458941 frozen in ${account}`, 'invalid_exact_avm_asset_frozen'],
    [`${transaction}asset frozen in recipient`, 'invalid_exact_avm_asset_frozen'],
    [
      `${transaction}transaction ABCDEF: should have been authorized by ${stranger.address} but was actually authorized by ${account}`,
      'invalid_exact_avm_signer_mismatch',
    ],
    ['txgroup with 1mA fees is less than 2mA (usage=2.000000 * base=1mA)', 'invalid_exact_avm_fee_too_low'],
    [`${transaction}txn dead: round 201 outside of 100--200`, 'invalid_exact_avm_expired'],
    [`${transaction}txn dead: round 99 outside of 100--200`, 'invalid_exact_avm_not_yet_valid'],
    [`${transaction}asset 10458941 does not exist or has been deleted`, 'invalid_exact_avm_simulation_failed'],
  ])('with "%s" is %s', async (failureMessage, code) => {
    result = { lastRound: 110n, wouldSucceed: false, failureMessage, failedAt: [1] };
    expect(await reasonFor(sponsoredPayment())).toBe(code);
  });

  it('is a refusal, too, when algod answers 400', async () => {
    const reason = "At least one signature didn't pass verification";
    whileSimulating = () => Promise.reject(new AlgorandError('algod_refused', 'refused', { status: 400, reason }));
    expect(await reasonFor(sponsoredPayment())).toBe('invalid_exact_avm_invalid_signature');
  });

  it.each(['algod_unreachable', 'algod_timeout', 'algod_bad_answer'] as const)(
    'is not known when the node answers with %s',
    async (code) => {
      whileSimulating = () => Promise.reject(new AlgorandError(code, 'no answer'));
      expect(await reasonFor(sponsoredPayment())).toBe('algod_unreachable');
    },
  );
});

describe('verifying to settle', () => {
  it('relies on a simulation of the same bytes for the same requirements, for half a minute', async () => {
    const verifier = createVerifier();
    const checked = verifier.check(sponsoredPayment(), requirements);
    await verifier.verify(checked);
    await verifier.verifyToSettle(checked);
    clock += 29_999;
    await verifier.verifyToSettle(checked);
    expect(simulations).toHaveLength(1);
    clock += 2;
    await verifier.verifyToSettle(checked);
    expect(simulations).toHaveLength(2);
  });

  it('does not rely on a simulation for other requirements or other bytes', async () => {
    const verifier = createVerifier();
    await verifier.verify(verifier.check(lonePayment(), unsponsored));
    await verifier.verifyToSettle(verifier.check({ ...lonePayment(), accepted: requirements }, requirements));
    expect(simulations).toHaveLength(2);
    const [fee, axfer] = grouped(feePayment, transfer);
    await verifier.verify(verifier.check(sponsoredPayment(), requirements));
    const otherBytes = payloadOf([encodeSignedTransaction({ txn: fee }), payer.signTransaction(axfer)]);
    await verifier.verifyToSettle(verifier.check(otherBytes, requirements));
    expect(simulations).toHaveLength(4);
  });

  it('does not keep a refusal', async () => {
    const verifier = createVerifier();
    const checked = verifier.check(sponsoredPayment(), requirements);
    result = { lastRound: 110n, wouldSucceed: false, failureMessage: 'underflow on subtracting 1 from' };
    await expect(verifier.verify(checked)).rejects.toMatchObject({ code: 'invalid_exact_avm_insufficient_balance' });
    result = { lastRound: 110n, wouldSucceed: true };
    await verifier.verifyToSettle(checked);
    expect(simulations).toHaveLength(2);
  });

  it('accepts a payment in its last round', async () => {
    const verifier = createVerifier();
    result = { lastRound: 199n, wouldSucceed: true };
    const verified = await verifier.verifyToSettle(verifier.check(sponsoredPayment(), requirements));
    expect(verified.group).toMatchObject({ round: 199n, parties: { terms: 'listed' } });
  });

  it('still applies the policy', async () => {
    const verifier = createVerifier();
    const checked = verifier.check(sponsoredPayment(), requirements);
    await verifier.verify(checked);
    const other = createVerifier({ ...network(), sponsor: { ...sponsorship, payTo: new Set() } });
    const again = other.check(sponsoredPayment(), requirements);
    await expect(other.verifyToSettle(again)).rejects.toMatchObject({ code: 'invalid_exact_avm_not_sponsored' });
  });

  it('makes the group that is submitted: the fee payer signed, the payment as it came', async () => {
    const verifier = createVerifier();
    const payload = sponsoredPayment();
    const verified = await verifier.verifyToSettle(verifier.check(payload, requirements));
    const [fee, axfer] = signSponsored(verified.group);
    expect(decodeSignedTransaction(fee ?? new Uint8Array()).signature).toHaveLength(64);
    expect(Buffer.from(axfer ?? []).toString('base64')).toBe((payload.payload['paymentGroup'] as string[])[1]);
  });
});

describe('the scheme', () => {
  const scheme = (served: FacilitatorNetwork | undefined = network()) =>
    new ExactAvmFacilitator({
      networkOf: () => served,
      now: () => clock,
      settle: async (_, { network: spelled }) => ({ success: true, transaction: 'T', network: spelled }),
    });

  it('advertises one fee payer of all that sign, and none where nobody is sponsored', () => {
    expect(scheme().getExtra(requirements.network)).toEqual({ feePayer: sponsor.address });
    expect(scheme().getSigners(requirements.network)).toEqual([sponsor.address]);
    const { sponsor: _, ...plain } = network();
    expect(scheme(plain).getExtra(requirements.network)).toBeUndefined();
    expect(scheme(plain).getSigners(requirements.network)).toEqual([]);
  });

  it('answers verify with a verdict, never with an exception of the payment', async () => {
    expect(await scheme().verify(sponsoredPayment(), requirements)).toEqual({ isValid: true, payer: payer.address });
    expect(await scheme().verify(sponsoredPayment({ transfer: { amount: 1n } }), requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_amount_mismatch',
    });
  });

  it('throws trouble of its own', async () => {
    whileSimulating = () => Promise.reject(new AlgorandError('algod_unreachable', 'no answer'));
    await expect(scheme().verify(sponsoredPayment(), requirements)).rejects.toMatchObject({
      code: 'algod_unreachable',
    });
  });

  it('settles only through its settler', async () => {
    expect(await scheme().settle(sponsoredPayment(), requirements)).toMatchObject({ transaction: 'T' });
  });
});

/** The right sponsored payment, signed by somebody else's key, who may name himself as authorizer. */
function signedBy(signer: typeof payer, authAddress?: string): PaymentPayload {
  const [fee, axfer] = grouped(feePayment, transfer);
  const signature = signer.sign(transactionSigningBytes(axfer));
  const named = authAddress === undefined ? {} : { authAddress };
  return payloadOf([encodeTransaction(fee), encodeSignedTransaction({ txn: axfer, signature, ...named })]);
}
