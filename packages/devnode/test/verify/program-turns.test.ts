import { setImmediate as otherEvents } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import { logicSignature, signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { programAddress } from '@avm402/teal/program-address';
import { ALICE, testNode, unsigned } from '../chain-fixture.ts';

const GROUPS = 30;

test('other events have their turn between the programs of groups that arrive together', async () => {
  const node = testNode({ blocks: 'manual' });
  for (let number = 0; number < GROUPS; number++) {
    // pushint number; pop; label: b label
    const logic = Buffer.from(`0881${number.toString(16).padStart(2, '0')}4842fffd`, 'hex');
    const transaction = unsigned(ALICE, node, { sender: programAddress(logic) });
    const signed = signedTransaction.of({ transaction, logicSignature: logicSignature.of({ logic }) });
    node.submissions.submitAsync(encode(signedTransaction, signed), {});
  }
  let turns = 0;
  for (; node.counters.backlogDropped < GROUPS; turns++) await otherEvents();
  expect(turns).toBeGreaterThanOrEqual(GROUPS);
  node.close();
});
