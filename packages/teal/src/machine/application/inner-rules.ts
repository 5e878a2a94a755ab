import { formatAddress } from '@avm402/algorand/address';
import { ON_COMPLETION, type TransactionFields } from '../group-transaction.ts';
import { applicationAddress } from './application-address.ts';
import { areLocalsAvailable, isHoldingAvailable } from './availability.ts';
import type { ProgramRun } from './group.ts';
import type { ApplicationState } from './ledger.ts';
import { SHARED_SINCE } from '../limits.ts';
import { isZero } from '../stack-value.ts';
import { programVersion } from '../program.ts';

const LEAST_VERSION = 4;
const MAX_DEPTH = 8;

/** The reason why an application may not make this call. */
export function innerCallProblem(run: ProgramRun, inner: TransactionFields): string | undefined {
  if (inner.type !== 'appl') return undefined;
  const id = inner.applicationId;
  if (id === run.applicationId) return 'attempt to self-call';
  let depth = 0;
  for (let { caller } = run; caller !== undefined; { caller } = caller) {
    if (caller.applicationId === id) return `attempt to re-enter ${id}`;
    depth++;
  }
  if (depth >= MAX_DEPTH) return `appl depth (${depth}) exceeded`;
  const called = programsOf(run, inner);
  return called === undefined ? `app ${id} does not exist` : versionProblem(inner, called);
}

type Programs = Pick<ApplicationState, 'approvalProgram' | 'clearStateProgram'>;

/** The programs that a call creates or calls. */
function programsOf(run: ProgramRun, inner: TransactionFields): Programs | undefined {
  return inner.applicationId === 0n ? inner : run.shared.ledger.application(inner.applicationId);
}

function versionProblem({ applicationId, onCompletion }: TransactionFields, called: Programs): string | undefined {
  const isClear = onCompletion === ON_COMPLETION.clearState && applicationId !== 0n;
  const version = programVersion(isClear ? called.clearStateProgram : called.approvalProgram);
  if (typeof version === 'string') return version;
  if (version < LEAST_VERSION) return `inner app call with version v${version} < v${LEAST_VERSION}`;
  if (onCompletion !== ON_COMPLETION.optIn) return undefined;
  const clear = programVersion(called.clearStateProgram);
  if (typeof clear === 'string') return clear;
  return clear < LEAST_VERSION ? `inner app call opt-in with CSP v${clear} < v${LEAST_VERSION}` : undefined;
}

/**
 * An account's holding or local state that an inner transaction would use, with the field that names it. A holding of
 * asset 0 or of the zero address is ignored; local states are always checked.
 */
interface Use {
  readonly field: string;
  readonly address: Uint8Array;
  readonly asset?: bigint;
  readonly application?: bigint;
}

/** The problem with the first holding or local state that an inner transaction would use although its caller may not. */
export function innerUseProblem(run: ProgramRun, inner: TransactionFields): string | undefined {
  if (run.version < SHARED_SINCE) return undefined;
  for (const { field, address, asset = 0n, application } of usesOf(run, inner)) {
    const who = formatAddress(address);
    if (asset !== 0n && !isZero(address) && !isHoldingAvailable(run, address, asset)) {
      return `${field}: unavailable Holding ${asset}+${who} would be accessible`;
    }
    if (application !== undefined && !areLocalsAvailable(run, address, application)) {
      return `${field}: unavailable Local State ${application}+${who} would be accessible`;
    }
  }
  return undefined;
}

function usesOf(run: ProgramRun, inner: TransactionFields): readonly Use[] {
  if (inner.type === 'axfer') return transferUses(inner);
  if (inner.type === 'afrz') {
    return [{ field: 'afrz FreezeAccount', address: inner.freezeAccount, asset: inner.freezeAsset }];
  }
  return inner.type === 'appl' && calleeVersion(run, inner) < SHARED_SINCE ? callUses(inner) : [];
}

function transferUses(inner: TransactionFields): readonly Use[] {
  const asset = inner.transferAsset;
  const isClawback = !isZero(inner.assetSender);
  return [
    ...(isClawback ? [] : [{ field: 'axfer Sender', address: inner.sender, asset }]),
    { field: 'axfer AssetReceiver', address: inner.assetReceiver, asset },
    { field: 'axfer AssetSender', address: inner.assetSender, asset },
    { field: 'axfer AssetCloseTo', address: inner.assetCloseTo, asset },
  ];
}

/** A program before version 9 may combine everything that its call lists. */
function callUses({ sender, accounts, applicationId, foreignApps = [], foreignAssets = [] }: TransactionFields): Use[] {
  const applications = applicationId === 0n ? foreignApps : [applicationId, ...foreignApps];
  const addresses = [sender, ...(accounts ?? []), ...applications.map(applicationAddress)];
  return addresses.flatMap((address) => [
    ...foreignAssets.map((asset) => ({ field: 'appl ForeignAssets', address, asset })),
    ...(applicationId === 0n ? [] : [{ field: 'appl ApplicationID', address, application: applicationId }]),
    ...foreignApps.map((application) => ({ field: 'appl ForeignApps', address, application })),
  ]);
}

function calleeVersion(run: ProgramRun, inner: TransactionFields): number {
  const { approvalProgram, clearStateProgram } = programsOf(run, inner) ?? inner;
  const version = programVersion(inner.onCompletion === ON_COMPLETION.clearState ? clearStateProgram : approvalProgram);
  return typeof version === 'string' ? 0 : Number(version);
}
