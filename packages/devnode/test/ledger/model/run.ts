// What the transactions of one group share in the model, and what one run of a program has.
import { applicationAddress } from '@avm402/teal/application';
import type { Transaction } from '../../../src/codec/schema/transaction.ts';
import { addressKey, type AddressKey } from '../../../src/transaction/address-key.ts';
import type { Plan } from './plan.ts';
import type { Value, World } from './world.ts';

export interface NaiveProgramEffects {
  /** undefined: deleted. */
  readonly globals: Map<string, Value | undefined>;
  readonly locals: Map<number, Map<string, Value | undefined>>;
  readonly shared: AddressKey[];
  readonly logs: string[];
  readonly inner: NaiveTransaction[];
}

export interface NaiveTransaction {
  readonly transaction: Transaction;
  applicationId?: bigint;
  configAsset?: bigint;
  closingAmount?: bigint;
  assetClosingAmount?: bigint;
  program?: NaiveProgramEffects;
}

/** What happened in a group, so that a test can assert that it saw everything. */
export type Count = (event: string) => void;

/** Everything that a group and its inner groups share. Only `world` is ever taken back. */
export interface GroupRun {
  world: World;
  readonly members: readonly NaiveTransaction[];
  readonly feeSink: AddressKey;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly count: Count;
  /** Gives a transaction its effect, whoever submits it. */
  readonly perform: (group: GroupRun, member: NaiveTransaction, caller: ProgramRun | undefined) => void;
  innerLeft: number;
  credit: bigint;
  /** In 10⁻¹² µAlgo. */
  residue: bigint;
  /** Bytes written, by box. */
  readonly dirty: Map<string, number>;
  /** Boxes of new applications that an empty reference has been used up for. */
  readonly adopted: Set<string>;
  readonly newAssets: Set<bigint>;
  readonly newApplications: Set<bigint>;
  isReadChecked: boolean;
}

export interface ProgramRun {
  readonly group: GroupRun;
  readonly kind: 'approval' | 'clear';
  readonly application: bigint;
  readonly plan: Plan;
  readonly transaction: Transaction;
  readonly effects: NaiveProgramEffects;
  readonly caller: ProgramRun | undefined;
  /** The inner transaction submitted last. */
  last: NaiveTransaction | undefined;
}

const addresses = new Map<bigint, AddressKey>();

/** The account of an application. */
export function addressOf(application: bigint): AddressKey {
  const known = addresses.get(application);
  if (known !== undefined) return known;
  const address = addressKey(applicationAddress(application));
  addresses.set(application, address);
  return address;
}

const ONE = 1_000_000n;

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Usage of a transaction in millionths: what is too long costs 100 of them a byte. */
export function usageOf({ note, applicationArgs = [] }: Transaction): bigint {
  const beyond = (bytes: number, free: number): bigint => 100n * BigInt(Math.max(0, bytes - free));
  return (
    ONE +
    beyond(note.length, 1024) +
    beyond(
      applicationArgs.reduce((sum, { length }) => sum + length, 0),
      2048,
    )
  );
}
