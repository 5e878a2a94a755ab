import type { Budget, Environment } from '../environment.ts';
import type { ResourceReference, TransactionFields } from '../group-transaction.ts';
import type { ProgramError } from '../program-error.ts';
import type { StackValue } from '../stack-value.ts';
import type { TraceRoom } from '../trace-room.ts';
import type { TraceStep } from '../trace-step.ts';
import { applicationAddress } from './application-address.ts';
import { byteKey, type ByteKey } from './byte-key.ts';
import type { BoxBudget } from './box-budget.ts';
import type { ApplicationMember, ProgramEffects } from './effects.ts';
import type { Failure } from './failure.ts';
import type { FeePool } from './fee-pool.ts';
import type { GroupPrograms, ProgramCall, ProgramOutcome } from './group-programs.ts';
import type { ApplicationLedger } from './ledger.ts';
import type { SharedResources } from './shared-resources.ts';
import type { AskingProgram, UnnamedResources } from './unnamed-resources.ts';

/** Checks and runs programs. It is passed in, because opcodes run programs too. */
export interface ProgramRunner {
  check(group: ApplicationGroup, index: number, program: Uint8Array): string | undefined;
  run(group: ApplicationGroup, call: ProgramCall): ProgramOutcome;
}

/** Limits that a simulation may raise. */
export interface RunLimits {
  readonly maxLogCalls: number;
  readonly maxLogBytes: number;
  /** Budget added for the group, and again for each inner group. */
  readonly extraBudget: number;
}

/** The state that a group sent to the node shares with its inner groups. */
export interface SharedState {
  readonly environment: Environment;
  readonly ledger: ApplicationLedger;
  readonly programs: ProgramRunner;
  /** The budget that is left for programs. */
  readonly budget: Budget;
  /** The budget added so far, for a simulation's answer. */
  budgetAdded: number;
  /** The number of inner transactions that may still be submitted. */
  innerLeft: number;
  readonly fees: FeePool;
  readonly resources: SharedResources;
  readonly boxes: BoxBudget;
  /** Contents of boxes, with their whole buffers, that only the group's state holds. Opcodes change them in place. */
  readonly ownContents: WeakSet<Uint8Array>;
  readonly limits: RunLimits;
  /** Set if steps are recorded. */
  readonly trace: TraceRoom | undefined;
  /** Budget that a simulation may still add. Without a limit, each inner group could take seconds. */
  extraLeft: number;
  /** The instructions that lead to a place in a program, for messages of simulate. */
  readonly describe?: ((program: Uint8Array, pc: number) => string) | undefined;
  /** The program that started last. algod attributes what a simulation is asked for to it, even after it has ended. */
  asking?: AskingProgram | undefined;
  /** A simulation's answers about resources that no transaction names. */
  readonly unnamed?: UnnamedResources | undefined;
}

/** A group whose calls run programs. */
export class ApplicationGroup implements GroupPrograms {
  readonly members: readonly ApplicationMember[];
  /** The run of each member's program, for traces and costs. */
  readonly runs: (ProgramRun | undefined)[] = [];
  /** The run that submitted this group; undefined for the group that was sent to the node. */
  readonly caller: ProgramRun | undefined;
  readonly shared: SharedState;

  constructor(members: readonly ApplicationMember[], shared: SharedState, caller?: ProgramRun) {
    this.members = members;
    this.shared = shared;
    this.caller = caller;
  }

  check(index: number, program: Uint8Array): string | undefined {
    return this.shared.programs.check(this, index, program);
  }

  run(call: ProgramCall): ProgramOutcome {
    return this.shared.programs.run(this, call);
  }

  applied(index: number): void {
    this.shared.resources.noteEffects(this.members[index]?.effects ?? {});
  }

  programsWritten(verb: 'creating' | 'updating', applicationId: bigint, bytes: number): Failure | undefined {
    return this.shared.boxes.programsWritten(verb, applicationId, bytes);
  }
}

/** The state of a running program that others read: its costs, stack and scratch slots. */
interface RunningProgram {
  readonly cost: number;
  readonly stack: readonly StackValue[];
  load(slot: number): StackValue;
  scratch(): readonly StackValue[];
}

/** A transaction that a program builds field by field. */
export type InnerTransaction = { -readonly [Name in keyof TransactionFields]: TransactionFields[Name] };

/** One run of a program of an application. */
export class ProgramRun implements AskingProgram {
  readonly group: ApplicationGroup;
  readonly call: ProgramCall;
  readonly version: number;
  readonly member: ApplicationMember;
  readonly effects: ProgramEffects;
  /** The recorded steps, if steps are recorded. */
  readonly steps: readonly TraceStep[] | undefined;
  /** The transactions that `itxn_begin` has opened and `itxn_submit` has not sent yet. */
  open: InnerTransaction[] = [];
  /** The ids that it has read of its latest group's members, by the index used to read them. */
  readonly readIds = new Map<number, StackValue>();
  /** Index of the member of its latest group that is being performed, or that failed. */
  performing: number | undefined;
  /** The groups that it has submitted. */
  readonly submitted: ApplicationGroup[] = [];
  /** Whether it, or a call below it of the same creator's application, has used a box that a family shares. */
  usesFamilyBoxes = false;
  /** Set from the start of the program on. */
  machine: RunningProgram | undefined;
  /** The reason why it failed. */
  error: ProgramError | undefined;
  passed = false;
  /** The cost of the programs of inner calls. */
  innerCost = 0;

  constructor(
    group: ApplicationGroup,
    call: ProgramCall,
    { version, member, effects, steps }: Pick<ProgramRun, 'version' | 'member' | 'effects' | 'steps'>,
  ) {
    this.group = group;
    this.call = call;
    this.version = version;
    this.member = member;
    this.effects = effects;
    this.steps = steps;
  }

  get applicationId(): bigint {
    return this.call.applicationId;
  }

  get transaction(): TransactionFields {
    return this.member.transaction;
  }

  get caller(): ProgramRun | undefined {
    return this.group.caller;
  }

  get shared(): SharedState {
    return this.group.shared;
  }

  get highestVersion(): number {
    return Math.max(this.version, this.caller?.highestVersion ?? 0);
  }

  get topIndex(): number {
    return this.caller?.topIndex ?? this.call.index;
  }

  /** The account of the application. */
  get address(): Uint8Array {
    return applicationAddress(this.applicationId);
  }

  /** Adds the cost of an inner call, and notes if a call of its family has used the family's boxes. */
  returned(inner: ProgramRun): void {
    this.innerCost += inner.cost;
    if (inner.usesFamilyBoxes && inner.creator === this.creator) this.usesFamilyBoxes = true;
  }

  /** The creator of the application; undefined once it is deleted. */
  get creator(): ByteKey | undefined {
    const { creator } = this.shared.ledger.application(this.applicationId) ?? {};
    return creator && byteKey(creator);
  }

  /** The entries of the access list; undefined if the transaction has none. With an empty one it may have other lists. */
  get access(): readonly ResourceReference[] | undefined {
    return this.transaction.access;
  }

  /** The cost of the program and of the inner calls below it. */
  get cost(): number {
    return (this.machine?.cost ?? 0) + this.innerCost;
  }
}
