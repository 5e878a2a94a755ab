// A whole group in the model: a copy of the world that is kept only if every member passes.
import type { Transaction } from '../../../src/codec/schema/transaction.ts';
import { addressKey, type AddressKey } from '../../../src/transaction/address-key.ts';
import { callApplication } from './applications.ts';
import type { Plan } from './plan.ts';
import { addressOf, type Count, type GroupRun, type NaiveTransaction, type ProgramRun, usageOf } from './run.ts';
import { configureAsset, freezeAsset, pay, rekey, transferAsset } from './transactions.ts';
import { accountOf, copyOf, minimumOf, move, refuse, Refused, type World } from './world.ts';

const ONE = 1_000_000n;

/** A transaction sent to the node, with the key that signs it. */
export interface SentTransaction {
  readonly transaction: Transaction;
  readonly signer: AddressKey;
}

export interface Rules {
  readonly feeSink: AddressKey;
  /** Accounts that need no minimum balance. */
  readonly exempt: ReadonlySet<AddressKey>;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly count: Count;
}

export type NaiveOutcome =
  | { readonly refused: undefined; readonly world: World; readonly members: readonly NaiveTransaction[] }
  | { readonly refused: { readonly member: number; readonly words: string } };

export function evaluate(world: World, sent: readonly SentTransaction[], rules: Rules): NaiveOutcome {
  const members = sent.map(({ transaction }): NaiveTransaction => ({ transaction }));
  const group = openGroup(copyOf(world), members, rules);
  for (const [index, member] of members.entries()) {
    try {
      take(group, member, sent[index]?.signer ?? '', rules);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { refused: { member: index, words: error.message } };
    }
  }
  if (surplusOf(members).surplus < 0n) return { refused: { member: members.length - 1, words: 'txgroup with ' } };
  return { refused: undefined, world: group.world, members };
}

function openGroup(world: World, members: readonly NaiveTransaction[], { feeSink, plans, count }: Rules): GroupRun {
  const { surplus, residue } = surplusOf(members);
  return {
    world,
    members,
    feeSink,
    plans,
    count,
    perform,
    innerLeft: 256,
    credit: surplus > 0n ? surplus : 0n,
    residue,
    dirty: new Map(),
    adopted: new Set(),
    newAssets: new Set(),
    newApplications: new Set(),
    isReadChecked: false,
  };
}

/** What a group pays beyond its need, and what was added to round its need up. */
function surplusOf(members: readonly NaiveTransaction[]): { readonly surplus: bigint; readonly residue: bigint } {
  const amount = 1000n * members.reduce((sum, { transaction }) => sum + usageOf(transaction), 0n);
  const need = amount / ONE + (amount % ONE > 0n ? 1n : 0n);
  const paid = members.reduce((sum, { transaction }) => sum + transaction.fee, 0n);
  return { surplus: paid - need, residue: (need * ONE - amount) * ONE };
}

function take(group: GroupRun, member: NaiveTransaction, signer: AddressKey, { exempt }: Rules): void {
  const sender = addressKey(member.transaction.sender);
  if ((accountOf(group.world, sender).auth ?? sender) !== signer) refuse('should have been authorized by');
  perform(group, member, undefined);
  if (member.configAsset !== undefined) group.newAssets.add(member.configAsset);
  for (const [key, account] of group.world.accounts) {
    if (exempt.has(key) || isNobody(group.world, key)) continue;
    if (account.balance < minimumOf(group.world, key, addressOf)) refuse(' below min ');
  }
  group.count(`${member.transaction.type} passed`);
}

/** Whether an account has nothing at all, so that it does not exist. */
export function isNobody(world: World, key: AddressKey): boolean {
  const { balance, auth } = accountOf(world, key);
  return balance === 0n && auth === undefined && minimumOf(world, key, addressOf) === 100_000n;
}

/** The effect of any transaction, with its fee. */
function perform(group: GroupRun, member: NaiveTransaction, caller: ProgramRun | undefined): void {
  const { transaction } = member;
  move(group.world, addressKey(transaction.sender), group.feeSink, transaction.fee);
  group.world.counter++;
  rekey(group.world, transaction);
  if (transaction.type === 'appl') callApplication(group, member, caller);
  else EFFECTS[transaction.type]?.(group, member);
}

const EFFECTS: Readonly<Record<string, (group: GroupRun, member: NaiveTransaction) => void>> = {
  pay,
  acfg: configureAsset,
  axfer: transferAsset,
  afrz: freezeAsset,
};
