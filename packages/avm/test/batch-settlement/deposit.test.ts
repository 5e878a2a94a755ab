import { describe, expect, it } from 'vitest';
import { assignGroup } from '@avm402/algorand/group';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import { checkChannelConfig, checkVoucher } from '../../src/batch-settlement/checks/channel.ts';
import { checkDeposit } from '../../src/batch-settlement/checks/deposit.ts';
import { channelId } from '../../src/batch-settlement/channel-program.ts';
import { parseChannelTerms } from '../../src/batch-settlement/channel-terms.ts';
import { signVoucher } from '../../src/batch-settlement/voucher.ts';
import { payer, seller, sessionKey } from './channel-fixture.ts';
import { config, deposit, parsed, requirements, sponsor } from './channel-stage.ts';

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return isX402Error(error) ? error.code : error;
  }
};
const GROUP = 'invalid_batch_settlement_avm_deposit_group';

function ungrouped(members: readonly Transaction[]): Transaction[] {
  return members.map(({ group: _group, ...txn }) => txn);
}

/** Changes one member, and groups all anew. */
const changing = (index: number, change: object) => (members: readonly Transaction[]) =>
  assignGroup(ungrouped(members).map((txn, at) => (at === index ? { ...txn, ...change } : txn)));

describe('a deposit', () => {
  it('opens its channel with exactly the group of the specification', () => {
    expect(checkDeposit(deposit(), requirements)).toMatchObject({
      kind: 'open',
      channelId: channelId(config),
      amount: 1_000_000n,
      payer: payer.address,
      fee: 4000n,
      txId: deposit().deposit.paymentGroup[3]?.txId,
    });
  });

  it.each([
    ['another fee payer', changing(0, { sender: seller.address, receiver: seller.address })],
    ['a fee payer who pays somebody', changing(0, { receiver: seller.address })],
    ['a lease', changing(0, { lease: new Uint8Array(32).fill(1) })],
    ['more ALGO than is lent', changing(1, { amount: 300_000n })],
    ['ALGO to the payer', changing(1, { receiver: payer.address })],
    ['an opt-in that hands the channel over', changing(2, { rekeyTo: payer.address })],
    ['another deposit than it says', changing(3, { amount: 1_000_001n })],
    ['a deposit to the seller', changing(3, { receiver: seller.address })],
    [
      'a member more',
      (members: readonly Transaction[]) => assignGroup([...ungrouped(members), ...ungrouped(members).slice(0, 1)]),
    ],
    ['a member less', (members: readonly Transaction[]) => assignGroup(ungrouped(members).slice(1))],
    ['no group id', ungrouped],
    ['a window above 1,000 rounds', changing(0, { lastValid: 1011n })],
    ['a fee that four can’t share', changing(0, { fee: 4001n })],
    ['a fee of the payer', changing(3, { fee: 1000n })],
  ])('is refused with %s', (_what, change) => {
    expect(codeOf(() => checkDeposit(deposit(1_000_000n, change), requirements))).toBe(GROUP);
  });

  it.each([
    ['1,000 rounds', 1010n, undefined],
    ['one round', 10n, undefined],
    ['1,001 rounds', 1011n, GROUP],
    ['no round', 9n, GROUP],
  ])('is valid for %s or not, all members alike', (_what, lastValid, code) => {
    const valid = (members: readonly Transaction[]) =>
      assignGroup(ungrouped(members).map((txn) => ({ ...txn, lastValid })));
    expect(codeOf(() => checkDeposit(deposit(1_000_000n, valid), requirements))).toBe(code);
  });

  it('is refused where the payer has not signed, or somebody else has', () => {
    const { deposit: right, ...rest } = deposit();
    const unsigned = right.paymentGroup.map((member, at) =>
      at === 3 ? { ...member, signed: { txn: member.signed.txn } } : member,
    );
    expect(codeOf(() => checkDeposit({ ...rest, deposit: { ...right, paymentGroup: unsigned } }, requirements))).toBe(
      GROUP,
    );
    const forged = right.paymentGroup.map((member, at) =>
      at === 3
        ? {
            bytes: encodeSignedTransaction({ txn: member.signed.txn, signature: sessionKey.sign(member.signingBytes) }),
          }
        : member,
    );
    expect(
      codeOf(() => checkDeposit(parsed({ ...rest, deposit: { ...right, paymentGroup: forged } }), requirements)),
    ).toBe(GROUP);
  });

  it('is refused where the sponsor’s members carry a signature', () => {
    const { deposit: right, ...rest } = deposit();
    const signed = right.paymentGroup.map((member, at) =>
      at === 0
        ? {
            bytes: encodeSignedTransaction({ txn: member.signed.txn, signature: sessionKey.sign(member.signingBytes) }),
          }
        : member,
    );
    expect(
      codeOf(() => checkDeposit(parsed({ ...rest, deposit: { ...right, paymentGroup: signed } }), requirements)),
    ).toBe(GROUP);
  });

  it('is at least what the seller takes', () => {
    expect(codeOf(() => checkDeposit(deposit(999_999n), requirements))).toBe(
      'invalid_batch_settlement_avm_deposit_below_minimum',
    );
  });
});

describe('a channel', () => {
  it.each([
    ['receiver', { receiver: sponsor }],
    ['receiverAuthorizer', { receiverAuthorizer: sponsor }],
    ['funder', { funder: seller.address }],
    ['token', { token: 1n }],
    ['genesisHash', { genesisHash: new Uint8Array(32).fill(8) }],
  ])('is refused where its %s is not that of the offer', (_what, change) => {
    expect(codeOf(() => checkChannelConfig(config, requirements))).toBeUndefined();
    expect(codeOf(() => checkChannelConfig({ ...config, ...change }, requirements))).toBe(
      'invalid_batch_settlement_avm_channel_config',
    );
  });

  it('takes vouchers of its own id that its session key signed, and no others', () => {
    const voucher = signVoucher(sessionKey, channelId(config), 5n);
    expect(codeOf(() => checkVoucher(config, voucher))).toBeUndefined();
    const other = { ...config, salt: new Uint8Array(16).fill(1) };
    expect(codeOf(() => checkVoucher(other, voucher))).toBe('invalid_batch_settlement_avm_channel_id_mismatch');
    expect(codeOf(() => checkVoucher(config, { ...voucher, maxClaimableAmount: 6n }))).toBe(
      'invalid_batch_settlement_avm_voucher_signature',
    );
  });

  it.each(['receiverAuthorizer', 'claimAuthorizer', 'genesisHash', 'feePayer', 'funder', 'minDeposit', 'minRounds'])(
    'is not offered without %s',
    (name) => {
      expect(codeOf(() => parseChannelTerms({ ...requirements.extra, [name]: undefined }))).toBe(
        'invalid_payment_requirements',
      );
      expect(codeOf(() => parseChannelTerms({ ...requirements.extra, [name]: '-1' }))).toMatch(/requirements|amount/);
    },
  );
});
