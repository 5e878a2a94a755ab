import { expect, it } from 'vitest';
import { LedgerHistory } from '../src/payments/ledger-history.ts';

const LOOKS = 20;

it('a ledger that changes whenever it is looked at holds nobody up', async () => {
  let looks = 0;
  const history: LedgerHistory = new LedgerHistory(
    {
      state: () => {
        if (++looks < LOOKS) history.changed();
        return Promise.resolve({ round: 7n } as never);
      },
      dump: () => Promise.resolve(new Uint8Array()),
    },
    () => 0,
  );
  await history.keep();
  expect(history.before(8)).toMatchObject({ round: 7 });
  expect(looks).toBeLessThan(LOOKS);
});
