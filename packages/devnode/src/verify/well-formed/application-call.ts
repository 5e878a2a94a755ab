import type { Transaction } from '../../codec/schema/transaction.ts';
import { stateSchema } from '../../codec/schema/transaction.ts';
import type { ValueOf } from '../../codec/kind.ts';
import { programVersion } from '../../transaction/program-version.ts';

/** Kinds of application calls, the numbers of `apan`. */
const UPDATE = 4n;
const LAST_COMPLETION = 5n;

/** Limits of application calls in v41 and v42 (go-algorand config/consensus.go). */
const MAX_ARGUMENTS = 16;
const MAX_ARGUMENT_BYTES = 4096;
const MAX_TOTAL_ARGUMENT_BYTES = 4096;
const MAX_REFERENCES = 8;
const MAX_ACCESS = 16;
const MAX_BOX_NAME_BYTES = 64;
const MAX_LOCAL_ENTRIES = 16n;
const MAX_GLOBAL_ENTRIES = 64n;
const PROGRAM_PAGE_BYTES = 2048;
const MAX_EXTRA_PAGES = 7;

/** From this version on both programs of an application must have the same one. */
const SAME_VERSION_FROM = 6n;

/** What is wrong with the form of an `appl` (go-algorand data/transactions/application.go). */
export function applicationCallProblem(call: Transaction): string | undefined {
  if (call.onCompletion > LAST_COMPLETION) return `invalid application OnCompletion (${call.onCompletion})`;
  return (
    programsProblem(call) ??
    creationProblem(call) ??
    programSizeProblem(call) ??
    argumentsProblem(call) ??
    (call.access !== undefined && call.access.length > 0 ? accessProblem(call) : referencesProblem(call)) ??
    schemaProblem(call)
  );
}

function isCreation({ applicationId }: Transaction): boolean {
  return applicationId === 0n;
}

function programsProblem(call: Transaction): string | undefined {
  const { approvalProgram, clearStateProgram } = call;
  if (isCreation(call) && call.rejectVersion !== 0n) return 'tx.RejectVersion cannot be set during creation';
  if (isCreation(call) || call.onCompletion === UPDATE)
    return programVersionsProblem(approvalProgram, clearStateProgram);
  if (approvalProgram.length === 0 && clearStateProgram.length === 0) return undefined;
  return 'programs may only be specified during application creation or update';
}

function programVersionsProblem(approval: Uint8Array, clearState: Uint8Array): string | undefined {
  const approvalVersion = programVersion(approval);
  if (typeof approvalVersion === 'string') return `bad ApprovalProgram: ${approvalVersion}`;
  const clearVersion = programVersion(clearState);
  if (typeof clearVersion === 'string') return `bad ClearStateProgram: ${clearVersion}`;
  const mustAgree = approvalVersion >= SAME_VERSION_FROM || clearVersion >= SAME_VERSION_FROM;
  if (!mustAgree || approvalVersion === clearVersion) return undefined;
  return `program version mismatch: ${approvalVersion} != ${clearVersion}`;
}

function creationProblem(call: Transaction): string | undefined {
  const { localStateSchema, globalStateSchema, extraProgramPages } = call;
  if (extraProgramPages > MAX_EXTRA_PAGES) {
    return `tx.ExtraProgramPages exceeds MaxAbsoluteExtraProgramPages = ${MAX_EXTRA_PAGES}`;
  }
  if (isCreation(call)) return undefined;
  const inappropriate = (name: string, value: string): string => `inappropriate non-zero tx.${name} (${value})`;
  if (!stateSchema.isZero(localStateSchema)) return inappropriate('LocalStateSchema', schemaText(localStateSchema));
  if (!stateSchema.isZero(globalStateSchema)) return inappropriate('GlobalStateSchema', schemaText(globalStateSchema));
  return extraProgramPages === 0 ? undefined : inappropriate('ExtraProgramPages', String(extraProgramPages));
}

function schemaText({ uints, byteSlices }: ValueOf<typeof stateSchema>): string {
  return `{NumUint:${uints} NumByteSlice:${byteSlices}}`;
}

function programSizeProblem(call: Transaction): string | undefined {
  const [approval, clearState] = [call.approvalProgram.length, call.clearStateProgram.length];
  // An update does not say how many pages the application has; the most there can be counts.
  const pages = 1 + (isCreation(call) ? call.extraProgramPages : MAX_EXTRA_PAGES);
  const limit = pages * PROGRAM_PAGE_BYTES;
  if (approval > limit) return `approval program too long. (${approval} > ${limit})`;
  if (clearState > limit) return `clear state program too long. (${clearState} > ${limit})`;
  return approval + clearState > limit ? `app programs too long. (${approval} + ${clearState} > ${limit})` : undefined;
}

function argumentsProblem({ applicationArgs = [] }: Transaction): string | undefined {
  if (applicationArgs.length > MAX_ARGUMENTS) {
    return `tx.ApplicationArgs has too many arguments. ${applicationArgs.length} > ${MAX_ARGUMENTS}`;
  }
  const long = applicationArgs.findIndex(({ length }) => length > MAX_ARGUMENT_BYTES);
  if (long !== -1) {
    const length = applicationArgs[long]?.length;
    return `tx.ApplicationArgs[${long}] length is too long. ${length} > ${MAX_ARGUMENT_BYTES}`;
  }
  const total = applicationArgs.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_TOTAL_ARGUMENT_BYTES) return undefined;
  return `tx.ApplicationArgs total length is too long. ${total} > ${MAX_TOTAL_ARGUMENT_BYTES}`;
}

function accessProblem(call: Transaction): string | undefined {
  const { access = [] } = call;
  if (access.length > MAX_ACCESS) return `tx.Access too long, max number of references is ${MAX_ACCESS}`;
  const others = {
    Accounts: call.accounts,
    ForeignApps: call.foreignApps,
    ForeignAssets: call.foreignAssets,
    Boxes: call.boxes,
  };
  const used = Object.entries(others).find(([, references]) => references !== undefined && references.length > 0);
  return used === undefined ? undefined : `tx.${used[0]} can't be used when tx.Access is used`;
}

function referencesProblem(call: Transaction): string | undefined {
  const { accounts = [], foreignApps = [], foreignAssets = [], boxes = [] } = call;
  const tooLong = (name: string, what: string): string =>
    `tx.${name} too long, max number of ${what} is ${MAX_REFERENCES}`;
  if (accounts.length > MAX_REFERENCES) return tooLong('Accounts', 'accounts');
  if (foreignApps.length > MAX_REFERENCES) return tooLong('ForeignApps', 'foreign apps');
  if (foreignAssets.length > MAX_REFERENCES) return tooLong('ForeignAssets', 'foreign assets');
  if (boxes.length > MAX_REFERENCES) return tooLong('Boxes', 'box references');
  if (accounts.length + foreignApps.length + foreignAssets.length + boxes.length > MAX_REFERENCES) {
    return `tx references exceed MaxAppTotalTxnReferences = ${MAX_REFERENCES}`;
  }
  return boxesProblem(call);
}

function boxesProblem({ boxes = [], foreignApps = [] }: Transaction): string | undefined {
  for (const [number, box] of boxes.entries()) {
    if (box.index > BigInt(foreignApps.length)) {
      return `tx.Boxes[${number}].Index is ${box.index}. Exceeds len(tx.ForeignApps)`;
    }
    if (box.name.length > MAX_BOX_NAME_BYTES) {
      return `tx.Boxes[${number}].Name too long, max len ${MAX_BOX_NAME_BYTES} bytes`;
    }
  }
  return undefined;
}

function schemaProblem({ localStateSchema, globalStateSchema }: Transaction): string | undefined {
  const local = localStateSchema.uints + localStateSchema.byteSlices;
  if (local > MAX_LOCAL_ENTRIES) return `tx.LocalStateSchema is too large. ${local} > ${MAX_LOCAL_ENTRIES}`;
  const global = globalStateSchema.uints + globalStateSchema.byteSlices;
  if (global > MAX_GLOBAL_ENTRIES) return `tx.GlobalStateSchema is too large. ${global} > ${MAX_GLOBAL_ENTRIES}`;
  return undefined;
}
