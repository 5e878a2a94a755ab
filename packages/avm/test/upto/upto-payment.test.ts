import { x402Client } from '@x402/core/client';
import { x402Facilitator } from '@x402/core/facilitator';
import { x402ResourceServer } from '@x402/core/server';
import { describe, expect, it } from 'vitest';
import { accountFromSeed } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isX402Error } from '@avm402/core/errors';
import { algorandNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { UptoAvmClient } from '../../src/upto/client/upto-avm-client.ts';
import { UptoAvmFacilitator } from '../../src/upto/facilitator/upto-avm-facilitator.ts';
import { checkUpto, checkUptoCharge, uptoSettlement } from '../../src/upto/facilitator/upto-charge.ts';
import { encodeUptoPayload, parseUptoPayload } from '../../src/upto/payload.ts';
import { UptoAvmServer } from '../../src/upto/server/upto-avm-server.ts';
import { closer, FEE, payer, seller, stranger, USDC, useChain } from '../batch-settlement/stage.ts';

const chain = useChain();

async function network() {
  return algorandNetwork(encodeBase64((await chain.algod.params()).genesisHash));
}

async function offer(change: Partial<PaymentRequirements> = {}): Promise<PaymentRequirements> {
  return {
    scheme: 'upto',
    network: await network(),
    asset: USDC.toString(),
    amount: '50000',
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: closer.address },
    ...change,
  };
}

const client = (account = payer) => new UptoAvmClient({ account, algod: () => chain.algod });

async function pay(requirements: PaymentRequirements, account = payer) {
  const { payload, x402Version } = await client(account).createPaymentPayload(2, requirements);
  return { x402Version, accepted: requirements, payload };
}

/** Settles as a facilitator does: its member signed, then the transfer. */
async function settle(payload: unknown, requirements: PaymentRequirements): Promise<string> {
  const { members, txId } = uptoSettlement(checkUptoCharge(payload, requirements), FEE);
  const [fee, transfer] = members;
  await chain.algod.sendRawTransaction(Buffer.concat([closer.signTransaction(fee.txn), transfer.bytes]));
  return txId;
}

const codeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    return isX402Error(error) ? error.code : error;
  }
};

/** Of the facilitator's accounts the one that signs no `upto`. */
const channelCloser = accountFromSeed(new Uint8Array(32).fill(62));

const facilitator = (uptoFeePayer = (): string | undefined => closer.address) =>
  new UptoAvmFacilitator({
    networkOf: () => ({
      genesisHash: '',
      algod: chain.algod,
      lastRound: () => 0n,
      sponsor: {
        account: channelCloser,
        accounts: new Map([channelCloser, closer].map((account) => [account.address, account])),
        feePayer: () => channelCloser.address,
        uptoFeePayer,
        maxFee: 10_000n,
        budgetLeft: () => Promise.resolve(10_000n),
        payTo: new Set([seller.address]),
        assets: new Set([USDC.toString()]),
        minAmount: 1n,
        anyone: false,
      },
    }),
    settle: () => Promise.reject(new Error('not asked')),
    now: Date.now,
  });

describe('a payment of at most an amount', () => {
  it('settles for what was charged, once', async () => {
    const requirements = await offer();
    const payload = await pay(requirements);
    const [paidBefore, before] = [await chain.usdcOf(payer.address), await chain.usdcOf(seller.address)];
    await settle(payload, { ...requirements, amount: '12345' });
    expect(await chain.usdcOf(seller.address)).toBe(before + 12_345n);
    expect(await chain.usdcOf(payer.address)).toBe(paidBefore - 12_345n);
    await expect(settle(payload, { ...requirements, amount: '1' })).rejects.toThrow(/lease/);
    await expect(settle(payload, { ...requirements, amount: '12345' })).rejects.toThrow(/ledger|lease/);
    expect(await chain.usdcOf(seller.address)).toBe(before + 12_345n);
  });

  it('settles at the same transaction id however often and whenever it is made', async () => {
    const requirements = await offer({ amount: '50001' });
    const payload = await pay(requirements);
    const id = uptoSettlement(checkUptoCharge(payload, requirements), FEE).txId;
    expect(uptoSettlement(checkUptoCharge(structuredClone(payload), requirements), FEE).txId).toBe(id);
  });

  it('is refused when more is charged than it allows', async () => {
    const requirements = await offer();
    const payload = await pay(requirements);
    expect(await codeOf(() => checkUptoCharge(payload, { ...requirements, amount: '50001' }))).toBe(
      'invalid_upto_avm_above_maximum',
    );
  });

  it.each<[string, Partial<PaymentRequirements>]>([
    ['payTo', { payTo: stranger.address }],
    ['asset', { asset: '1' }],
    ['amount', { amount: '49999' }],
    ['fee payer', { extra: { feePayer: stranger.address } }],
    ['network', { network: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe' }],
  ])('is refused under another %s than it was signed for', async (_what, change) => {
    const requirements = await offer();
    const payload = await pay(requirements);
    const other = { ...requirements, ...change };
    expect(await codeOf(() => checkUpto({ ...payload, accepted: other }, other))).toBe(
      'invalid_upto_avm_authorization',
    );
  });

  it('is refused with a signature of somebody else, or of another authorization', async () => {
    const requirements = await offer();
    const [mine, other] = [await pay(requirements), await pay(requirements)];
    const forged = { ...mine, payload: { ...mine.payload, signature: other.payload['signature'] } };
    expect(await codeOf(() => checkUpto(forged, requirements))).toBe('invalid_upto_avm_signature');
    const foreign = await pay(requirements, stranger);
    const stolen = { ...mine, payload: { ...mine.payload, signature: foreign.payload['signature'] } };
    expect(await codeOf(() => checkUpto(stolen, requirements))).toBe('invalid_upto_avm_signature');
  });

  it('is paid from an account that is rekeyed to the key that signs', async () => {
    const account = accountFromSeed(new Uint8Array(32).fill(61), { address: stranger.address });
    const { lastRound, genesisHash, minFee } = await chain.algod.params();
    await chain.algod.sendRawTransaction(
      stranger.signTransaction({
        type: 'pay',
        sender: stranger.address,
        receiver: stranger.address,
        amount: 0n,
        fee: minFee,
        firstValid: lastRound,
        lastValid: lastRound + 100n,
        genesisHash,
        rekeyTo: account.signerAddress,
      }),
    );
    const requirements = await offer();
    const before = await chain.usdcOf(seller.address);
    await settle(await pay(requirements, account), { ...requirements, amount: '7' });
    expect(await chain.usdcOf(seller.address)).toBe(before + 7n);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no authorization', { authorization: null }],
    ['an authorization that is a number', { authorization: 5 }],
    ['no lease', { authorization: { payer: payer.address } }],
    ['a short signature', { signature: 'AAAA' }],
    ['an authAddress that is none', { authAddress: 'x' }],
  ])('is refused with %s', async (_what, change) => {
    const { payload } = await pay(await offer());
    expect(await codeOf(() => parseUptoPayload({ ...payload, ...change }))).toBe('invalid_upto_avm_payload');
  });

  it('comes back from the wire as it was', async () => {
    const payment = await client().authorize(await offer());
    expect(parseUptoPayload(JSON.parse(JSON.stringify(encodeUptoPayload(payment))))).toEqual(payment);
  });

  it('is verified against the chain: the payer holds the maximum, and it has rounds left', async () => {
    const requirements = await offer();
    const payload = await pay(requirements);
    expect(await facilitator().verify(payload, requirements)).toEqual({ isValid: true, payer: payer.address });
    const rich = await offer({ amount: '99999999999999' });
    expect(await facilitator().verify(await pay(rich), rich)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_upto_avm_insufficient_balance',
    });
    for (let blocks = 0; blocks < 999; blocks++) await chain.node.mine();
    expect(await facilitator().verify(payload, requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_upto_avm_expired',
    });
  });

  it('is settled by nobody who closes channels, and not offered where nobody else pays fees', async () => {
    const requirements = await offer({ extra: { feePayer: channelCloser.address } });
    expect(await facilitator().verify(await pay(requirements), requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_upto_avm_authorization',
    });
    const strangers = await offer({ extra: { feePayer: stranger.address } });
    const payload = await pay(strangers);
    expect(await codeOf(() => facilitator().check(payload, strangers))).toBe(
      'invalid_upto_avm_unsigned_non_facilitator',
    );
    expect(facilitator().getExtra(await network())).toEqual({ feePayer: closer.address });
    expect(facilitator(() => undefined).getExtra(await network())).toBeUndefined();
  });

  it.each<[string, Uint8Array]>([
    ['32 zero bytes, which the ledger takes for none', new Uint8Array(32)],
    ['a channel’s address, which a close needs', parseAddress(seller.address)],
    [
      'the right beginning but for a byte',
      Uint8Array.from([...Buffer.from('x402/upto/lease.'), ...new Uint8Array(16)]),
    ],
  ])('is refused with a lease of %s', async (_what, lease) => {
    const { payload } = await pay(await offer());
    const authorization = { ...Object(payload['authorization']), lease: encodeBase64(lease) };
    expect(await codeOf(() => parseUptoPayload({ ...payload, authorization }))).toBe('invalid_upto_avm_payload');
  });

  it('has a lease of its own each time: 16 fixed bytes, then 16 random ones', async () => {
    const leases = [await client().authorize(await offer()), await client().authorize(await offer())].map(
      ({ authorization }) => Buffer.from(authorization.lease),
    );
    expect(leases.map((lease) => lease.subarray(0, 16).toString())).toEqual(['x402/upto/lease/', 'x402/upto/lease/']);
    expect(new Set(leases.map((lease) => lease.subarray(16).toString('hex'))).size).toBe(2);
    expect(leases.map(({ length }) => length)).toEqual([32, 32]);
  });

  it.each([
    ['who is paid pays the fee', () => ({ extra: { feePayer: seller.address } }), 'fee_payer_suspicious'],
    ['the payer pays the fee', () => ({ extra: { feePayer: payer.address } }), 'fee_payer_suspicious'],
    ['nobody pays the fee', () => ({ extra: {} }), 'fee_payer_suspicious'],
    ['no account pays the fee', () => ({ extra: { feePayer: 'nobody' } }), 'fee_payer_suspicious'],
    ['no account is paid', () => ({ payTo: 'nobody' }), 'invalid_pay_to'],
    ['the payer is paid', () => ({ payTo: payer.address }), 'invalid_pay_to'],
  ])('is not made where %s', async (_what, change, code) => {
    await expect(client().authorize(await offer(change()))).rejects.toMatchObject({ code });
  });

  it.each(['18446744073720010557', '18446744073709551616', '0', 'USDC'])('is not made for asset %s', async (asset) => {
    const refused = client().authorize(await offer({ asset }));
    await expect(refused).rejects.toMatchObject({ code: 'unsupported_asset' });
  });

  it('is not sponsored for a seller whom the facilitator does not sponsor', async () => {
    const requirements = await offer({ payTo: stranger.address });
    expect(await facilitator().verify(await pay(requirements), requirements)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_upto_avm_not_sponsored',
    });
  });

  it.each([{}, { extra: {} }, { extra: { feePayer: 7 } }])(
    'is not offered where a facilitator says %j',
    async (said) => {
      const kind = { x402Version: 2, scheme: 'upto', network: await network(), ...said };
      const offered = new UptoAvmServer().enhancePaymentRequirements(await offer({ extra: {} }), kind, []);
      await expect(offered).rejects.toMatchObject({ code: 'unsupported_scheme' });
    },
  );

  it('registers in stock client, resource server and facilitator', async () => {
    const id = await network();
    const stock = new x402Client().register('algorand:*', client());
    const required = { x402Version: 2, resource: { url: 'http://a.example/' }, accepts: [await offer()] };
    const payload = await stock.createPaymentPayload(required);
    const services = new x402Facilitator().register(id, facilitator());
    expect(await services.verify(payload, payload.accepted)).toEqual({ isValid: true, payer: payer.address });
    // Stock's type of what it answers is wider than its type of what it reads.
    const supported = JSON.parse(JSON.stringify(services.getSupported()));
    const server = new x402ResourceServer({
      verify: () => Promise.reject(new Error('not asked')),
      settle: () => Promise.reject(new Error('not asked')),
      getSupported: () => Promise.resolve(supported),
    }).register('algorand:*', new UptoAvmServer());
    await server.initialize();
    const offers = await server.buildPaymentRequirements({
      scheme: 'upto',
      network: id,
      payTo: seller.address,
      price: { asset: USDC.toString(), amount: '50000' },
    });
    expect(offers).toMatchObject([{ scheme: 'upto', amount: '50000', extra: { feePayer: closer.address } }]);
  });
});
