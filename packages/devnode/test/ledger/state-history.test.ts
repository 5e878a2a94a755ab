import { expect, test } from 'vitest';
import { blockHeader } from '../../src/codec/schema/block.ts';
import { StateDelta } from '../../src/ledger/state/state.ts';
import { StateHistory } from '../../src/ledger/state/state-history.ts';
import { StateStore } from '../../src/ledger/state/state-store.ts';
import { addressKey } from '../../src/transaction/address-key.ts';

const [ALWAYS, ONCE] = [1, 2].map((byte) => addressKey(new Uint8Array(32).fill(byte))) as [string, string];
const NO_MONEY = { microAlgos: 0n, rewardUnits: 0n };

test('the state after each of twenty thousand rounds can be read', () => {
  const [present, latest] = [new StateStore(), 20_000n];
  const history = new StateHistory(Number(latest));
  for (let round = 1n; round <= latest; round++) {
    const changed = new StateDelta(present);
    changed.changeAccount(ALWAYS, { microAlgos: round });
    if (round === 10_000n) changed.changeAccount(ONCE, { microAlgos: 7n });
    history.add({
      header: blockHeader.of({ round }),
      previousTimestamp: 0n,
      evaluationTimestamp: 0n,
      changed,
      before: present.advance(round, changed),
      totals: { notParticipating: NO_MONEY, offline: NO_MONEY, online: NO_MONEY },
      transactions: [],
      leases: new Map(),
    });
  }
  for (const round of [0n, 1n, 9_999n, 10_000n, latest]) {
    const state = history.at(round, { present, latest });
    expect(state?.account(ALWAYS).microAlgos).toBe(round);
    expect(state?.account(ONCE).microAlgos).toBe(round < 10_000n ? 0n : 7n);
  }
  expect(history.at(latest + 1n, { present, latest })).toBeUndefined();
});
