import { describe, expect, it } from 'vitest';
import { assignGroup } from '@avm402/algorand/group';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import { checkChannelConfig, checkVoucher } from '../../src/batch-settlement/checks/channel.ts';
import { checkDeposit } from '../../src/batch-settlement/checks/deposit.ts';
import { toppingUpGroup } from '../../src/batch-settlement/channel-groups.ts';
import { channelId } from '../../src/batch-settlement/channel-config.ts';
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
const messageOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return isX402Error(error) ? error.message : error;
  }
};
const GROUP = 'invalid_batch_settlement_avm_deposit_group';

function ungrouped(members: readonly Transaction[]): Transaction[] {
  return members.map(({ group: _group, ...txn }) => txn);
}

/** Changes one member, and groups all anew. */
const changing = (index: number, change: object) => (members: readonly Transaction[]) =>
  assignGroup(ungrouped(members).map((txn, at) => (at === index ? { ...txn, ...change } : txn)));

/** Changes one member under the same group id. */
const keepingId = (index: number, change: object) => (members: readonly Transaction[]) =>
  members.map((txn, at) => (at === index ? { ...txn, ...change } : txn));

type Members = ReturnType<typeof deposit>['deposit']['paymentGroup'];

/** A right deposit whose members are changed after they were signed. */
function grouped(change: (members: Members) => readonly { readonly bytes: Uint8Array }[]) {
  const { deposit: right, ...rest } = deposit();
  return parsed({ ...rest, deposit: { ...right, paymentGroup: change(right.paymentGroup) } });
}

const unsignedAt = (index: number) => (members: Members) =>
  members.map(({ bytes, signed: { txn } }, at) => ({ bytes: at === index ? encodeTransaction(txn) : bytes }));

const signedAt = (index: number) => (members: Members) =>
  members.map(({ bytes, signed: { txn }, signingBytes }, at) => ({
    bytes: at === index ? encodeSignedTransaction({ txn, signature: sessionKey.sign(signingBytes) }) : bytes,
  }));

/** The member with another authorization. */
const authorizedAt = (index: number, change: object) => (members: Members) =>
  members.map(({ bytes, signed }, at) => ({
    bytes: at === index ? encodeSignedTransaction({ ...signed, ...change }) : bytes,
  }));
const strangers = {
  version: 1,
  threshold: 1,
  subsignatures: [{ publicKey: sessionKey.publicKey, signature: new Uint8Array(64) }],
};

describe('a deposit', () => {
  it('opens its channel with exactly the group of the specification', () => {
    expect(checkDeposit(deposit(), requirements)).toMatchObject({
      kind: 'open',
      channelId: channelId(config),
      amount: 1_000_000n,
      payer: payer.address,
      signer: payer.address,
      feePayer: sponsor,
      firstValid: 10n,
      lastValid: 1010n,
      fee: 4000n,
      txId: deposit().deposit.paymentGroup[3]?.txId,
    });
  });

  it('adds to its channel with the two members of the specification, from any amount on', () => {
    const terms = { firstValid: 10n, lastValid: 1010n, fee: 1000n };
    const topUp = deposit(5n, () => toppingUpGroup(config, { feePayer: sponsor, deposit: 5n }, terms));
    expect(checkDeposit(topUp, requirements)).toMatchObject({ kind: 'top-up', amount: 5n, fee: 2000n });
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

  it('may be signed by the key that its payer says it is rekeyed to', () => {
    const rekeyed = grouped((members) =>
      members.map(({ bytes, signed: { txn }, signingBytes }, at) => {
        const authorization = { signature: sessionKey.sign(signingBytes), authAddress: config.payerAuthorizer };
        return { bytes: at === 3 ? encodeSignedTransaction({ txn, ...authorization }) : bytes };
      }),
    );
    const { signer, payer: from } = checkDeposit(rekeyed, requirements);
    expect([signer, from]).toEqual([config.payerAuthorizer, payer.address]);
  });

  it('is at least what the seller takes', () => {
    const small = () => checkDeposit(deposit(999_999n), requirements);
    expect(codeOf(small)).toBe('invalid_batch_settlement_avm_deposit_below_minimum');
    expect(messageOf(small)).toBe('the deposit is 999999, the seller takes channels from 1000000');
  });

  it.each<[string, ReturnType<typeof deposit>, string]>([
    ['no member', grouped(() => []), 'it is empty'],
    ['three members', deposit(1_000_000n, (members) => assignGroup(ungrouped(members).slice(1))), 'it has 3 members'],
    ['a fee that four can’t share', deposit(1_000_000n, changing(0, { fee: 4001n })), 'not the same for each'],
    ['too long a window', deposit(1_000_000n, changing(0, { lastValid: 1011n })), 'its window is not one'],
    ['another first member', deposit(1_000_000n, changing(0, { receiver: seller.address })), 'member 0 is not that of'],
    ['another last member', deposit(1_000_000n, keepingId(3, { amount: 1n })), 'member 3 is not that of'],
    ['an unsigned member of the channel', grouped(unsignedAt(2)), 'member 2 is not signed by the channel’s program'],
    ['a member of the sponsor that is signed', grouped(signedAt(1)), 'member 1 is signed already'],
    [
      'a member of the sponsor that a Falcon key has signed',
      grouped(authorizedAt(0, { pqSignature: encodeMsgpack({ sig: new Uint8Array(1232).fill(1) }) })),
      'member 0 is signed already',
    ],
    ['an unsigned transfer', grouped(unsignedAt(3)), 'carries no signature'],
    ['a transfer that somebody else has signed', grouped(signedAt(3)), 'signature'],
    [
      'a transfer whose payer names itself as its authorizer',
      grouped(authorizedAt(3, { authAddress: payer.address })),
      'the authorizer (sgnr) must be left out when it is the payer itself',
    ],
    [
      'a transfer signed by a multisig that is not its payer',
      grouped(authorizedAt(3, { signature: undefined, multisig: strangers })),
      `the multisig is not that of ${payer.address}`,
    ],
  ])('is refused with %s, and told why', (_what, payload, reason) => {
    expect(codeOf(() => checkDeposit(payload, requirements))).toBe(GROUP);
    expect(messageOf(() => checkDeposit(payload, requirements))).toMatch(/^the deposit's group: /);
    expect(messageOf(() => checkDeposit(payload, requirements))).toContain(reason);
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
