import type { Transaction } from '@avm402/algorand/transaction';
import { parseAddress } from '@avm402/algorand/address';
import { expect, it } from 'vitest';
import {
  closingGroup,
  handingOverGroup,
  openingGroup,
  refundGroup,
  toppingUpGroup,
} from '../../src/batch-settlement/channel-groups.ts';
import { channelId } from '../../src/batch-settlement/channel-program.ts';
import { closer, config } from './channel-fixture.ts';

const terms = { firstValid: 1n, lastValid: 9n, fee: 1000n };
const deposit = { feePayer: closer.address, deposit: 5n };
const amountOf = (txn: Transaction): unknown => ('amount' in txn ? txn.amount : undefined);

it.each<[string, readonly Transaction[], readonly bigint[], boolean]>([
  ['opens', openingGroup(config, deposit, terms), [0n, 200_000n, 0n, 5n], false],
  ['adds to', toppingUpGroup(config, deposit, terms), [0n, 5n], false],
  ['closes', closingGroup(config, 7n, terms), [0n, 7n, 0n], true],
  ['hands over', handingOverGroup(config, 7n, terms), [0n, 7n], true],
  ['refunds', refundGroup(config, closer.address, terms), [0n, 0n, 0n], false],
])(
  'a group that %s a channel moves no other amount, and its first member pays for all',
  (_what, group, amounts, isLeased) => {
    expect(group.map(amountOf)).toEqual(amounts);
    expect(group.map(({ fee }) => fee)).toEqual(
      amounts.map((_, index) => (index === 0 ? 1000n * BigInt(amounts.length) : 0n)),
    );
    const leases = group.map(({ lease }) => lease);
    expect(leases).toEqual(
      amounts.map((_, index) => (isLeased && index === 0 ? parseAddress(channelId(config)) : undefined)),
    );
  },
);
