import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SettlementStore } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, OTHER_KEY, settle, withChanges, withStep } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

const h = new Harness({ instant: false });

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A store in which another caller has settled the payment, with the other key, as soon as its row is released. */
function settledByAnother(store: SettlementStore): SettlementStore {
  return withStep(store, 'released', async (txId, owner, released) => {
    const row = await store.find(txId);
    const isReleased = await store.change(txId, owner, released);
    if (row?.group === undefined) throw new TypeError('an unfinished row was to be released');
    await store.record({ ...row, group: row.group, keyHash: hashOf(OTHER_KEY) }, { owner: 'another', leaseMs: 60_000 });
    await store.change(txId, 'another', { to: 'submitted' });
    await store.change(txId, 'another', { to: 'confirmed', confirmedRound: 11n });
    return isReleased;
  });
}

describe('a row that is released and written anew for another caller', () => {
  it.each([
    ['with a key', KEY],
    ['without a key', undefined],
  ])('does not answer one who waited for the first row %s', async (_, key) => {
    const facilitator = h.create({ store: settledByAnother(h.store) });
    const payment = modelPayment(h.chain);
    h.chain.submit(payment.bytes);
    expect(await settle(facilitator, payment, key)).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: payment.txId,
    });
    expect(await h.store.find(payment.txId)).toMatchObject({ state: 'confirmed', delivered: false });
    expect(await settle(facilitator, payment, OTHER_KEY)).toMatchObject({ success: true });
  });

  it('does not answer one who saw the first row and then waited for the settlement of the second', async () => {
    let firstRow: { readonly keyHash: string } | undefined;
    const store = withChanges(h.store, {
      async find(txId) {
        const row = await h.store.find(txId);
        const seen = row && { ...row, ...firstRow };
        firstRow = undefined;
        return seen;
      },
    });
    const facilitator = h.create({ store, settleTimeoutMs: 3_000 });
    const payment = modelPayment(h.chain);
    const second = settle(facilitator, payment, OTHER_KEY);
    await eventually(() => h.chain.pool.size === 1);
    firstRow = { keyHash: hashOf(KEY) };
    const first = settle(facilitator, payment, KEY);
    await eventually(() => firstRow === undefined);
    h.chain.mine();
    expect(await second).toMatchObject({ success: true });
    expect(await first).toMatchObject({ success: false, errorReason: 'duplicate_settlement' });
  });
});
