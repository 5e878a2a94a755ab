import { describe, expect, it } from 'vitest';
import { parseAddress } from '@avm402/algorand/address';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { decodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import {
  type ChannelConfig,
  channelId,
  channelProgram,
  claimAuthorizerOf,
  encodeChannelPayload,
  encodeChannelTerms,
  handingOverGroup,
  parseChannelPayload,
  parseChannelProgram,
  signVoucher,
} from '@avm402/avm/batch-settlement';
import { isVoucherSigned } from '../../../src/batch-settlement/voucher.ts';
import { ChannelPayer } from '@avm402/avm/batch-settlement/client';
import { checkChannelConfig, checkDeposit } from '@avm402/avm/batch-settlement/server/record';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { closer, payer, ruledBy, seller, sessionKey, stranger, USDC, useChain } from '../stage.ts';

const chain = useChain();
const sponsor = closer;

async function offer(change: Partial<{ minRounds: bigint }> = {}): Promise<PaymentRequirements> {
  const { genesisHash } = await chain.algod.params();
  return {
    scheme: 'batch-settlement',
    network: networkOfGenesis(genesisHash),
    asset: USDC.toString(),
    amount: '10000',
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra: encodeChannelTerms({
      receiverAuthorizer: closer.address,
      claimAuthorizer: claimAuthorizerOf(sessionKey),
      genesisHash,
      feePayer: sponsor.address,
      funder: sponsor.address,
      minDeposit: 1_000_000n,
      minRounds: 2000n,
      ...change,
    }),
  };
}

const channelPayer = (account = payer): ChannelPayer => new ChannelPayer({ account, algod: () => chain.algod });

/** What a facilitator does with a deposit that it takes. */
async function settle(group: readonly Uint8Array[]): Promise<void> {
  const signed = group.map((bytes) => {
    const { signature, logicSignature } = decodeMember(bytes).signed;
    return (signature ?? logicSignature) ? bytes : sponsor.signTransaction(decodeTransaction(bytes));
  });
  await chain.algod.sendRawTransaction(Buffer.concat(signed));
}

async function opened(account = payer, change = {}): Promise<{ config: ChannelConfig; of: ChannelPayer }> {
  const of = channelPayer(account);
  const requirements = await offer(change);
  const { config } = await of.newChannel(requirements);
  const deposit = await of.deposit(config, requirements, { kind: 'open', amount: 1_000_000n, earlier: 0 });
  await settle(deposit.paymentGroup);
  return { config, of };
}

describe('a new channel', () => {
  it('is one of the offer, at an address that is no point of the curve', async () => {
    const requirements = await offer();
    for (let round = 0; round < 8; round++) {
      const { config } = await channelPayer().newChannel(requirements);
      checkChannelConfig(config, requirements);
      expect(isCurvePoint(parseAddress(channelId(config)))).toBe(false);
    }
  });

  it('has a session key that the account can derive again, and nobody else', async () => {
    const requirements = await offer();
    const { config } = await channelPayer().newChannel(requirements);
    const signer = channelPayer().sessionKey(config);
    if (!signer) throw new Error('not derived');
    expect(isVoucherSigned(signVoucher(signer, channelId(config), 7n), config.payerAuthorizer)).toBe(true);
    expect(channelPayer(stranger).sessionKey(config)).toBeUndefined();
    const wallet = { address: payer.address, signTransactions: () => Promise.resolve([]) };
    expect(new ChannelPayer({ account: wallet, algod: () => chain.algod }).sessionKey(config)).toBeUndefined();
  });

  it('is read back from its program, and from no other', async () => {
    const { config } = await channelPayer().newChannel(await offer());
    const program = channelProgram(config);
    expect(parseChannelProgram(program)).toEqual(config);
    const changed = Uint8Array.from(program);
    changed[program.length - 1] = 0;
    expect(parseChannelProgram(changed)).toBeUndefined();
    expect(parseChannelProgram(program.subarray(1))).toBeUndefined();
    // Anybody's program stands in a block.
    for (let length = 0; length < program.length; length++) {
      expect(parseChannelProgram(program.slice(0, length))).toBeUndefined();
    }
    expect(parseChannelProgram(Uint8Array.from([...program, 0]))).toBeUndefined();
  });
});

describe('a deposit', () => {
  it('is what the facilitator checks for, opens the channel and adds to it', async () => {
    const of = channelPayer();
    const requirements = await offer();
    const { config } = await of.newChannel(requirements);
    const voucher = signVoucher(of.sessionKey(config) ?? sessionKey, channelId(config), 10_000n);
    const ids = new Set<string>();
    for (const [earlier, kind] of (['open', 'top-up', 'top-up'] as const).entries()) {
      const made = await of.deposit(config, requirements, { kind, amount: 1_000_000n, earlier });
      const paymentGroup = made.paymentGroup.map((bytes) => ({ bytes }));
      const wire = encodeChannelPayload({
        type: 'deposit',
        channelConfig: config,
        voucher,
        deposit: { amount: 1_000_000n, paymentGroup },
      });
      const parsed = parseChannelPayload(wire);
      if (parsed.type !== 'deposit') throw new Error('no deposit');
      expect(checkDeposit(parsed, requirements)).toMatchObject({ kind, txId: made.txId, amount: 1_000_000n });
      ids.add(made.txId);
      await settle(made.paymentGroup);
    }
    expect(ids.size).toBe(3);
    expect(await chain.usdcOf(channelId(config))).toBe(3_000_000n);
  });
});

it('two equal deposits that are made in one round have different ids', async () => {
  const { config, of } = await opened();
  const requirements = await offer();
  const topUp = (earlier: number) => of.deposit(config, requirements, { kind: 'top-up', amount: 5n, earlier });
  const made = await Promise.all([topUp(1), topUp(2), topUp(7)]);
  expect(new Set(made.map(({ firstValid }) => firstValid)).size).toBe(1);
  expect(new Set(made.map(({ txId }) => txId)).size).toBe(3);
});

/** The transactions of a signed group. */
const unsigned = (group: readonly Uint8Array[]): Transaction[] => group.map((bytes) => decodeMember(bytes).signed.txn);

describe('what is left', () => {
  it('is taken by groups whose first member pays the least fee for each, valid from now on', async () => {
    const { config, of } = await opened();
    const { lastRound, genesisId } = await chain.algod.params();
    const window = { firstValid: lastRound, lastValid: lastRound + 1000n, genesisId, genesisHash: config.genesisHash };
    const [refundFee, refund, ...others] = unsigned(await of.refund(config));
    expect(refundFee).toMatchObject({ ...window, type: 'pay', sender: payer.address, amount: 0n, fee: 3000n });
    expect([refund?.fee, ...others.map(({ fee }) => fee)]).toEqual([0n, 0n]);
    expect(unsigned(await of.takeOver(config))).toMatchObject([
      { ...window, type: 'axfer', receiver: payer.address, amount: 0n, assetCloseTo: payer.address, fee: 2000n },
      { ...window, type: 'pay', receiver: config.funder, amount: 0n, closeRemainderTo: config.funder, fee: 0n },
    ]);
  });

  it('comes back after the expiry, by the payer alone', async () => {
    const { config, of } = await opened(payer, { minRounds: 0n });
    const before = await chain.usdcOf(payer.address);
    await chain.node.mine(1002);
    await chain.algod.sendRawTransaction(Buffer.concat(await of.refund(config)));
    expect((await chain.usdcOf(payer.address)) - before).toBe(1_000_000n);
    expect(chain.node.balance(channelId(config)).microAlgos).toBe(0n);
  });

  it('is taken out of an account that was handed over, by the payer’s own signature', async () => {
    const { config, of } = await opened();
    const ruled = ruledBy(channelProgram(config));
    const voucher = signVoucher(of.sessionKey(config) ?? sessionKey, channelId(config), 400_000n);
    const group: readonly Transaction[] = handingOverGroup(config, 400_000n, await chain.terms());
    expect(await chain.send(group, { ruled, voucher })).toBeUndefined();
    const before = await chain.usdcOf(payer.address);
    await chain.algod.sendRawTransaction(Buffer.concat(await of.takeOver(config)));
    expect((await chain.usdcOf(payer.address)) - before).toBe(600_000n);
    expect(chain.node.balance(channelId(config))).toEqual({ microAlgos: 0n, assets: new Map() });
  });
});
