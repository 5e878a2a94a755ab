import { accountFromSeed } from '@avm402/algorand/account';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DevnodeHarness, payloadOf, sponsoredMembers, USDC } from './devnode-harness.ts';
import { KEY } from './harness.ts';

let h: DevnodeHarness;

beforeAll(async () => {
  h = await DevnodeHarness.start();
});

afterAll(async () => {
  await h.stop();
});

const settle = (payload: Awaited<ReturnType<typeof h.pay>>, requirements = h.requirements(), key = KEY) =>
  h.facilitator.settle(payload, requirements, { idempotencyKey: key });

function holdings() {
  const of = (name: string) => {
    const { address } = h.account(name);
    return { usdc: h.usdc(address), microAlgos: h.devnode.balance(address).microAlgos };
  };
  return { payer: of('payer'), merchant: of('merchant'), facilitator: of('facilitator') };
}

describe('on an embedded node', () => {
  it('verifies and settles a sponsored payment; payer, seller and sponsor have what they should', async () => {
    const payer = h.account('payer').address;
    const before = holdings();
    const payload = await h.pay();
    expect(await h.facilitator.verify(payload, h.requirements())).toEqual({ isValid: true, payer });
    expect(holdings()).toEqual(before);
    const settled = await settle(payload);
    expect(settled).toMatchObject({ success: true, payer, network: h.network });
    expect(await settle(payload)).toEqual(settled);
    expect(holdings()).toEqual({
      payer: { usdc: before.payer.usdc - 10_000n, microAlgos: before.payer.microAlgos },
      merchant: { usdc: before.merchant.usdc + 10_000n, microAlgos: before.merchant.microAlgos },
      facilitator: { usdc: before.facilitator.usdc, microAlgos: before.facilitator.microAlgos - 2_000n },
    });
    const pending = await h.algod.pendingTransaction(settled.transaction);
    expect(pending?.confirmedRound).toBeDefined();
    expect(await h.facilitator.settlement(settled.transaction)).toMatchObject({ state: 'confirmed', final: true });
  });

  it('settles a payment that carries its own fee', async () => {
    const requirements = h.requirements({ extra: {} });
    const payload = await h.pay(requirements);
    expect(payload.payload['paymentGroup']).toHaveLength(1);
    expect(await settle(payload, requirements)).toMatchObject({ success: true });
  });

  it('settles fifty payments of one payer at once', async () => {
    const payer = h.account('payer').address;
    const before = h.usdc(payer);
    const payloads = await Promise.all(Array.from({ length: 50 }, () => h.pay()));
    const settled = await Promise.all(
      payloads.map((payload, index) => settle(payload, h.requirements(), `${KEY}${index}`)),
    );
    expect(settled.filter(({ success }) => success)).toHaveLength(50);
    expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(50);
    expect(h.usdc(payer)).toBe(before - 500_000n);
  });

  it('settles the payment of a rekeyed account, and refuses the key it had before', async () => {
    const seed = new Uint8Array(32).fill(201);
    const old = accountFromSeed(seed);
    const key = accountFromSeed(new Uint8Array(32).fill(202), { address: old.address });
    await h.devnode.fund(old.address, 1_000_000n);
    await h.devnode.deal(old.address, USDC, 1_000_000n);
    const header = await h.header();
    const rekeyTo = key.signerAddress;
    await h.send(old, { ...header, type: 'pay', sender: old.address, receiver: old.address, amount: 0n, rekeyTo });
    expect(await settle(await h.pay(h.requirements(), key))).toMatchObject({ success: true, payer: old.address });
    expect(await h.facilitator.verify(await h.pay(h.requirements(), old), h.requirements())).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_signer_mismatch',
    });
  });
});

describe('what the chain would refuse has its own code', () => {
  const stranger = accountFromSeed(new Uint8Array(32).fill(203));

  it.each(['payer', 'receiver'] as const)('when the %s has not opted in', async (who) => {
    await h.devnode.fund(stranger.address, 1_000_000n);
    const requirements = who === 'payer' ? h.requirements() : h.requirements({ payTo: stranger.address, extra: {} });
    const payload = await h.pay(requirements, who === 'payer' ? stranger : h.account('payer'));
    expect(await h.facilitator.verify(payload, requirements)).toMatchObject({
      isValid: false,
      invalidReason: `invalid_exact_avm_${who}_not_opted_in`,
    });
  });

  it('when the payer has too little of the asset', async () => {
    const poor = accountFromSeed(new Uint8Array(32).fill(204));
    await h.devnode.fund(poor.address, 1_000_000n);
    await h.devnode.deal(poor.address, USDC, 9_999n);
    expect(await h.facilitator.verify(await h.pay(h.requirements(), poor), h.requirements())).toMatchObject({
      invalidReason: 'invalid_exact_avm_insufficient_balance',
    });
  });

  it('when the payer has too little for the fee', async () => {
    const broke = accountFromSeed(new Uint8Array(32).fill(205));
    await h.devnode.fund(broke.address, 200_000n);
    await h.devnode.deal(broke.address, USDC, 1_000_000n);
    const requirements = h.requirements({ extra: {} });
    expect(await h.facilitator.verify(await h.pay(requirements, broke), requirements)).toMatchObject({
      invalidReason: 'invalid_exact_avm_insufficient_balance',
    });
    expect(await h.facilitator.verify(await h.pay(h.requirements(), broke), h.requirements())).toMatchObject({
      isValid: true,
    });
  });

  it('when the payment is on chain already', async () => {
    const requirements = h.requirements({ extra: {} });
    const payload = await h.pay(requirements);
    const [member] = payload.payload['paymentGroup'] as [string];
    await h.algod.sendRawTransaction(Buffer.from(member, 'base64'));
    expect(await h.facilitator.verify(payload, requirements)).toMatchObject({
      invalidReason: 'payment_already_on_chain',
    });
    expect(await settle(payload, requirements)).toMatchObject({ errorReason: 'payment_already_on_chain' });
  });
});

describe('a drain of the sponsor is refused, and costs nothing', () => {
  const drains = {
    'by a second transaction of ours': async () => {
      const { fee, axfer } = await transactions();
      return sponsoredMembers(h.account('payer'), [fee, { ...fee, note: new Uint8Array([1]) }, axfer]);
    },
    'by fifteen transactions of ours': async () => {
      const { fee, axfer } = await transactions();
      const many = Array.from({ length: 15 }, (_, index) => ({ ...fee, fee: 80_000n, note: new Uint8Array([index]) }));
      return sponsoredMembers(h.account('payer'), [...many, axfer]);
    },
    'by a high fee': async () => withFeePayer({ fee: 10_001n }),
    'by a fee a bit too high': async () => withFeePayer({ fee: 2_401n }),
    'by an amount': async () => withFeePayer({ amount: 1n }),
    'by closing the account': async () => withFeePayer({ closeRemainderTo: h.account('payer').address }),
    'by rekeying the account': async () => withFeePayer({ rekeyTo: h.account('payer').address }),
    'by paying somebody else': async () => withFeePayer({ receiver: h.account('payer').address }),
  };

  async function transactions() {
    const header = await h.header();
    const sponsor = h.account('facilitator').address;
    const fee = { ...header, type: 'pay' as const, sender: sponsor, receiver: sponsor, amount: 0n, fee: 2_000n };
    const axfer = {
      ...header,
      type: 'axfer' as const,
      sender: h.account('payer').address,
      receiver: h.account('merchant').address,
      assetId: USDC,
      amount: 10_000n,
      fee: 0n,
    };
    return { fee, axfer };
  }

  async function withFeePayer(changes: object): Promise<Uint8Array[]> {
    const { fee, axfer } = await transactions();
    return sponsoredMembers(h.account('payer'), [{ ...fee, ...changes }, axfer]);
  }

  it.each(Object.entries(drains))('%s', async (_, members) => {
    const sponsor = h.account('facilitator').address;
    const before = h.devnode.balance(sponsor);
    const payload = payloadOf(h.requirements(), await members());
    const verdict = await h.facilitator.verify(payload, h.requirements());
    expect(verdict.isValid).toBe(false);
    expect(verdict.invalidReason).toMatch(/^invalid_exact_avm_(group_shape|fee_too_high|invalid_fee_payer)$/);
    expect(await settle(payload)).toMatchObject({
      success: false,
      errorReason: verdict.invalidReason,
      transaction: '',
    });
    expect(h.devnode.balance(sponsor)).toEqual(before);
  });

  it('by a seller who is not on the list', async () => {
    const requirements = h.requirements({ payTo: h.account('payer2').address });
    const before = h.devnode.balance(h.account('facilitator').address);
    const payload = await h.pay(requirements);
    expect(await settle(payload, requirements)).toMatchObject({ errorReason: 'invalid_exact_avm_not_sponsored' });
    expect(h.devnode.balance(h.account('facilitator').address)).toEqual(before);
  });
});
