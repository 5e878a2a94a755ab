import { formatAddress } from '@avm402/algorand/address';
import { applicationAddress } from './machine/application/application-address.ts';
import { byteKey, type ByteKey, bytesOfKey } from './machine/application/byte-key.ts';
import type { Failure } from './machine/application/failure.ts';
import type { GroupPrograms } from './machine/application/group-programs.ts';
import type {
  AccountState,
  ApplicationLedger,
  ApplicationState,
  BoxAccess,
  VoterState,
} from './machine/application/ledger.ts';
import { ON_COMPLETION, type TransactionFields } from './machine/group-transaction.ts';
import { isZero, type StackValue } from './machine/stack-value.ts';

type KeyValues = Map<ByteKey, StackValue>;

/** An application in memory. */
export interface MemoryApplication {
  params: ApplicationState;
  readonly globals: KeyValues;
  readonly boxes: Map<ByteKey, Uint8Array>;
  /** The state of the accounts that opted in. */
  readonly locals: Map<ByteKey, KeyValues>;
}

/** A new application whose one program answers every kind of call; `schema` is that of its globals and of its locals. */
export function applicationOf(
  creator: Uint8Array,
  program: Uint8Array,
  schema: ApplicationState['globalSchema'],
): ApplicationState {
  return {
    creator,
    approvalProgram: program,
    clearStateProgram: program,
    globalSchema: schema,
    localSchema: schema,
    extraProgramPages: 0,
    version: 0n,
    sizeSponsor: undefined,
    foreignBoxReads: false,
    familyBoxAccess: false,
  };
}

const MIN_BALANCE = 100_000n;
const USAGE = 1_000_000n;

/**
 * A ledger in memory, for programs without a node. It knows balances and applications, but no assets, schemas or minimum
 * balances of applications; as inner transactions it supports payments and NoOp calls. Ids of inner
 * transactions are not those of a network.
 */
export class MemoryLedger implements ApplicationLedger {
  readonly round: bigint;
  readonly latestTimestamp: bigint;
  readonly balances = new Map<ByteKey, bigint>();
  readonly applications = new Map<bigint, MemoryApplication>();

  constructor({ round = 1n, timestamp = 0n }: { readonly round?: bigint; readonly timestamp?: bigint } = {}) {
    this.round = round;
    this.latestTimestamp = timestamp;
  }

  account(address: Uint8Array): AccountState {
    return {
      balance: this.balances.get(byteKey(address)) ?? 0n,
      minBalance: MIN_BALANCE,
      authAddress: undefined,
      totalUints: 0n,
      totalByteSlices: 0n,
      totalExtraPages: 0n,
      totalAppsCreated: 0n,
      totalAppsOptedIn: 0n,
      totalAssetsCreated: 0n,
      totalAssets: 0n,
      totalBoxes: 0n,
      totalBoxBytes: 0n,
      incentiveEligible: false,
      lastProposed: 0n,
      lastHeartbeat: 0n,
    };
  }

  voter(): VoterState {
    return { balance: 0n, incentiveEligible: false };
  }

  onlineStake(): bigint {
    return 0n;
  }

  holding(): undefined {
    return undefined;
  }

  asset(): undefined {
    return undefined;
  }

  application(applicationId: bigint): ApplicationState | undefined {
    return this.applications.get(applicationId)?.params;
  }

  setBoxAccess(applicationId: bigint, access: BoxAccess): void {
    const application = this.applications.get(applicationId);
    if (application !== undefined) application.params = { ...application.params, ...access };
  }

  global(applicationId: bigint, key: Uint8Array): StackValue | undefined {
    return this.applications.get(applicationId)?.globals.get(byteKey(key));
  }

  setGlobal(applicationId: bigint, key: Uint8Array, value: StackValue | undefined): void {
    put(this.applications.get(applicationId)?.globals, key, value);
  }

  isOptedIn(address: Uint8Array, applicationId: bigint): boolean {
    return this.applications.get(applicationId)?.locals.has(byteKey(address)) ?? false;
  }

  local(address: Uint8Array, applicationId: bigint, key: Uint8Array): StackValue | undefined {
    return this.applications.get(applicationId)?.locals.get(byteKey(address))?.get(byteKey(key));
  }

  setLocal(address: Uint8Array, applicationId: bigint, key: Uint8Array, value: StackValue | undefined): void {
    put(this.applications.get(applicationId)?.locals.get(byteKey(address)), key, value);
  }

  box(applicationId: bigint, name: Uint8Array): Uint8Array | undefined {
    return this.applications.get(applicationId)?.boxes.get(byteKey(name));
  }

  setBox(applicationId: bigint, name: Uint8Array, content: Uint8Array | undefined): void {
    put(this.applications.get(applicationId)?.boxes, name, content);
  }

  encode(transaction: TransactionFields): Uint8Array {
    const text = JSON.stringify(transaction, (_, value: unknown) =>
      typeof value === 'bigint' || value instanceof Uint8Array ? String(value) : value,
    );
    return new TextEncoder().encode(text);
  }

  formProblem({ type }: TransactionFields): string | undefined {
    return type === '' ? 'unknown tx type ' : undefined;
  }

  usage(): bigint {
    return USAGE;
  }

  perform(group: GroupPrograms, index: number): Failure | undefined {
    const transaction = group.members[index]?.transaction;
    if (transaction === undefined) return undefined;
    const unpaid = this.#move(transaction.sender, undefined, transaction.fee);
    if (unpaid !== undefined) return unpaid;
    if (transaction.type === 'pay') return this.#pay(transaction);
    if (transaction.type === 'appl') return this.#call(group, index, transaction);
    return { message: `the ledger in memory does not support inner transactions of type ${transaction.type}` };
  }

  #pay({ sender, receiver, amount, closeRemainderTo }: TransactionFields): Failure | undefined {
    const failure = this.#move(sender, receiver, amount);
    if (failure !== undefined || isZero(closeRemainderTo)) return failure;
    return this.#move(sender, closeRemainderTo, this.account(sender).balance);
  }

  #call(group: GroupPrograms, index: number, call: TransactionFields): Failure | undefined {
    const { applicationId, onCompletion } = call;
    const program = this.application(applicationId)?.approvalProgram;
    if (program === undefined || onCompletion !== ON_COMPLETION.noOp) {
      return { message: 'the ledger in memory supports only inner NoOp calls of existing applications' };
    }
    const outcome = group.run({ index, applicationId, program, kind: 'approval' });
    if ('failure' in outcome) return outcome.failure;
    return outcome.status === 'passed' ? undefined : { message: 'transaction rejected by ApprovalProgram' };
  }

  #move(from: Uint8Array, to: Uint8Array | undefined, amount: bigint): Failure | undefined {
    const before = this.account(from).balance;
    if (amount > before) return { message: `overspend (account ${formatAddress(from)}, tried to spend ${amount})` };
    this.balances.set(byteKey(from), before - amount);
    if (to !== undefined) this.balances.set(byteKey(to), this.account(to).balance + amount);
    return undefined;
  }

  /** Adds an application, and returns it with the address of its account. */
  add(applicationId: bigint, params: ApplicationState): MemoryApplication & { readonly address: Uint8Array } {
    const application = { params, globals: new Map(), boxes: new Map(), locals: new Map() };
    this.applications.set(applicationId, application);
    return { ...application, address: applicationAddress(applicationId) };
  }
}

function put<Value>(values: Map<ByteKey, Value> | undefined, key: Uint8Array, value: Value | undefined): void {
  if (value === undefined) values?.delete(byteKey(key));
  else values?.set(byteKey(key), value);
}

/** The keys and values of a map, ordered by key. */
export function entriesOf<Value>(values: ReadonlyMap<ByteKey, Value>): readonly (readonly [Uint8Array, Value])[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [bytesOfKey(key), value]);
}
