import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { decodeTransaction, encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import {
  ANY_RECEIVER,
  addToMandateGroup,
  encodeMandateConfig,
  endMandateGroup,
  type MandateConfig,
  mandateAddress,
  mandateProgram,
  MandateSlots,
  mandateWallet,
  openMandateGroup,
  parseMandateConfig,
  parseMandateProgram,
  receiverTree,
  signByMandate,
  slotLease,
  slotOfLease,
} from '@avm402/avm/mandate';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { isX402Error } from '@avm402/core/errors';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { nobody, seller, stranger, USDC, useChain } from '../batch-settlement/stage.ts';
import { assembled, mandateTemplate } from '../batch-settlement/template.ts';
import { agent, CAP, feeBy, mandateConstants, mandateOn, owner } from './stage.ts';

const chain = useChain();
const FUNDS = 1_000_000n;

/** Sends a group of the owner's, or of somebody else's, and the mandate's program. */
async function send(config: MandateConfig, group: readonly Transaction[], by = owner): Promise<void> {
  const sender = mandateAddress(config);
  const signed = group.map((txn) => (txn.sender === sender ? signByMandate(config, txn) : by.signTransaction(txn)));
  await chain.algod.sendRawTransaction(Buffer.concat(signed));
}

async function opened(change: Partial<MandateConfig> = {}): Promise<MandateConfig> {
  const config = await mandateOn(chain, change);
  await send(config, openMandateGroup(config, { amount: FUNDS, feeReserve: 10_000n }, await chain.terms()));
  return config;
}

function walletOf(config: MandateConfig, receivers?: readonly string[]) {
  const slots = new MandateSlots(config.slots);
  return mandateWallet({
    mandate: config,
    agent,
    ...(receivers && { receivers: receiverTree(receivers) }),
    takeSlot: (...window) => slots.take(...window),
  });
}

function offer(config: MandateConfig, change: Partial<PaymentRequirements> = {}): PaymentRequirements {
  return {
    scheme: 'exact',
    network: networkOfGenesis(config.genesisHash),
    asset: USDC.toString(),
    amount: '20000',
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra: {},
    ...change,
  };
}

/** Pays an offer with no fee payer, as the scheme's client does, and sends it. */
async function pay(config: MandateConfig, requirements = offer(config), wallet = walletOf(config)): Promise<void> {
  const client = new ExactAvmClient({ account: wallet, algod: () => chain.algod });
  const { payload } = await client.createPayment(requirements);
  const [payment = ''] = payload.paymentGroup;
  await chain.algod.sendRawTransaction(Buffer.from(payment, 'base64'));
}

const codeOf = (error: unknown): unknown => (isX402Error(error) ? error.code : error);

describe('a mandate', () => {
  it('has the program that its template assembles to, and is known from it', async () => {
    const config = await mandateOn(chain);
    const program = mandateProgram(config);
    expect(Buffer.from(program)).toEqual(Buffer.from(assembled(mandateTemplate, mandateConstants(config))));
    expect(parseMandateProgram(program)).toEqual(config);
    expect(parseMandateProgram(program.map((byte, index) => (index === 376 ? byte ^ 1 : byte)))).toBeUndefined();
    expect(parseMandateProgram(program.slice(1))).toBeUndefined();
  });

  it('opens with one group, pays, takes more funds, and gives the rest back with the owner’s one signature', async () => {
    const before = [await chain.usdcOf(owner.address), await chain.usdcOf(seller.address)] as const;
    const config = await opened();
    await pay(config);
    await send(config, addToMandateGroup(config, { amount: 5n }, await chain.terms()));
    expect(await chain.usdcOf(mandateAddress(config))).toBe(FUNDS - 20_000n + 5n);
    await send(config, endMandateGroup(config, await chain.terms()));
    expect(chain.node.balance(mandateAddress(config))).toEqual({ microAlgos: 0n, assets: new Map() });
    const after = [await chain.usdcOf(owner.address), await chain.usdcOf(seller.address)];
    expect(after).toEqual([before[0] - 20_000n, before[1] + 20_000n]);
    await expect(pay(config)).rejects.toThrow(/./);
  });

  it('is ended by anybody after its expiry, and by nobody else before', async () => {
    const { lastRound } = await chain.algod.params();
    const config = await opened({ expiry: lastRound + 20n });
    const end = async () => send(config, endMandateGroup(config, await chain.terms(), stranger.address), stranger);
    await expect(end()).rejects.toThrow(/rejected by logic/);
    await chain.node.mine(25);
    const before = await chain.usdcOf(owner.address);
    await end();
    expect((await chain.usdcOf(owner.address)) - before).toBe(FUNDS);
  });

  it('pays as often as it has slots in a window, and again in the next', async () => {
    const config = await opened({ slots: 2n });
    const wallet = walletOf(config);
    await pay(config, offer(config), wallet);
    await pay(config, offer(config), wallet);
    const error = await pay(config, offer(config), wallet).catch((cause: unknown) => cause);
    expect(codeOf(error)).toBe('mandate_exhausted');
    // A process that does not know what was paid is stopped by the chain.
    await expect(pay(config)).rejects.toThrow(/overlapping lease/);
    await chain.node.mine(1000);
    await pay(config);
  });

  it('pays its receivers by their path in the tree, and nobody else', async () => {
    const names = [seller.address, stranger.address, owner.address, agent.address, nobody];
    for (const size of [1, 2, 3, 5]) {
      const receivers = names.slice(0, size);
      const config = await opened({ receivers: receiverTree(receivers).root });
      const wallet = walletOf(config, receivers.toReversed());
      for (const payTo of receivers.slice(0, 2)) await pay(config, offer(config, { payTo }), wallet);
      const outside = pay(config, offer(config, { payTo: mandateAddress(config) }), wallet);
      await expect(outside).rejects.toThrow(/./);
    }
  });
});

describe('a wallet of a mandate', () => {
  it.each([
    ['another asset', { asset: '1' }, 'mandate_refuses'],
    ['more than the cap', { amount: (CAP + 1n).toString() }, 'mandate_refuses'],
  ])('refuses %s before a slot is taken', async (_what, change, code) => {
    const config = await mandateOn(chain);
    const wallet = mandateWallet({ mandate: config, agent, takeSlot: () => expect.unreachable() });
    const error = await pay(config, offer(config, change), wallet).catch((cause: unknown) => cause);
    expect(codeOf(error)).toBe(code);
  });

  it('refuses who is not among the receivers, and a tree that is not the mandate’s', async () => {
    const config = await mandateOn(chain, { receivers: receiverTree([seller.address]).root });
    const error = await pay(
      config,
      offer(config, { payTo: stranger.address }),
      walletOf(config, [seller.address]),
    ).catch((cause: unknown) => cause);
    expect(codeOf(error)).toBe('mandate_refuses');
    expect(() => walletOf(config, [stranger.address])).toThrow(/tree of receivers/);
    expect(() => walletOf(config)).toThrow(/tree of receivers/);
  });

  it('gives a client that knows no mandates its group back with a slot, the end of a window and a new id', async () => {
    const config = await opened();
    const { lastRound, genesisHash } = await chain.algod.params();
    const plain: Transaction = {
      type: 'axfer',
      sender: mandateAddress(config),
      receiver: seller.address,
      assetId: USDC,
      amount: 10_000n,
      fee: 0n,
      firstValid: lastRound,
      lastValid: lastRound + 10n,
      genesisHash,
    };
    const group = assignGroup([feeBy(stranger, plain), plain]);
    const members = await walletOf(config).signTransactions(group.map(encodeTransaction), [1]);
    const [fee, payment] = members;
    if (!fee || !payment) throw new Error('the wallet gave no group back');
    const lead = decodeTransaction(fee);
    const { txn } = decodeSignedTransaction(payment);
    expect([txn.lastValid % 500n, txn.lastValid, lead.group]).toEqual([0n, lead.lastValid, txn.group]);
    expect(slotOfLease(txn.lease ?? ANY_RECEIVER)).toBeGreaterThan(0n);
    await chain.algod.sendRawTransaction(Buffer.concat([stranger.signTransaction(lead), payment]));
  });

  it('signs nothing but its one payment', async () => {
    const config = await mandateOn(chain);
    const end = endMandateGroup(config, await chain.terms()).map(encodeTransaction);
    await expect(walletOf(config).signTransactions(end, [1])).rejects.toThrow(/one payment/);
    const fee = end.slice(0, 1);
    await expect(walletOf(config).signTransactions(fee, [0])).rejects.toThrow(/one payment/);
  });
});

describe('a mandate’s configuration', () => {
  const refused = (value: unknown): unknown => {
    try {
      return parseMandateConfig(value);
    } catch (error) {
      return isX402Error(error) ? [error.code, error.message] : error;
    }
  };

  it('comes back from the wire as it was', async () => {
    const config = await mandateOn(chain);
    expect(parseMandateConfig(JSON.parse(JSON.stringify(encodeMandateConfig(config))))).toEqual(config);
  });

  it.each([
    ['an unknown key', { cpa: '5' }, 'cpa'],
    ['an owner that is no address', { owner: 'me' }, 'owner'],
    ['an agent that is the owner', { agent: owner.address }, 'same'],
    ['no asset', { asset: '0' }, 'asset'],
    ['a cap of nothing', { cap: '0' }, 'cap'],
    ['a cap above 64 bits', { cap: '18446744073709551616' }, 'cap'],
    ['no slots', { slots: '0' }, 'slots'],
    ['1,001 slots', { slots: '1001' }, 'slots'],
    ['an expiry with a sign', { expiry: '-1' }, 'expiry'],
    ['a root of 31 bytes', { receivers: encodeBase64(new Uint8Array(31)) }, 'receivers'],
    ['no salt', { salt: undefined }, 'salt'],
  ])('is refused with %s', async (_what, change, reason) => {
    const wire = encodeMandateConfig(await mandateOn(chain));
    expect(refused({ ...wire, ...change })).toEqual(['invalid_mandate', expect.stringContaining(reason)]);
  });

  it.each([[null], ['mandate'], [[]]])('is refused when it is %j', (value) => {
    expect(refused(value)).toEqual(['invalid_mandate', expect.stringContaining('object')]);
  });

  it.each([
    ['none', []],
    ['1,025', Array.from({ length: 1025 }, (_, index) => `A${index}`)],
    ['what is no address', ['nobody']],
  ])('takes no list of %s as receivers', (_what, receivers) => {
    expect(() => receiverTree(receivers)).toThrow(/receiver/);
  });
});

it('a slot’s lease is its number, and no other lease is a slot’s', () => {
  expect([1n, 1000n].map((slot) => slotOfLease(slotLease(slot)))).toEqual([1n, 1000n]);
  expect([0n, 1001n].map((slot) => () => slotLease(slot)).map((make) => expect(make).toThrow(RangeError))).toHaveLength(
    2,
  );
  const high = slotLease(1n);
  high[0] = 1;
  for (const lease of [new Uint8Array(32), high, new Uint8Array(31)]) expect(slotOfLease(lease)).toBeUndefined();
});
