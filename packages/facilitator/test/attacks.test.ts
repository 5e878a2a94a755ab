// One test for each known class of attack on verify and settle, against a real ledger. Classes that concern servers,
// clients or discovery only are tested there.
import { accountFromSeed } from '@avm402/algorand/account';
import { formatAddress } from '@avm402/algorand/address';
import { createAlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { sha512_256 } from '@avm402/algorand/hash';
import { decodeMsgpack, encodeMsgpack } from '@avm402/algorand/msgpack';
import { multisigAddress, signMultisig } from '@avm402/algorand/multisig';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFacilitator, type Facilitator, createMemorySettlementStore } from '../src/index.ts';
import { type AlgodProxy, startAlgodProxy } from './algod-proxy.ts';
import { DevnodeHarness, payloadOf, sponsoredMembers, USDC } from './devnode-harness.ts';

let h: DevnodeHarness;
let proxies: AlgodProxy[];
const others: Facilitator[] = [];

beforeAll(async () => {
  h = await DevnodeHarness.start();
  proxies = await Promise.all([1, 2].map(() => startAlgodProxy(h.devnode.url)));
});

afterEach(async () => {
  await Promise.all(others.splice(0).map((facilitator) => facilitator.close()));
  for (const proxy of proxies) {
    proxy.fate = () => 'pass';
    proxy.requests.length = 0;
  }
});

afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await h.stop();
});

/** A facilitator that reaches the node through the proxies. */
async function behindProxies(count = 1): Promise<Facilitator> {
  const algods = proxies.slice(0, count).map(({ url }) => createAlgodClient({ url, token: h.devnode.token }));
  const facilitator = createFacilitator({
    networks: [{ algods }],
    sponsorship: { account: h.account('facilitator'), payTo: [h.account('merchant').address], anyone: false },
    store: createMemorySettlementStore(),
    settleTimeoutMs: 5_000,
  });
  others.push(facilitator);
  await facilitator.start();
  return facilitator;
}

const merchantHas = (): bigint => h.usdc(h.account('merchant').address);
const sponsorHas = (): bigint => h.devnode.balance(h.account('facilitator').address).microAlgos;
const newKey = (): string => crypto.randomUUID();

async function reasonOf(payload: PaymentPayload, requirements = h.requirements()): Promise<string> {
  const { isValid, invalidReason } = await h.facilitator.verify(payload, requirements);
  const settled = await h.facilitator.settle(payload, requirements, { idempotencyKey: newKey() });
  expect([isValid, settled.success]).toEqual([false, false]);
  expect(settled.errorReason).toBe(invalidReason);
  return invalidReason ?? '';
}

async function transferBy(sender: string, changes: object = {}) {
  const header = await h.header();
  const receiver = h.account('merchant').address;
  const note = crypto.getRandomValues(new Uint8Array(16));
  return { ...header, type: 'axfer' as const, sender, receiver, assetId: USDC, amount: 10_000n, note, ...changes };
}

async function feePayment(changes: object = {}) {
  const sponsor = h.account('facilitator').address;
  const header = { ...(await h.header()), fee: 2_000n };
  return { ...header, type: 'pay' as const, sender: sponsor, receiver: sponsor, amount: 0n, ...changes };
}

/** A payment that carries its own fee, with fields changed. */
async function lone(changes: object = {}): Promise<{ payload: PaymentPayload; requirements: PaymentRequirements }> {
  const requirements = h.requirements({ extra: {} });
  const payer = h.account('payer');
  const transfer = await transferBy(payer.address, changes);
  return { payload: payloadOf(requirements, [payer.signTransaction(transfer)]), requirements };
}

describe('class 1, duplicate settlement race', () => {
  it('a hundred settles, through two nodes, are one debit and one success', async () => {
    const facilitator = await behindProxies(2);
    const before = merchantHas();
    const payload = await h.pay();
    const settled = await Promise.all(
      Array.from({ length: 100 }, () => facilitator.settle(payload, h.requirements(), { idempotencyKey: newKey() })),
    );
    expect(settled.filter(({ success }) => success)).toHaveLength(1);
    expect(merchantHas()).toBe(before + 10_000n);
  });
});

describe('class 2, lost response', () => {
  it('the same call again gets the original success', async () => {
    const payload = await h.pay();
    const key = newKey();
    const ask = () => h.facilitator.settle(payload, h.requirements(), { idempotencyKey: key });
    const before = merchantHas();
    const first = await ask();
    expect([first.success, await ask()]).toEqual([true, first]);
    expect(merchantHas()).toBe(before + 10_000n);
  });
});

describe('class 4, replay at another facilitator', () => {
  it('a payment settled elsewhere, rebuilt from its block, is no payment here', async () => {
    const payload = await h.pay();
    const { transaction } = await h.facilitator.settle(payload, h.requirements(), { idempotencyKey: newKey() });
    const pending = await h.algod.pendingTransaction(transaction);
    expect(pending?.confirmedRound).toBeDefined();
    const elsewhere = await behindProxies();
    expect(await elsewhere.verify(payload, h.requirements())).toMatchObject({
      invalidReason: 'payment_already_on_chain',
    });
    expect(await elsewhere.settle(payload, h.requirements())).toMatchObject({
      errorReason: 'payment_already_on_chain',
    });
  });
});

describe('class 5, pre-emption of the settlement', () => {
  it('a payment that a reader of the header submits first is refused; a sponsored one can’t be submitted', async () => {
    const { payload, requirements } = await lone();
    expect(await h.facilitator.verify(payload, requirements)).toMatchObject({ isValid: true });
    const [member] = payload.payload['paymentGroup'] as [string];
    await h.algod.sendRawTransaction(Buffer.from(member, 'base64'));
    expect(await h.facilitator.settle(payload, requirements)).toMatchObject({
      errorReason: 'payment_already_on_chain',
    });
    const sponsored = (await h.pay()).payload['paymentGroup'] as string[];
    const stolen = Buffer.concat(sponsored.map((one) => Buffer.from(one, 'base64')));
    await expect(h.algod.sendRawTransaction(stolen)).rejects.toMatchObject({ code: 'algod_refused' });
  });
});

describe('class 6, invalidation between verify and settle', () => {
  it('a payer that spends its balance is answered with the reason, and until when the payment is alive', async () => {
    const payer = accountFromSeed(crypto.getRandomValues(new Uint8Array(32)));
    await h.devnode.fund(payer.address, 1_000_000n);
    await h.devnode.deal(payer.address, USDC, 10_000n);
    const payload = await h.pay(h.requirements(), payer);
    expect(await h.facilitator.verify(payload, h.requirements())).toMatchObject({ isValid: true });
    const away = await transferBy(payer.address, { receiver: h.account('payer').address, amount: 1n });
    await h.send(payer, away);
    const settled = await h.facilitator.settle(payload, h.requirements(), { idempotencyKey: newKey() });
    expect(settled).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_insufficient_balance',
      extra: { state: 'rejected', lastValid: expect.any(Number) },
    });
  });

  it('two payments under one lease are refused, since only one could settle', async () => {
    const { payload, requirements } = await lone({ lease: new Uint8Array(32).fill(1) });
    expect(await reasonOf(payload, requirements)).toBe('invalid_exact_avm_lease');
  });
});

describe('classes 7 and 8, draining the sponsor and riding on its fee', () => {
  it.each(['fee payers', 'riders'])('groups with more %s are refused', async (what) => {
    const before = sponsorHas();
    const payer = h.account('payer');
    const fee = await feePayment();
    const transfer = await transferBy(payer.address, { fee: 0n });
    const more =
      what === 'riders' ? [await transferBy(payer.address, { fee: 0n })] : [await feePayment({ fee: 80_000n })];
    const payload = payloadOf(h.requirements(), sponsoredMembers(payer, [fee, ...more, transfer]));
    expect(await reasonOf(payload)).toBe('invalid_exact_avm_group_shape');
    expect(sponsorHas()).toBe(before);
  });
});

describe('class 9, abuse of the fee payer’s fields', () => {
  it.each([
    ['rekeyTo', { rekeyTo: '' }],
    ['closeRemainderTo', { closeRemainderTo: '' }],
    ['receiver', { receiver: '' }],
    ['amount', { amount: 5n }],
    ['lease', { lease: new Uint8Array(32).fill(1) }],
    ['note', { note: new Uint8Array(65) }],
    ['lastValid', { lastValid: 900n }],
  ])('%s', async (_, change) => {
    const payer = h.account('payer');
    const filled = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [name, value === '' ? payer.address : value]),
    );
    const members = sponsoredMembers(payer, [await feePayment(filled), await transferBy(payer.address, { fee: 0n })]);
    expect(await reasonOf(payloadOf(h.requirements(), members))).toBe('invalid_exact_avm_invalid_fee_payer');
  });
});

describe('class 10, abuse of the payment’s fields', () => {
  it.each([
    ['clawback', { assetSender: 'merchant' }, 'invalid_exact_avm_asset_sender'],
    ['close out', { assetCloseTo: 'payer2' }, 'invalid_exact_avm_asset_close'],
    ['rekey', { rekeyTo: 'payer2' }, 'invalid_exact_avm_rekey'],
    ['nothing paid', { amount: 0n }, 'invalid_exact_avm_amount_mismatch'],
  ])('%s', async (_, change, reason) => {
    const filled = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [
        name,
        typeof value === 'string' ? h.account(value).address : value,
      ]),
    );
    const { payload, requirements } = await lone(filled);
    expect(await reasonOf(payload, requirements)).toBe(reason);
  });

  it('payment to oneself', async () => {
    const payer = h.account('payer').address;
    const requirements = h.requirements({ payTo: payer, extra: {} });
    const transfer = await transferBy(payer, { receiver: payer });
    const payload = payloadOf(requirements, [h.account('payer').signTransaction(transfer)]);
    expect(await reasonOf(payload, requirements)).toBe('invalid_exact_avm_payer_is_receiver');
  });
});

describe('class 11, forms of authorization', () => {
  it('a multisig pays, with signatures of enough of its keys and of no others', async () => {
    const keys = [221, 222, 223].map((seed) => accountFromSeed(new Uint8Array(32).fill(seed)));
    const parameters = { version: 1, threshold: 2, publicKeys: keys.map(({ publicKey }) => publicKey) };
    const sender = multisigAddress(parameters);
    await h.devnode.fund(sender, 1_000_000n);
    await h.devnode.deal(sender, USDC, 1_000_000n);
    const requirements = h.requirements({ extra: {} });
    const txn = await transferBy(sender);
    const message = transactionSigningBytes(txn);
    const parts = keys.slice(0, 2).map((key) => signMultisig(parameters, message, key));
    const subsignatures = parts[0]?.subsignatures.map((one, index) => parts[index]?.subsignatures[index] ?? one) ?? [];
    const multisig = { version: 1, threshold: 2, subsignatures };
    const one = { ...multisig, subsignatures: parts[0]?.subsignatures ?? [] };
    const tooFew = payloadOf(requirements, [encodeSignedTransaction({ txn, multisig: one })]);
    expect(await reasonOf(tooFew, requirements)).toBe('invalid_exact_avm_invalid_signature');
    const enough = payloadOf(requirements, [encodeSignedTransaction({ txn, multisig })]);
    expect(await h.facilitator.settle(enough, requirements)).toMatchObject({ success: true, payer: sender });
  });

  it('a program pays from the account that it controls, and from no other', async () => {
    const approve = Uint8Array.of(10, 0x81, 1);
    const sender = formatAddress(sha512_256(Uint8Array.from([...new TextEncoder().encode('Program'), ...approve])));
    await h.devnode.fund(sender, 1_000_000n);
    await h.devnode.deal(sender, USDC, 1_000_000n);
    const requirements = h.requirements({ extra: {} });
    const paidFrom = async (payer: string) => {
      const signed = { txn: await transferBy(payer), logicSignature: encodeMsgpack({ l: approve }) };
      return payloadOf(requirements, [encodeSignedTransaction(signed)]);
    };
    const stolen = await paidFrom(h.account('payer').address);
    expect(await reasonOf(stolen, requirements)).toBe('invalid_exact_avm_signer_mismatch');
    expect(await h.facilitator.settle(await paidFrom(sender), requirements)).toMatchObject({
      payer: sender,
      success: true,
    });
  });

  it('a stranger’s key, named as authorizer, is refused by the chain’s own word', async () => {
    const payer = h.account('payer').address;
    const stranger = accountFromSeed(new Uint8Array(32).fill(224), { address: payer });
    const requirements = h.requirements({ extra: {} });
    const payload = payloadOf(requirements, [stranger.signTransaction(await transferBy(payer))]);
    expect(await reasonOf(payload, requirements)).toBe('invalid_exact_avm_signer_mismatch');
  });
});

describe('class 12, malleable encoding', () => {
  it('one payment in several spellings is one settlement', async () => {
    const payload = await h.pay();
    const [fee = '', transfer = ''] = payload.payload['paymentGroup'] as string[];
    const wrapped = encodeMsgpack({ txn: decodedMap(fee) });
    const urlSafe = transfer.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const groups = [
      [fee, transfer],
      [encodeBase64(wrapped), transfer],
      [fee, urlSafe],
    ];
    const before = merchantHas();
    const settled = await Promise.all(
      groups.map((paymentGroup) =>
        h.facilitator.settle({ ...payload, payload: { paymentGroup, paymentIndex: 1 } }, h.requirements()),
      ),
    );
    expect(settled.filter(({ success }) => success)).toHaveLength(1);
    expect(merchantHas()).toBe(before + 10_000n);
  });

  it('bytes that are not canonical are refused', async () => {
    const { payload, requirements } = await lone();
    const [member] = payload.payload['paymentGroup'] as [string];
    const { signature, txn } = decodeSignedTransaction(Buffer.from(member, 'base64'));
    // The same map with its keys in another order.
    const reversed = Buffer.concat([
      Buffer.from([0x82, 0xa3]),
      Buffer.from('txn'),
      Buffer.from(encodeSignedTransaction({ txn })).subarray(5),
      Buffer.from([0xa3]),
      Buffer.from('sig'),
      Buffer.from([0xc4, 64]),
      Buffer.from(signature ?? []),
    ]);
    const copy = { ...payload, payload: { paymentGroup: [encodeBase64(reversed)], paymentIndex: 0 } };
    expect(await reasonOf(copy, requirements)).toBe('invalid_exact_avm_not_canonical');
  });
});

describe('class 13, the validity window', () => {
  it('a window that is over, has not begun, or is too long is refused', async () => {
    await h.devnode.mine(10);
    const { lastRound } = await h.algod.status();
    const windows = [
      [1n, lastRound - 1n, 'invalid_exact_avm_expired'],
      [lastRound + 5n, lastRound + 50n, 'invalid_exact_avm_not_yet_valid'],
      [lastRound, lastRound + 2n, 'invalid_exact_avm_window_too_short'],
      [lastRound, lastRound + 1001n, 'invalid_exact_avm_window_too_long'],
    ] as const;
    for (const [firstValid, lastValid, reason] of windows) {
      const { payload, requirements } = await lone({ firstValid, lastValid });
      expect(await h.facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason });
    }
  });
});

describe('class 14, confusion of networks', () => {
  it('a payment for another network, or labelled as one, is refused', async () => {
    const other = 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' as const;
    const payload = await h.pay();
    expect(await reasonOf({ ...payload, accepted: { ...payload.accepted, network: other } })).toBe(
      'invalid_exact_avm_network_mismatch',
    );
    expect(await reasonOf(payload, h.requirements({ network: other }))).toBe('unsupported_network');
    const foreign = await lone({ genesisHash: new Uint8Array(32).fill(3) });
    expect(await reasonOf(foreign.payload, foreign.requirements)).toBe('invalid_exact_avm_genesis_hash_mismatch');
  });
});

describe('class 15, confusion of amount and asset', () => {
  it('verified with weaker requirements, settled with the seller’s: refused', async () => {
    const weak = h.requirements({ amount: '1' });
    const payload = await h.pay(weak);
    expect(await h.facilitator.verify(payload, weak)).toMatchObject({ isValid: true });
    expect(await h.facilitator.settle(payload, h.requirements())).toMatchObject({
      errorReason: 'invalid_exact_avm_accepted_mismatch',
    });
    expect(await h.facilitator.settle({ ...payload, accepted: h.requirements() }, h.requirements())).toMatchObject({
      errorReason: 'invalid_exact_avm_amount_mismatch',
    });
  });
});

describe('class 16, exhaustion of the facilitator', () => {
  it('forged payments reach no node, and equal ones ask it once', async () => {
    const facilitator = await behindProxies();
    const simulations = () => proxies[0]?.requests.filter((request) => request.endsWith('/simulate')).length;
    const payload = await h.pay();
    const [fee = '', transfer = ''] = payload.payload['paymentGroup'] as string[];
    const { txn } = decodeSignedTransaction(Buffer.from(transfer, 'base64'));
    const forged = encodeSignedTransaction({ txn, signature: crypto.getRandomValues(new Uint8Array(64)) });
    const copy = { ...payload, payload: { paymentGroup: [fee, encodeBase64(forged)], paymentIndex: 1 } };
    await Promise.all(Array.from({ length: 50 }, () => facilitator.verify(copy, h.requirements())));
    expect(simulations()).toBe(0);
    await Promise.all(Array.from({ length: 50 }, () => facilitator.verify(payload, h.requirements())));
    expect(simulations()).toBe(1);
  });
});

describe('class 17, signing during verify', () => {
  it('the sponsor’s signature reaches a node only to settle', async () => {
    const facilitator = await behindProxies();
    const payload = await h.pay();
    await facilitator.verify(payload, h.requirements());
    expect(proxies[0]?.requests).not.toContain('POST /v2/transactions');
    await facilitator.settle(payload, h.requirements());
    expect(proxies[0]?.requests).toContain('POST /v2/transactions');
  });
});

/** A member's transaction as the map that it is. */
function decodedMap(member: string) {
  return decodeMsgpack(Buffer.from(member, 'base64'));
}
