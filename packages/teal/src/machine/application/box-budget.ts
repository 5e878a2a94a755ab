import { encodeHex } from '../../go/hex.ts';
import { BYTES_PER_BOX_REFERENCE } from '../limits.ts';
import { OpcodeFailure } from '../program-error.ts';
import { byteKey, bytesOfKey } from './byte-key.ts';
import type { ApplicationMember } from './effects.ts';
import type { Failure } from './failure.ts';
import type { ApplicationLedger } from './ledger.ts';
import { boxesOf, type SharedResources } from './shared-resources.ts';
import type { UnnamedResources } from './unnamed-resources.ts';

/** Bytes of an application's programs that cost nothing to read and write. */
const FREE_PROGRAM_BYTES = 8192;

/** An opcode's use of a box. */
export interface BoxUse {
  readonly kind: 'create' | 'write' | 'resize' | 'delete' | 'read';
  /** The size that a box has after it is created or resized. */
  readonly size: number;
  /** The size of the box before; undefined if there is none. */
  readonly present: number | undefined;
}

const VERBS = { create: 'creating', write: 'writing', resize: 'resizing', delete: 'accessing', read: 'accessing' };

/** The boxes that a group may use, and its budget of bytes for reading and writing them. */
export class BoxBudget {
  readonly #ledger: ApplicationLedger;
  readonly #resources: SharedResources;
  readonly #unnamed: UnnamedResources | undefined;
  readonly #references: number;
  /** Boxes by application and name. True if the box was written and is counted. */
  readonly #boxes = new Map<string, boolean>();
  /** The number of boxes of new applications that may still be used without a reference. */
  #unnamedLeft = 0;
  #isReadChecked = false;
  #written = 0;
  readonly #programBytes = new Map<bigint, number>();

  constructor(
    members: readonly ApplicationMember[],
    {
      ledger,
      resources,
      unnamed,
    }: { ledger: ApplicationLedger; resources: SharedResources; unnamed?: UnnamedResources | undefined },
  ) {
    this.#ledger = ledger;
    this.#resources = resources;
    this.#unnamed = unnamed;
    let references = 0;
    for (const { transaction } of members) {
      for (const { applicationId, name, isBlank } of boxesOf(transaction)) {
        references++;
        if (isBlank) this.#unnamedLeft++;
        else if (applicationId !== undefined) this.#boxes.set(boxKey(applicationId, name), false);
      }
    }
    this.#references = references;
  }

  /** Assigns the boxes that a creating call names for itself to the new application. */
  nameOwn({ transaction }: ApplicationMember, applicationId: bigint): void {
    for (const box of boxesOf(transaction)) {
      if (box.applicationId === undefined && !box.isBlank) this.#boxes.set(boxKey(applicationId, box.name), false);
    }
  }

  /** Checks once, before the first program, that the boxes and programs named by the group are not too large. */
  readProblem(): Failure | undefined {
    if (this.#isReadChecked) return undefined;
    this.#isReadChecked = true;
    let read = 0;
    for (const id of this.#resources.applications) {
      const called = this.#ledger.application(id);
      if (called !== undefined) read += beyondFree(called.approvalProgram.length + called.clearStateProgram.length);
    }
    for (const key of this.#boxes.keys()) {
      const { applicationId, name } = boxOfKey(key);
      read += this.#ledger.box(applicationId, name)?.length ?? 0;
    }
    const budget = this.#references * BYTES_PER_BOX_REFERENCE;
    if (this.#unnamed !== undefined) {
      if (this.#unnamed.leftToRead(budget - read)) return undefined;
      return { message: `read budget exceeded despite policy (${budget})` };
    }
    return read > budget ? { message: `read budget exceeded (${read} > ${budget})` } : undefined;
  }

  /**
   * Whether a program may use a box. For a box of a new application that nothing names, an empty reference is used up.
   */
  isAvailable(applicationId: bigint, name: Uint8Array): boolean {
    const key = boxKey(applicationId, name);
    if (this.#boxes.has(key)) return true;
    const isNew = this.#resources.createdApplications.has(applicationId);
    if (!isNew || this.#unnamedLeft === 0) return false;
    this.#unnamedLeft--;
    this.#boxes.set(key, false);
    return true;
  }

  /** Adds a box that a simulation allows although nothing names it. */
  allow(applicationId: bigint, name: Uint8Array): void {
    this.#boxes.set(boxKey(applicationId, name), false);
  }

  /**
   * Counts the bytes that an opcode writes.
   * @throws OpcodeFailure
   */
  use(applicationId: bigint, name: Uint8Array, use: BoxUse): void {
    const key = boxKey(applicationId, name);
    const counted = this.#boxes.get(key) ? (use.present ?? 0) : undefined;
    const after = countedAfter(use, counted);
    this.#written += (after ?? 0) - (counted ?? 0);
    this.#boxes.set(key, after !== undefined);
    const problem = this.#writeProblem(`${VERBS[use.kind]} box ${encodeHex(name)}`);
    if (problem !== undefined) throw new OpcodeFailure(problem.message);
  }

  programsWritten(verb: 'creating' | 'updating', applicationId: bigint, bytes: number): Failure | undefined {
    const before = this.#programBytes.get(applicationId) ?? 0;
    const now = beyondFree(bytes);
    this.#programBytes.set(applicationId, now);
    this.#written += now - before;
    return this.#writeProblem(`${verb} app ${applicationId}`);
  }

  /** Call it after an opcode has passed: a simulation then adds the references that its writes need. */
  settle(): void {
    this.#unnamed?.written(this.#written);
  }

  #writeProblem(action: string): Failure | undefined {
    const budget = this.#unnamed?.writeBudget ?? this.#references * BYTES_PER_BOX_REFERENCE;
    if (this.#written <= budget) return undefined;
    return { message: `write budget exceeded (${this.#written} > ${budget}) while ${action}` };
  }
}

/** The bytes of a box that count as written after its use; undefined if it counts as unwritten. */
function countedAfter({ kind, size, present }: BoxUse, counted: number | undefined): number | undefined {
  if (kind === 'resize') return size;
  if (kind === 'delete') return undefined;
  return kind === 'read' ? counted : (counted ?? present ?? size);
}

const beyondFree = (bytes: number): number => Math.max(bytes - FREE_PROGRAM_BYTES, 0);

function boxKey(applicationId: bigint, name: Uint8Array): string {
  return `${applicationId}:${byteKey(name)}`;
}

function boxOfKey(key: string): { readonly applicationId: bigint; readonly name: Uint8Array } {
  const colon = key.indexOf(':');
  return { applicationId: BigInt(key.slice(0, colon)), name: bytesOfKey(key.slice(colon + 1)) };
}
