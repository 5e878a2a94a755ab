import { describe, expect, it } from 'vitest';
import type { Redemption, RedemptionStore } from '../src/index.ts';

export const NOW = 1_700_000_000_000;

/** Limits that every store takes. */
interface StoreLimits {
  readonly maxResponseBytes?: number;
  readonly maxResponseBytesPerPayer?: number;
}

/** Opens a new, empty store, which is closed after the test. */
export type OpenStore = (limits?: StoreLimits) => Promise<RedemptionStore>;

export function row(change: Partial<Redemption> = {}): Redemption {
  return {
    txId: 'TX1',
    version: 1,
    state: 'claimed',
    payer: 'PAYER',
    groupDigest: 'd1',
    route: 'r1',
    requirements: {
      scheme: 'exact',
      network: 'algorand:x',
      asset: '1',
      amount: '1',
      payTo: 'MERCHANT',
      maxTimeoutSeconds: 60,
      extra: {},
    },
    idempotencyKey: 'k1',
    owner: 'o1',
    held: true,
    sent: false,
    runs: 1,
    delivered: false,
    updatedAt: NOW,
    ...change,
  };
}

/** What holds for every redemption store. */
export function describeRedemptionStore(name: string, open: OpenStore): void {
  describeRows(name, open);
  describeKeptResponses(name, () => open({ maxResponseBytes: 100, maxResponseBytesPerPayer: 50 }));
}

function describeRows(name: string, open: OpenStore): void {
  describe(`a redemption store ${name}`, () => {
    it('knows nothing of a payment that was not put', async () => {
      const store = await open();
      expect(await store.get('TX1')).toBeUndefined();
      expect(await store.getByPaymentId('p1')).toBeUndefined();
    });

    it('gives back what was put, by TxID and by payment id', async () => {
      const store = await open();
      const full = row({
        paymentId: 'p1',
        fingerprint: 'f1',
        receipt: { success: true, transaction: 'TX1', network: 'algorand:x' },
        response: {
          status: 200,
          headers: [['set-cookie', ['a', 'b']]],
          body: Buffer.from([0, 255]),
          keptUntil: NOW + 1,
        },
      });
      expect(await store.put(full)).toBe('stored');
      const found = await store.get('TX1');
      expect({ ...found, response: { ...found?.response, body: Buffer.from(found?.response?.body ?? []) } }).toEqual(
        full,
      );
      expect((await store.getByPaymentId('p1'))?.txId).toBe('TX1');
    });

    it('lets one of many first writers win', async () => {
      const store = await open();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, number) => store.put(row({ owner: `o${number}` }))),
      );
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'outdated')).toHaveLength(19);
    });

    it('replaces a row only from the version that the writer has seen', async () => {
      const store = await open();
      await store.put(row());
      expect(await store.put(row({ version: 2, state: 'sending' }), row())).toBe('stored');
      expect(await store.put(row({ version: 2, state: 'released' }), row())).toBe('outdated');
      expect(await store.put(row({ version: 4, state: 'released' }), row({ version: 3 }))).toBe('outdated');
      expect(await store.put(row({ version: 7, state: 'released' }))).toBe('outdated');
      expect((await store.get('TX1'))?.state).toBe('sending');
    });

    it('does not create a row from a later version', async () => {
      const store = await open();
      expect(await store.put(row({ version: 2 }), row())).toBe('outdated');
      expect(await store.get('TX1')).toBeUndefined();
    });

    it('removes a row only as the writer has seen it', async () => {
      const store = await open();
      await store.put(row({ paymentId: 'p1' }));
      expect(await store.remove(row({ version: 2 }))).toBe(false);
      expect(await store.remove(row())).toBe(true);
      expect(await store.remove(row())).toBe(false);
      expect([await store.get('TX1'), await store.getByPaymentId('p1')]).toEqual([undefined, undefined]);
      expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('stored');
    });

    it('keeps a hundred refused payments of one payer, the newest, and all that others brought', async () => {
      const store = await open();
      await store.put(row({ txId: 'OTHER', payer: 'OTHER', state: 'released', sent: true }));
      await store.put(row({ txId: 'OPEN', state: 'sending', sent: true }));
      for (let number = 0; number < 103; number++) {
        await store.put(row({ txId: `TX${number}`, state: 'released', sent: true, updatedAt: NOW + number }));
      }
      const found = await Promise.all(['OTHER', 'OPEN', 'TX2', 'TX3', 'TX102'].map((txId) => store.get(txId)));
      expect(found.map((known) => known?.txId)).toEqual(['OTHER', 'OPEN', undefined, 'TX3', 'TX102']);
    });

    it('gives one payment id to one TxID', async () => {
      const store = await open();
      await store.put(row({ paymentId: 'p1' }));
      expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('payment_id_taken');
      expect(await store.get('TX2')).toBeUndefined();
      expect(await store.put(row({ txId: 'TX2', paymentId: 'p2' }))).toBe('stored');
      expect(await store.put(row({ txId: 'TX2', version: 2, paymentId: 'p1' }), row())).toBe('payment_id_taken');
      expect((await store.getByPaymentId('p1'))?.txId).toBe('TX1');
    });

    it('has no conflict where a second writer of a payment brings its payment id', async () => {
      const store = await open();
      const writes = Array.from({ length: 20 }, (_, number) =>
        store.put(row({ owner: `o${number}`, paymentId: 'p1' })),
      );
      const outcomes = await Promise.all(writes);
      expect(new Set(outcomes)).toEqual(new Set(['stored', 'outdated']));
    });

    it('frees the payment id of a row that changes it', async () => {
      const store = await open();
      await store.put(row({ paymentId: 'p1' }));
      await store.put(row({ version: 2, paymentId: 'p2' }), row());
      expect(await store.getByPaymentId('p1')).toBeUndefined();
      expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('stored');
    });

    it('drops a response that the next version does not have', async () => {
      const store = await open();
      const response = { status: 200, headers: [], body: Buffer.from('x'), keptUntil: NOW + 1 };
      await store.put(row({ response }));
      await store.put(row({ version: 2 }), row());
      expect((await store.get('TX1'))?.response).toBeUndefined();
    });
  });
}

function describeKeptResponses(name: string, open: OpenStore): void {
  describe(`the kept responses of a store ${name}`, () => {
    const response = { status: 200, headers: [], body: new Uint8Array(20), keptUntil: NOW + 1 };

    it('of one payer displace those of the same payer, not of others', async () => {
      const store = await open();
      await store.put(row({ txId: 'OTHER', payer: 'OTHER', state: 'settled', response }));
      for (let number = 0; number < 10; number++) {
        const updatedAt = NOW + number;
        await store.put(row({ txId: `TX${number}`, state: 'settled', response, updatedAt }));
      }
      const kept = await Promise.all(['OTHER', 'TX7', 'TX8', 'TX9'].map((txId) => store.get(txId)));
      expect(kept.map((known) => [known?.state, known?.response?.body.length])).toEqual([
        ['settled', 20],
        ['settled', undefined],
        ['settled', 20],
        ['settled', 20],
      ]);
    });

    it('of many payers are bounded in total', async () => {
      const store = await open();
      for (let number = 0; number < 10; number++) {
        const updatedAt = NOW + number;
        await store.put(row({ txId: `TX${number}`, payer: `P${number}`, state: 'settled', response, updatedAt }));
      }
      const kept = await Promise.all(Array.from({ length: 10 }, (_, number) => store.get(`TX${number}`)));
      expect(kept.map((known) => known?.response !== undefined)).toEqual([
        ...Array.from({ length: 5 }, () => false),
        ...Array.from({ length: 5 }, () => true),
      ]);
    });
  });
}
