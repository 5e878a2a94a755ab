import { stateSchema, type Transaction } from '../codec/schema/transaction.ts';
import type { ValueOf } from '../codec/kind.ts';
import type { ApplicationLimits } from '../consensus/parameters.ts';
import { accessProblem } from './access-list.ts';
import type { FormContext } from './context.ts';
import { programsTooLong } from './program-size.ts';
import { programVersion } from '@avm402/teal/run';
import { ON_COMPLETION } from '@avm402/teal/application';

/** From this version on, both programs of an application must have the same version. */
const SAME_VERSION_FROM = 6n;

/** The problem with the form of an `appl`, if any (go-algorand data/transactions/application.go). */
export function applicationCallProblem(call: Transaction, { parameters }: FormContext): string | undefined {
  const { applications: limits } = parameters;
  if (call.onCompletion > ON_COMPLETION.delete) return `invalid application OnCompletion (${call.onCompletion})`;
  return (
    programsProblem(call) ??
    creationProblem(call, limits) ??
    programSizeProblem(call, limits) ??
    argumentsProblem(call, limits) ??
    (call.access !== undefined && call.access.length > 0
      ? accessProblem(call, limits)
      : referencesProblem(call, limits)) ??
    schemaProblem(call, limits)
  );
}

function isCreation({ applicationId }: Transaction): boolean {
  return applicationId === 0n;
}

/** An update that gives sizes replaces both of them. */
function isSizeUpdate(call: Transaction, { sizeUpdates }: ApplicationLimits): boolean {
  const givesSizes = call.extraProgramPages !== 0 || !stateSchema.isZero(call.globalStateSchema);
  return sizeUpdates && call.onCompletion === ON_COMPLETION.update && givesSizes;
}

function programsProblem(call: Transaction): string | undefined {
  const { approvalProgram, clearStateProgram } = call;
  if (isCreation(call) && call.rejectVersion !== 0n) return 'tx.RejectVersion cannot be set during creation';
  if (isCreation(call) || call.onCompletion === ON_COMPLETION.update)
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

function creationProblem(call: Transaction, limits: ApplicationLimits): string | undefined {
  const { localStateSchema, globalStateSchema, extraProgramPages } = call;
  if (extraProgramPages > limits.maxExtraPages) {
    return `tx.ExtraProgramPages exceeds MaxAbsoluteExtraProgramPages = ${limits.maxExtraPages}`;
  }
  if (isCreation(call)) return undefined;
  const inappropriate = (name: string, value: string): string => `inappropriate non-zero tx.${name} (${value})`;
  if (!stateSchema.isZero(localStateSchema)) return inappropriate('LocalStateSchema', schemaText(localStateSchema));
  if (isSizeUpdate(call, limits)) return undefined;
  if (!stateSchema.isZero(globalStateSchema)) return inappropriate('GlobalStateSchema', schemaText(globalStateSchema));
  return extraProgramPages === 0 ? undefined : inappropriate('ExtraProgramPages', String(extraProgramPages));
}

function schemaText({ uints, byteSlices }: ValueOf<typeof stateSchema>): string {
  return `{NumUint:${uints} NumByteSlice:${byteSlices}}`;
}

function programSizeProblem(call: Transaction, limits: ApplicationLimits): string | undefined {
  // Other updates do not say how many pages the application has, so the maximum counts.
  const saysPages = isCreation(call) || isSizeUpdate(call, limits);
  return programsTooLong(call, saysPages ? call.extraProgramPages : limits.maxExtraPages, limits);
}

function argumentsProblem({ applicationArgs = [] }: Transaction, limits: ApplicationLimits): string | undefined {
  if (applicationArgs.length > limits.maxArguments) {
    return `tx.ApplicationArgs has too many arguments. ${applicationArgs.length} > ${limits.maxArguments}`;
  }
  const long = applicationArgs.findIndex(({ length }) => length > limits.maxArgumentBytes);
  if (long !== -1) {
    const length = applicationArgs[long]?.length;
    return `tx.ApplicationArgs[${long}] length is too long. ${length} > ${limits.maxArgumentBytes}`;
  }
  const total = applicationArgs.reduce((sum, { length }) => sum + length, 0);
  if (total <= limits.maxTotalArgumentBytes) return undefined;
  return `tx.ApplicationArgs total length is too long. ${total} > ${limits.maxTotalArgumentBytes}`;
}

function referencesProblem(call: Transaction, limits: ApplicationLimits): string | undefined {
  const { accounts = [], foreignApps = [], foreignAssets = [], boxes = [] } = call;
  const tooLong = (name: string, what: string): string =>
    `tx.${name} too long, max number of ${what} is ${limits.maxReferences}`;
  if (accounts.length > limits.maxReferences) return tooLong('Accounts', 'accounts');
  if (foreignApps.length > limits.maxReferences) return tooLong('ForeignApps', 'foreign apps');
  if (foreignAssets.length > limits.maxReferences) return tooLong('ForeignAssets', 'foreign assets');
  if (boxes.length > limits.maxReferences) return tooLong('Boxes', 'box references');
  if (accounts.length + foreignApps.length + foreignAssets.length + boxes.length > limits.maxReferences) {
    return `tx references exceed MaxAppTotalTxnReferences = ${limits.maxReferences}`;
  }
  return boxesProblem(call, limits);
}

function boxesProblem({ boxes = [], foreignApps = [] }: Transaction, limits: ApplicationLimits): string | undefined {
  for (const [number, box] of boxes.entries()) {
    if (box.index > BigInt(foreignApps.length)) {
      return `tx.Boxes[${number}].Index is ${box.index}. Exceeds len(tx.ForeignApps)`;
    }
    if (box.name !== undefined && box.name.length > limits.maxBoxNameBytes) {
      return `tx.Boxes[${number}].Name too long, max len ${limits.maxBoxNameBytes} bytes`;
    }
  }
  return undefined;
}

function schemaProblem(
  { localStateSchema, globalStateSchema }: Transaction,
  limits: ApplicationLimits,
): string | undefined {
  const local = localStateSchema.uints + localStateSchema.byteSlices;
  if (local > limits.maxLocalEntries) return `tx.LocalStateSchema is too large. ${local} > ${limits.maxLocalEntries}`;
  const global = globalStateSchema.uints + globalStateSchema.byteSlices;
  if (global > limits.maxGlobalEntries)
    return `tx.GlobalStateSchema is too large. ${global} > ${limits.maxGlobalEntries}`;
  return undefined;
}
