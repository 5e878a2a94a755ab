import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { x402Client } from '@x402/core/client';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { decodeBase64 } from '@avm402/algorand/base64';
import { verify } from '@avm402/algorand/ed25519';
import { computeGroupId } from '@avm402/algorand/group';
import { multisigAddress, verifyMultisig } from '@avm402/algorand/multisig';
import { MAINNET, TESTNET } from '@avm402/algorand/networks';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { decodeTransaction, transactionSigningBytes } from '@avm402/algorand/transaction';
import {
  createMultisigWallet,
  ExactAvmClient,
  type CreatedPayment,
  type TransactionWallet,
} from '@avm402/avm/exact/client';
import { BatchSettlementAvmClient } from '@avm402/avm/batch-settlement/client';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { startParamsServer, type ParamsServer } from './params-server.ts';

const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const payer = accountFromSeed(seed(1));
const merchant = accountFromSeed(seed(2)).address;
const sponsor = accountFromSeed(seed(3)).address;

const offer: PaymentRequirements = {
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: TESTNET.usdcAssetId.toString(),
  amount: '10000',
  payTo: merchant,
  maxTimeoutSeconds: 300,
  extra: {},
};
const sponsored: PaymentRequirements = { ...offer, extra: { feePayer: sponsor } };

let server: ParamsServer;
let clock: number;
const client = (account: ConstructorParameters<typeof ExactAvmClient>[0]['account'] = payer): ExactAvmClient =>
  new ExactAvmClient({
    account,
    algod: (network) => (network === ALGORAND_TESTNET ? server.algod : undefined),
    now: () => clock,
  });

beforeEach(async () => {
  clock = 1_000_000;
  server = await startParamsServer();
});
afterEach(() => server.stop());

const bytesOf = (base64: string | undefined): Uint8Array => decodeBase64(base64 ?? '') ?? new Uint8Array();

describe('a payer that is neither account nor wallet', () => {
  const secret = encodePrivateKey(seed(1));
  const given: readonly unknown[] = [secret, seed(1), { addr: payer.address, sk: seed(1) }, undefined];
  it.each(given)('is refused by each scheme without being shown: %#', (one) => {
    const account = one as typeof payer;
    const options = { account, algod: () => undefined };
    for (const Scheme of [ExactAvmClient, BatchSettlementAvmClient, UptoAvmClient]) {
      const message = expect.not.stringContaining(secret.slice(0, 16));
      expect(() => new Scheme(options)).toThrow(expect.objectContaining({ code: 'invalid_key', message }));
    }
  });
});

describe('an unsponsored payment', () => {
  it('is the transfer alone, signed, with the fee of the network and the window that the offer needs', async () => {
    const created = await client().createPayment(offer);
    expect(created.payload.paymentGroup).toHaveLength(1);
    const { txn, signature } = decodeSignedTransaction(bytesOf(created.payload.paymentGroup[0]));
    expect(txn).toMatchObject({
      type: 'axfer',
      sender: payer.address,
      receiver: merchant,
      assetId: TESTNET.usdcAssetId,
      amount: 10_000n,
      fee: 1000n,
      firstValid: 5000n,
      // ⌈300 / 2.8⌉ + 10 rounds
      lastValid: 5000n + 118n,
    });
    expect(txn.group).toBeUndefined();
    expect(created).toMatchObject({ fee: 1000n, groupTxIds: [created.txId], lastValid: 5118n });
    expect(verify(payer.publicKey, transactionSigningBytes(txn), signature ?? new Uint8Array())).toBe(true);
  });

  it('refuses a fee above 10,000 µAlgo', async () => {
    server.answer['min-fee'] = 10_001;
    await expect(client().createPayment(offer)).rejects.toMatchObject({ code: 'fee_above_limit' });
    // Sponsored, the fee is not ours.
    await expect(client().createPayment(sponsored)).resolves.toMatchObject({ fee: 0n });
  });
});

describe('a sponsored payment', () => {
  it("is the sponsor's unsigned zero payment with the whole fee, and the signed transfer with none", async () => {
    const created = await client().createPayment(sponsored);
    const [first, second] = created.payload.paymentGroup;
    const fee = decodeTransaction(bytesOf(first));
    const { txn: transfer } = decodeSignedTransaction(bytesOf(second));
    expect(fee).toMatchObject({ type: 'pay', sender: sponsor, receiver: sponsor, amount: 0n, fee: 2000n });
    expect(transfer).toMatchObject({ type: 'axfer', sender: payer.address, fee: 0n });
    expect(transfer.group).toEqual(computeGroupId([fee, transfer]));
    expect(fee.group).toEqual(transfer.group);
    expect([fee.firstValid, fee.lastValid]).toEqual([transfer.firstValid, transfer.lastValid]);
    expect(created).toMatchObject({ payload: { paymentIndex: 1 }, fee: 0n });
    expect(created.groupTxIds[1]).toBe(created.txId);
    expect(decodeBase64(created.groupId ?? '')).toEqual(transfer.group);
  });

  it.each([
    ['the payer', payer.address],
    ['the receiver', merchant],
    ['no address', 'SPONSOR'],
  ])('is refused when the fee payer is %s', async (_who, feePayer) => {
    await expect(client().createPayment({ ...offer, extra: { feePayer } })).rejects.toMatchObject({
      code: 'fee_payer_suspicious',
    });
  });
});

it('1,000 equal payments have 1,000 transaction ids, by 16 random bytes in the note', async () => {
  const paying = client();
  const ids = new Set<string>();
  for (let index = 0; index < 1000; index++) ids.add((await paying.createPayment(sponsored)).txId);
  expect(ids.size).toBe(1000);
  const { payload } = await paying.createPayment(offer);
  expect(decodeSignedTransaction(bytesOf(payload.paymentGroup[0])).txn.note).toHaveLength(16);
});

describe('the validity window', () => {
  const windowOf = async (maxTimeoutSeconds: number): Promise<bigint> => {
    const { firstValid, lastValid } = await client().createPayment({ ...offer, maxTimeoutSeconds });
    return lastValid - firstValid;
  };

  it('covers the time that the seller may take and 10 rounds more, at most 1000 rounds', async () => {
    expect(await windowOf(60)).toBe(32n);
    expect(await windowOf(2800)).toBe(1000n);
    expect(await windowOf(31_536_000)).toBe(1000n);
  });

  it('is 1000 rounds on development networks, where rounds say nothing about time', async () => {
    server.answer['genesis-id'] = 'dockernet-v1';
    expect(await windowOf(60)).toBe(1000n);
  });

  it('is 1000 rounds, from a round known for half a second, where rounds pass faster than on any public network', async () => {
    const paying = client();
    const pay = (): Promise<CreatedPayment> => {
      server.answer['last-round']++;
      clock += 10;
      return paying.createPayment({ ...offer, maxTimeoutSeconds: 60 });
    };
    const isLong = ({ firstValid, lastValid }: CreatedPayment): boolean => lastValid - firstValid === 1000n;
    const payments = await Promise.all(Array.from({ length: 9 }, pay));
    expect(payments.some(isLong)).toBe(false);
    await expect.poll(async () => isLong(await pay())).toBe(true);
    server.answer['last-round'] = 9000;
    clock += 500;
    await expect.poll(async () => (await pay()).firstValid).toBeGreaterThan(9000n);
  });

  it('is 1000 rounds for a while only if the pace was that of an algod that caught up', async () => {
    const paying = client();
    const windowAfter = async (rounds: number, ms: number): Promise<bigint> => {
      server.answer['last-round'] += rounds;
      clock += ms;
      await paying.refresh(ALGORAND_TESTNET);
      const { firstValid, lastValid } = await paying.createPayment({ ...offer, maxTimeoutSeconds: 60 });
      return lastValid - firstValid;
    };
    expect(await windowAfter(0, 0)).toBe(32n);
    expect(await windowAfter(700, 3000)).toBe(1000n);
    const windows: bigint[] = [];
    for (let round = 0; round < 10; round++) windows.push(await windowAfter(1, 2800));
    expect([windows.at(0), windows.at(-1)]).toEqual([1000n, 32n]);
  });

  it('is no other because the clock was set back', async () => {
    const paying = client();
    await paying.refresh(ALGORAND_TESTNET);
    server.answer['last-round'] += 3;
    clock -= 5000;
    await paying.refresh(ALGORAND_TESTNET);
    const { firstValid, lastValid } = await paying.createPayment({ ...offer, maxTimeoutSeconds: 60 });
    expect(lastValid - firstValid).toBe(32n);
  });

  it.each([15_000, 30_000])(
    'stays 1000 rounds through lulls of %i ms where rounds pass with the payments',
    async (lullMs) => {
      const paying = client();
      const isLong = ({ firstValid, lastValid }: CreatedPayment): boolean => lastValid - firstValid === 1000n;
      const burst = async (): Promise<CreatedPayment[]> => {
        const payments = await Promise.all(
          Array.from({ length: 40 }, () => paying.createPayment({ ...offer, maxTimeoutSeconds: 60 })),
        );
        server.answer['last-round'] += payments.length;
        clock += 500;
        await paying.refresh(ALGORAND_TESTNET);
        return payments;
      };
      await burst();
      for (let count = 0; count < 20; count++) {
        expect((await burst()).every(isLong)).toBe(true);
        await paying.refresh(ALGORAND_TESTNET);
        clock += lullMs;
      }
    },
  );

  it('keeps to the time where payments come faster than rounds, and hardly asks for more', async () => {
    const paying = client();
    for (let count = 0; count < 5000; count++) {
      clock += 28;
      if (count % 100 === 0) server.answer['last-round']++;
      const { firstValid, lastValid } = await paying.createPayment({ ...offer, maxTimeoutSeconds: 60 });
      expect(lastValid - firstValid).toBe(32n);
    }
    // One every five seconds, and some looks.
    expect(server.calls()).toBeLessThan(140 / 5 + 12);
  });
});

describe('what is refused before anything is signed', () => {
  it.each([
    ['unsupported_network', { network: ALGORAND_MAINNET }],
    ['unsupported_network', { network: 'eip155:8453' as const }],
    ['unsupported_scheme', { scheme: 'upto' }],
    ['unsupported_asset', { asset: 'USDC' }],
    ['unsupported_asset', { asset: '0' }],
    // 2^64 above the asset that a policy would know.
    ['unsupported_asset', { asset: '18446744073720010557' }],
    ['invalid_amount', { amount: (2n ** 64n).toString() }],
    ['invalid_pay_to', { payTo: 'nobody' }],
    ['invalid_exact_avm_payer_is_receiver', { payTo: payer.address }],
  ])('%s', async (code, change) => {
    await expect(client().createPayment({ ...offer, ...change })).rejects.toMatchObject({ code });
  });

  it("network_mismatch: algod's genesis hash is not the offer's network", async () => {
    server.answer['genesis-hash'] = MAINNET.genesisHash;
    await expect(client().createPayment(offer)).rejects.toMatchObject({ code: 'network_mismatch' });
  });

  it('network_mismatch also when algod changes its network while running', async () => {
    const paying = client();
    await paying.createPayment(offer);
    server.answer['genesis-hash'] = MAINNET.genesisHash;
    clock += 60_000;
    await expect(paying.createPayment(offer)).rejects.toMatchObject({ code: 'network_mismatch' });
    await expect(paying.createPayment(offer)).rejects.toMatchObject({ code: 'network_mismatch' });
  });
});

describe('suggested parameters', () => {
  it('are fetched once for all payments of a moment, whatever the spelling of the network', async () => {
    const paying = client();
    const long = { ...offer, network: `algorand:${TESTNET.genesisHash}` as const };
    await Promise.all(Array.from({ length: 50 }, (_, index) => paying.createPayment(index % 2 ? offer : long)));
    expect(server.calls()).toBe(1);
  });

  it('are refreshed behind a payment that finds them a little old, and before one that finds them too old', async () => {
    const paying = client();
    await paying.createPayment(offer);
    server.answer['last-round'] = 5002;
    clock += 6_000;
    expect(await paying.createPayment(offer)).toMatchObject({ firstValid: 5000n });
    await expect.poll(async () => (await paying.createPayment(offer)).firstValid).toBe(5002n);
    server.answer['last-round'] = 5012;
    clock += 30_000;
    expect(await paying.createPayment(offer)).toMatchObject({ firstValid: 5012n });
    expect(server.calls()).toBe(3);
  });

  it('are refreshed when the clock was set back: nobody knows then how old they are', async () => {
    const paying = client();
    await paying.createPayment(offer);
    server.answer['last-round'] = 5400;
    clock -= 3_600_000;
    expect(await paying.createPayment(offer)).toMatchObject({ firstValid: 5400n });
    expect(await paying.createPayment(offer)).toMatchObject({ firstValid: 5400n });
    expect(server.calls()).toBe(2);
  });

  it('that can’t be refreshed fail the payment when they are too old, with the reason', async () => {
    const paying = client();
    await paying.createPayment(offer);
    await server.stop();
    clock += 6_000;
    await expect(paying.createPayment(offer)).resolves.toMatchObject({ firstValid: 5000n });
    clock += 30_000;
    await expect(paying.createPayment(offer)).rejects.toMatchObject({ code: 'algod_unreachable' });
    server = await startParamsServer();
  });
});

describe('wallets', () => {
  it('a rekeyed account pays for another address, and says who signed', async () => {
    const rekeyed = accountFromSeed(seed(9), { address: payer.address });
    const { payload } = await client(rekeyed).createPayment(sponsored);
    const { txn, authAddress, signature } = decodeSignedTransaction(bytesOf(payload.paymentGroup[1]));
    expect(txn.sender).toBe(payer.address);
    expect(authAddress).toBe(rekeyed.signerAddress);
    expect(verify(rekeyed.publicKey, transactionSigningBytes(txn), signature ?? new Uint8Array())).toBe(true);
  });

  const parameters = {
    version: 1,
    threshold: 2,
    publicKeys: [1, 2, 3].map((fill) => accountFromSeed(seed(fill)).publicKey),
  };

  it('a multisig account pays with as many signatures as its threshold', async () => {
    const wallet = createMultisigWallet({ parameters, signers: [accountFromSeed(seed(3)), accountFromSeed(seed(1))] });
    expect(wallet.address).toBe(multisigAddress(parameters));
    const { payload } = await client(wallet).createPayment(offer);
    const { txn, multisig } = decodeSignedTransaction(bytesOf(payload.paymentGroup[0]));
    expect(multisig?.subsignatures.filter(({ signature }) => signature)).toHaveLength(2);
    expect(multisig && verifyMultisig(transactionSigningBytes(txn), multisig)).toBe(true);
  });

  it('a multisig with too few signers is refused when it is made', () => {
    expect(() => createMultisigWallet({ parameters, signers: [payer] })).toThrow(
      expect.objectContaining({ code: 'signer_failed' }),
    );
  });

  const honest: TransactionWallet = {
    address: payer.address,
    signTransactions: (transactions, indexes = []) =>
      Promise.resolve(
        transactions.map((bytes, index) =>
          indexes.includes(index) ? payer.signTransaction(decodeTransaction(bytes)) : null,
        ),
      ),
  };

  it('a wallet that answers only with what it signed is understood', async () => {
    const compact: TransactionWallet = {
      ...honest,
      signTransactions: async (...args) => (await honest.signTransactions(...args)).filter((one) => one !== null),
    };
    const { payload } = await client(compact).createPayment(sponsored);
    expect(payload).toMatchObject({ paymentIndex: 1, paymentGroup: { length: 2 } });
  });

  it.each<[string, TransactionWallet['signTransactions']]>([
    ['throws', () => Promise.reject(new Error('the user said no'))],
    ['signs nothing', (transactions) => Promise.resolve(transactions.map(() => null))],
    ['answers no list', () => Promise.resolve(undefined as unknown as [])],
    ['gives the transaction back unsigned', (transactions) => Promise.resolve(transactions)],
    [
      'signs another transaction',
      (transactions) =>
        Promise.resolve(
          transactions.map((bytes) =>
            payer.signTransaction({ ...decodeTransaction(bytes), sender: payer.address, fee: 7n }),
          ),
        ),
    ],
  ])('a wallet that %s pays nothing', async (_what, signTransactions) => {
    await expect(client({ ...honest, signTransactions }).createPayment(sponsored)).rejects.toMatchObject({
      code: 'signer_failed',
    });
  });
});

describe('in a stock x402Client', () => {
  it('it registers for algorand:* and makes the payload of the offer', async () => {
    const stock = new x402Client().register('algorand:*', client());
    const payload = await stock.createPaymentPayload({
      x402Version: 2,
      resource: { url: 'http://localhost/weather' },
      accepts: [sponsored],
    });
    expect(payload).toMatchObject({
      x402Version: 2,
      accepted: sponsored,
      payload: { paymentGroup: [expect.any(String), expect.any(String)], paymentIndex: 1 },
    });
  });

  it("stock spend controls know USDC's decimals through it", async () => {
    const stock = new x402Client().register('algorand:*', client());
    const tooMuch = { ...sponsored, amount: '1000001' };
    const required = { x402Version: 2, resource: { url: 'http://localhost/' }, accepts: [tooMuch] };
    await expect(stock.createPaymentPayload(required)).rejects.toThrow(/spendControls/);
  });
});
