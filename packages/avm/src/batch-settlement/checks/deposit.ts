import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { sameBytes } from '@avm402/algorand/bytes';
import { encodeTransaction, MAX_WINDOW_ROUNDS, type Transaction } from '@avm402/algorand/transaction';
import { kindProblem, signatureProblem, signerOf, signerProblem } from '../../signing/authorization.ts';
import type { GroupTerms } from '../../signing/pooled-group.ts';
import { type GroupMember, isUnsigned } from '../../wire/group-member.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { openingGroup, signByChannel, toppingUpGroup } from '../channel-groups.ts';
import { parseChannelTerms } from '../channel-terms.ts';
import type { ParsedDeposit } from '../payload.ts';

/** A deposit that passed all offline checks. Whether the chain accepts it is not known yet. */
export interface CheckedDeposit {
  readonly kind: 'open' | 'top-up';
  readonly channelId: string;
  /** Id of the payer's transfer, the group's last member. It is the key of the deposit's settlement. */
  readonly txId: string;
  /** Atomic units. */
  readonly amount: bigint;
  readonly payer: string;
  /**
   * The address whose signature the transfer carries: the payer, or the address that the payer claims to be rekeyed to.
   */
  readonly signer: string;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** The account that pays for the group, and the number of µAlgo. */
  readonly feePayer: string;
  readonly fee: bigint;
  /** The members as sent; those of fee payer and funder are not signed. */
  readonly members: readonly GroupMember[];
}

/**
 * Checks that the group is byte for byte the one that opens this channel or adds to its deposit, because the sponsor
 * would pay the fee of anything else in it. The payer has signed it; fee payer and funder have not yet (rule 5 except
 * for the chain).
 * @throws X402Error `invalid_batch_settlement_avm_deposit_group`, `_deposit_below_minimum`
 */
export function checkDeposit(payload: ParsedDeposit, requirements: PaymentRequirements): CheckedDeposit {
  const { channelConfig: config, deposit } = payload;
  const { feePayer, minDeposit } = parseChannelTerms(requirements.extra);
  const members = deposit.paymentGroup;
  const [first] = members;
  const transfer = members.at(-1);
  if (first === undefined || transfer === undefined) throw invalid('it is empty');
  const kind = members.length === 4 ? 'open' : 'top-up';
  if (kind === 'open' && deposit.amount < minDeposit) {
    throw new X402Error('invalid_batch_settlement_avm_deposit_below_minimum', {
      message: `the deposit is ${deposit.amount}, the seller takes channels from ${minDeposit}`,
    });
  }
  const expected = (kind === 'open' ? openingGroup : toppingUpGroup)(
    config,
    { feePayer, deposit: deposit.amount },
    termsOf(first, members.length),
  );
  checkMembers(config, members, expected);
  checkPayerSigned(transfer);
  const { firstValid, lastValid } = transfer.signed.txn;
  const facts = {
    txId: transfer.txId,
    payer: config.payer,
    signer: signerOf({ transfer }),
    firstValid,
    lastValid,
    feePayer,
    fee: first.signed.txn.fee,
  };
  return { kind, channelId: channelId(config), amount: deposit.amount, ...facts, members };
}

/** The values that a group may choose: its window and the fee. */
function termsOf(first: GroupMember, size: number): GroupTerms {
  const { fee, firstValid, lastValid, genesisId } = first.signed.txn;
  const count = BigInt(size);
  if (fee % count !== 0n) throw invalid('the fee is not the same for each member');
  if (lastValid < firstValid || lastValid - firstValid > MAX_WINDOW_ROUNDS) throw invalid('its window is not one');
  return { firstValid, lastValid, ...(genesisId !== undefined && { genesisId }), fee: fee / count };
}

function checkMembers(config: ChannelConfig, members: readonly GroupMember[], expected: readonly Transaction[]): void {
  if (members.length !== expected.length) throw invalid(`it has ${members.length} members`);
  for (const [index, txn] of expected.entries()) {
    const member = members[index];
    if (member === undefined || !sameBytes(encodeTransaction(member.signed.txn), encodeTransaction(txn))) {
      throw invalid(`member ${index} is not that of the channel's group`);
    }
    const isPayers = index === expected.length - 1;
    if (!isPayers) checkAuthorization(config, member, txn, index);
  }
}

/** Checks that the channel's own member is signed by its program, and that the sponsor's members are not signed. */
function checkAuthorization(config: ChannelConfig, member: GroupMember, txn: Transaction, index: number): void {
  const isProgram = txn.sender === channelId(config);
  const isRight = isProgram ? sameBytes(member.bytes, signByChannel(config, txn)) : isUnsigned(member);
  if (!isRight)
    throw invalid(`member ${index} is ${isProgram ? 'not signed by the channel’s program' : 'signed already'}`);
}

function checkPayerSigned(transfer: GroupMember): void {
  const problem = kindProblem({ transfer }) ?? signerProblem({ transfer }) ?? signatureProblem({ transfer });
  if (problem !== undefined) throw invalid(problem.message, problem.cause);
}

function invalid(what: string, cause?: unknown): X402Error {
  return new X402Error('invalid_batch_settlement_avm_deposit_group', {
    message: `the deposit's group: ${what}`,
    cause,
  });
}
