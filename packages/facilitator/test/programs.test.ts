import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { multisigAddress } from '@avm402/algorand/multisig';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import {
  ANY_RECEIVER,
  endMandateGroup,
  type MandateConfig,
  mandateAddress,
  mandateProgram,
  mandateWallet,
  openMandateGroup,
  receiverTree,
  signByMandate,
  slotLease,
} from '@avm402/avm/mandate';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme as StockFacilitator } from '@x402/avm/exact/facilitator';
import type { PaymentPayload } from '@x402/core/types';
import { createFacilitator, createMemorySettlementStore } from '../src/index.ts';
import { falconWallet } from './falcon-wallet.ts';
import { startDevnode } from '@avm402/devnode';
import { createAlgodClient } from '@avm402/algorand/algod';
import { algorandNetwork } from '@avm402/core/network';
import { DevnodeHarness, payloadOf, USDC } from './devnode-harness.ts';

let h: DevnodeHarness;
beforeAll(async () => {
  h = await DevnodeHarness.start();
});
afterAll(() => h.stop());

const agent = accountFromSeed(new Uint8Array(32).fill(42));
let salts = 0;
/** What the fee payer's signature adds to its transaction. */
const SIGNATURE_BYTES = 70;

/** A mandate with money in it. */
async function mandate(receivers: Uint8Array = ANY_RECEIVER): Promise<MandateConfig> {
  const owner = h.account('payer');
  const { genesisHash, lastRound } = await h.algod.params();
  const config: MandateConfig = {
    owner: owner.address,
    agent: agent.address,
    asset: USDC,
    cap: 50_000n,
    slots: 3n,
    expiry: lastRound + 10_000n,
    receivers,
    genesisHash,
    salt: new Uint8Array(16).fill((salts += 1)),
  };
  const { fee, firstValid, lastValid, genesisId } = await h.header();
  const group = openMandateGroup(config, { amount: 1_000_000n }, { fee, firstValid, lastValid, genesisId });
  const sign = (txn: (typeof group)[number]) =>
    txn.sender === owner.address ? owner.signTransaction(txn) : signByMandate(config, txn);
  await h.algod.sendRawTransaction(Buffer.concat(group.map(sign)));
  return config;
}

/** The owner's one transaction, with what it lets the program do. */
async function end(config: MandateConfig): Promise<undefined> {
  const owner = h.account('payer');
  const { fee, firstValid, lastValid, genesisId } = await h.header();
  const group = endMandateGroup(config, { fee, firstValid, lastValid, genesisId });
  const sign = (txn: (typeof group)[number]) =>
    txn.sender === owner.address ? owner.signTransaction(txn) : signByMandate(config, txn);
  await h.algod.sendRawTransaction(Buffer.concat(group.map(sign)));
}

/** A payment by the mandate's agent in this slot. */
async function payBy(config: MandateConfig, slot: bigint, by: Account = agent): Promise<PaymentPayload> {
  const requirements = h.requirements();
  const account = mandateWallet({ mandate: config, agent: by, takeSlot: () => slot });
  const client = new ExactAvmClient({ account, algod: () => h.algod });
  return { ...(await client.createPaymentPayload(2, requirements)), accepted: requirements };
}

/** The same transactions, with another argument for the program. */
function forged(payload: PaymentPayload, config: MandateConfig): PaymentPayload {
  const [fee = '', payment = ''] = payload.payload['paymentGroup'] as string[];
  const { txn } = decodeSignedTransaction(decodeBase64(payment) ?? new Uint8Array());
  const logicSignature = encodeMsgpack({ arg: [new Uint8Array(64).fill(1)], l: mandateProgram(config) });
  const paymentGroup = [fee, encodeBase64(encodeSignedTransaction({ txn, logicSignature }))];
  return { ...payload, payload: { paymentGroup, paymentIndex: 1 } };
}

describe('a payment by mandate', () => {
  it('is verified, settled and sponsored like any payment', async () => {
    const config = await mandate();
    const payload = await payBy(config, 1n);
    const payer = mandateAddress(config);
    expect(await h.facilitator.verify(payload, h.requirements())).toMatchObject({ isValid: true, payer });
    expect(await h.facilitator.settle(payload, h.requirements())).toMatchObject({ success: true, payer });
    expect(h.usdc(payer)).toBe(990_000n);
  });

  it('whose slot another one holds that is under way is refused before a node is asked', async () => {
    const config = await mandate();
    const store = createMemorySettlementStore();
    const facilitator = createFacilitator({ networks: [{ algods: [h.algod] }], store });
    const requirements = h.requirements();
    const under = await payBy(config, 1n);
    const { lastRound } = await h.algod.params();
    const txId = 'UNDERWAY';
    const fields = { firstValid: lastRound, lastValid: lastRound + 500n, round: lastRound, group: new Uint8Array(1) };
    await store.record(
      {
        txId,
        network: h.network,
        payer: mandateAddress(config),
        signer: 'AGENT',
        lease: Buffer.from(slotLease(1n)).toString('hex'),
        payTo: requirements.payTo,
        asset: requirements.asset,
        amount: 10_000n,
        sponsoredFee: 0n,
        advance: false,
        requirementsDigest: '',
        ...fields,
      },
      { owner: 'another replica', leaseMs: 60_000 },
    );
    expect(await facilitator.verify(under, requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_lease_held',
      invalidMessage: expect.stringContaining('under way'),
    });
    await facilitator.close();
  });

  it('settles once of several in one slot, though all were verified', async () => {
    const config = await mandate();
    const payments = [await payBy(config, 2n), await payBy(config, 2n), await payBy(config, 2n)];
    const requirements = h.requirements();
    const verdicts = await Promise.all(payments.map((one) => h.facilitator.verify(one, requirements)));
    expect(verdicts.map(({ isValid }) => isValid)).toEqual([true, true, true]);
    const outcomes = await Promise.all(payments.map((one) => h.facilitator.settle(one, requirements)));
    expect(outcomes.filter(({ success }) => success)).toHaveLength(1);
    const reasons = outcomes.flatMap(({ errorReason }) => errorReason ?? []);
    expect(reasons).toEqual(['invalid_exact_avm_lease_held', 'invalid_exact_avm_lease_held']);
    expect(h.usdc(mandateAddress(config))).toBe(990_000n);
  });

  it('can be copied with another argument: the copy is refused, and collects nothing of what was settled', async () => {
    const config = await mandate();
    const genuine = await payBy(config, 1n);
    const copy = forged(genuine, config);
    const requirements = h.requirements();
    expect(await h.facilitator.settle(copy, requirements)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_simulation_failed',
    });
    expect(await h.facilitator.settle(genuine, requirements, { respondAsync: true })).toMatchObject({
      payer: expect.any(String),
    });
    expect(await h.facilitator.settle(copy, requirements)).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_signer_mismatch',
    });
  });

  it('settles or is refused while the owner ends the mandate, and no unit is lost', async () => {
    const config = await mandate();
    const [requirements, owner, funds] = [h.requirements(), config.owner, 1_000_000n];
    const payments = [await payBy(config, 1n), await payBy(config, 2n), await payBy(config, 3n)] as const;
    const before = [h.usdc(owner), h.usdc(requirements.payTo)] as const;
    const settle = (one: (typeof payments)[number]) => h.facilitator.settle(one, requirements);
    const [first, ...rest] = payments;
    const burst = [settle(first), end(config), ...rest.map(settle)];
    const outcomes = (await Promise.all(burst)).filter((one) => one !== undefined);
    const paid = 10_000n * BigInt(outcomes.filter(({ success }) => success).length);
    expect([h.usdc(owner) - before[0], h.usdc(requirements.payTo) - before[1]]).toEqual([funds - paid, paid]);
    for (const one of await Promise.all(payments.map((again) => h.facilitator.settle(again, requirements)))) {
      expect(one.success).toBe(false);
    }
    expect(h.usdc(mandateAddress(config))).toBe(0n);
  });

  it('is refused by the chain when somebody else than the agent signs', async () => {
    const config = await mandate();
    const payload = await payBy(config, 1n, h.account('payer2'));
    expect(await h.facilitator.verify(payload, h.requirements())).toMatchObject({
      invalidReason: 'invalid_exact_avm_simulation_failed',
      invalidMessage: expect.stringContaining('rejected by logic'),
    });
  });

  it('carries the fee of its whole size where the network asks by the byte', async () => {
    const receivers = receiverTree([h.requirements().payTo, h.account('payer2').address, h.account('payer').address]);
    const algod = { ...h.algod, params: async () => ({ ...(await h.algod.params()), fee: 4n }) };
    const account = h.account('facilitator');
    const facilitator = createFacilitator({ networks: [{ algods: [algod] }], sponsorship: { account, anyone: true } });
    for (const tree of [undefined, receivers]) {
      const config = await mandate(tree?.root);
      const options = { mandate: config, agent, takeSlot: () => 1n, ...(tree && { receivers: tree }) };
      const client = new ExactAvmClient({ account: mandateWallet(options), algod: () => algod });
      const payload = { ...(await client.createPaymentPayload(2, h.requirements())), accepted: h.requirements() };
      const members = (payload.payload['paymentGroup'] as string[]).map((one) => decodeBase64(one) ?? new Uint8Array());
      const bytes = members.reduce((total, { length }) => total + length, SIGNATURE_BYTES);
      const [first = new Uint8Array()] = members;
      expect(decodeTransaction(first).fee).toBeGreaterThanOrEqual(4n * BigInt(bytes));
      expect(await facilitator.settle(payload, h.requirements())).toMatchObject({ success: true });
    }
    await facilitator.close();
  });

  it('is refused where only keys pay', async () => {
    const config = await mandate();
    const facilitator = createFacilitator({ networks: [{ algods: [h.algod] }], logicSignatures: false });
    expect(await facilitator.verify(await payBy(config, 1n), h.requirements())).toMatchObject({
      invalidReason: 'invalid_exact_avm_logic_signature',
    });
    await facilitator.close();
  });
});

describe('other authorizations that the chain judges', () => {
  const approve = Uint8Array.of(10, 0x81, 1);
  const program = Uint8Array.from([...new TextEncoder().encode('Program'), ...approve]);

  async function lone(payer: string, authorization: object): Promise<PaymentPayload> {
    const header = { ...(await h.header()), sender: payer, note: crypto.getRandomValues(new Uint8Array(16)) };
    const requirements = h.requirements({ extra: {} });
    const transfer = {
      ...header,
      type: 'axfer',
      receiver: requirements.payTo,
      assetId: USDC,
      amount: 10_000n,
    } as const;
    return payloadOf(requirements, [encodeSignedTransaction({ txn: transfer, ...authorization })]);
  }

  it('a program that the payer’s key has signed pays from its account', async () => {
    const payer = h.account('payer');
    const logicSignature = encodeMsgpack({ l: approve, sig: payer.sign(program) });
    const payload = await lone(payer.address, { logicSignature });
    expect(await h.facilitator.settle(payload, payload.accepted)).toMatchObject({
      success: true,
      payer: payer.address,
    });
  });

  it('a program that a multisig has signed pays from its account, with enough signatures only', async () => {
    const keys = [231, 232].map((seed) => accountFromSeed(new Uint8Array(32).fill(seed)));
    const parameters = { version: 1, threshold: 2, publicKeys: keys.map(({ publicKey }) => publicKey) };
    const payer = multisigAddress(parameters);
    await h.devnode.fund(payer, 1_000_000n);
    await h.devnode.deal(payer, USDC, 1_000_000n);
    const message = Uint8Array.from([...Buffer.from('MsigProgram'), ...parseAddress(payer), ...approve]);
    const signedBy = (signers: number) => {
      const subsig = keys.map((key, index) => ({
        pk: key.publicKey,
        ...(index < signers && { s: key.sign(message) }),
      }));
      return { logicSignature: encodeMsgpack({ l: approve, lmsig: { subsig, thr: 2, v: 1 } }) };
    };
    const tooFew = await lone(payer, signedBy(1));
    expect(await h.facilitator.verify(tooFew, tooFew.accepted)).toMatchObject({ isValid: false });
    const enough = await lone(payer, signedBy(2));
    expect(await h.facilitator.settle(enough, enough.accepted)).toMatchObject({ success: true, payer });
  });

  it.each([true, false])(
    'a Falcon key pays from its account like any other, whether its fee is sponsored (%s) or its own',
    async (isSponsored) => {
      const wallet = falconWallet(isSponsored ? 3 : 2);
      await h.devnode.fund(wallet.address, 1_000_000n);
      await h.devnode.deal(wallet.address, USDC, 1_000_000n);
      const requirements = h.requirements(isSponsored ? {} : { extra: {} });
      const client = new ExactAvmClient({ account: wallet, algod: () => h.algod });
      const payload = { ...(await client.createPaymentPayload(2, requirements)), accepted: requirements };
      const payer = wallet.address;
      expect(await h.facilitator.verify(payload, requirements)).toMatchObject({ isValid: true, payer });
      expect(await h.facilitator.settle(payload, requirements)).toMatchObject({ success: true, payer });
      const { microAlgos, assets } = h.devnode.balance(payer);
      expect([microAlgos, assets.get(USDC)]).toEqual([isSponsored ? 1_000_000n : 997_000n, 990_000n]);
    },
  );

  it('a payment of a Falcon key is one without a signature to the stock facilitator: it knows no such key', async () => {
    const testnet = await startDevnode({ port: 0, network: 'testnet' });
    onTestFinished(() => testnet.stop());
    const { url, token, accounts } = testnet;
    const algod = createAlgodClient({ url, token });
    const wallet = falconWallet(3);
    await testnet.fund(wallet.address, 1_000_000n);
    await testnet.deal(wallet.address, USDC, 1_000_000n);
    const access = { testnetUrl: url, algodToken: token };
    const stock = new StockFacilitator(toFacilitatorAvmSigner(accounts.facilitator.privateKey, access));
    const extra = { feePayer: accounts.facilitator.address };
    const requirements = h.requirements({ network: algorandNetwork(testnet.genesisHash), extra });
    const client = new ExactAvmClient({ account: wallet, algod: () => algod });
    const payload = { ...(await client.createPaymentPayload(2, requirements)), accepted: requirements };
    expect(await stock.verify(payload, requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_payment_not_signed',
    });
  });

  it('a Falcon signature that is none is refused by the chain', async () => {
    const pqSignature = encodeMsgpack({
      pk: new Uint8Array(1793).fill(10),
      sch: Uint8Array.from(Buffer.from('f1')),
      sig: new Uint8Array(1200).fill(0xba),
    });
    const { address } = falconWallet(2);
    await h.devnode.fund(address, 1_000_000n);
    await h.devnode.deal(address, USDC, 1_000_000n);
    const payload = await lone(address, { pqSignature });
    expect(await h.facilitator.verify(payload, payload.accepted)).toMatchObject({ isValid: false });
  });
});
