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
import { channelId } from '../../src/batch-settlement/channel-config.ts';
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

const id = channelId(config);
const { payer, receiver, funder, receiverAuthorizer, token: assetId } = config;
const paying = { type: 'pay', sender: closer.address, receiver: closer.address };
const shared = { firstValid: 1n, lastValid: 9n, genesisHash: config.genesisHash };

it.each<[string, readonly Transaction[], readonly object[]]>([
  [
    'opens',
    openingGroup(config, deposit, terms),
    [
      paying,
      { type: 'pay', sender: funder, receiver: id },
      { type: 'axfer', sender: id, receiver: id, assetId },
      { type: 'axfer', sender: payer, receiver: id, assetId },
    ],
  ],
  [
    'adds to',
    toppingUpGroup(config, deposit, terms),
    [paying, { type: 'axfer', sender: payer, receiver: id, assetId }],
  ],
  [
    'closes',
    closingGroup(config, 7n, terms),
    [
      { type: 'pay', sender: receiverAuthorizer, receiver: receiverAuthorizer },
      { type: 'axfer', sender: id, receiver, assetId, assetCloseTo: payer },
      { type: 'pay', sender: id, receiver: funder, closeRemainderTo: funder },
    ],
  ],
  [
    'hands over',
    handingOverGroup(config, 7n, terms),
    [
      { type: 'pay', sender: receiverAuthorizer, receiver: receiverAuthorizer },
      { type: 'axfer', sender: id, receiver, assetId, rekeyTo: payer },
    ],
  ],
  [
    'refunds',
    refundGroup(config, closer.address, terms),
    [
      paying,
      { type: 'axfer', sender: id, receiver: payer, assetId, assetCloseTo: payer },
      { type: 'pay', sender: id, receiver: funder, closeRemainderTo: funder },
    ],
  ],
])('a group that %s a channel has these members and says nothing else', (_what, group, members) => {
  const said = group.map((txn) => {
    const { fee: _fee, lease: _lease, group: _group, ...rest } = txn;
    return Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'amount'));
  });
  expect(said).toEqual(members.map((member) => ({ ...shared, ...member })));
});
