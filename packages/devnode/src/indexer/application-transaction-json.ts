import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { EvalDelta } from '../codec/schema/apply-data.ts';
import type { KeyDeltaRecord } from '../codec/schema/pending.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { addressJson, type Json } from '../rest/plain-json.ts';
import { schemaJson } from '../rest/routes/application-json.ts';
import { accountOfDelta, keyDeltas } from '../transaction/reported-effects.ts';
import { ascending } from '../codec/ascending.ts';

type Resource = NonNullable<Transaction['access']>[number];

/** Kinds of application calls, by the numbers of `apan`. */
const COMPLETIONS = ['noop', 'optin', 'closeout', 'clear', 'update', 'delete'];

/** An application call as an indexer prints it. Lists are there even when empty. */
export function applicationTransactionJson(call: Transaction): Json {
  const { accounts = [], applicationArgs = [], foreignApps = [], foreignAssets = [], boxes = [], access = [] } = call;
  return {
    access: access.map((_, place) => resourceJson(call, place)),
    accounts: accounts.map(formatAddress),
    'application-args': applicationArgs.map(encodeBase64),
    'application-id': call.applicationId,
    'approval-program': programJson(call.approvalProgram),
    'box-references': boxes.map(({ index, name }) => ({
      app: index === 0n ? 0 : (foreignApps[Number(index) - 1] ?? 0),
      name: nameJson(name),
    })),
    'clear-state-program': programJson(call.clearStateProgram),
    'extra-program-pages': call.extraProgramPages || undefined,
    'foreign-apps': foreignApps,
    'foreign-assets': foreignAssets,
    'global-state-schema': schemaJson(call.globalStateSchema),
    'local-state-schema': schemaJson(call.localStateSchema),
    'on-completion': COMPLETIONS[Number(call.onCompletion)],
    'reject-version': call.rejectVersion || undefined,
  };
}

/** An entry of an access list, with numbers of other entries replaced by what those name. */
function resourceJson(call: Transaction, place: number): Json {
  const entry = call.access?.[place];
  if (entry === undefined) return {};
  const { address, asset, application } = entry;
  return {
    address: addressJson(address),
    'application-id': application || undefined,
    'asset-id': asset || undefined,
    ...referencesJson(call, entry),
  };
}

function referencesJson({ access = [], sender }: Transaction, { holding, locals, box }: Resource) {
  const at = (index: bigint): Resource | undefined => access[Number(index) - 1];
  const addressAt = (index: bigint): string => formatAddress(at(index)?.address ?? sender);
  const applicationAt = (index: bigint): bigint => at(index)?.application ?? 0n;
  if (holding.asset !== 0n) {
    return { holding: { address: addressAt(holding.address), asset: at(holding.asset)?.asset ?? 0 } };
  }
  if (locals.address !== 0n || locals.application !== 0n) {
    return { local: { address: addressAt(locals.address), app: applicationAt(locals.application) } };
  }
  const name = nameJson(box.name);
  return box.index !== 0n || name !== '' ? { box: { app: applicationAt(box.index), name } } : {};
}

function nameJson(name: Uint8Array | undefined): string {
  return name === undefined ? '' : encodeBase64(name);
}

function programJson(program: Uint8Array): string | undefined {
  return program.length === 0 ? undefined : encodeBase64(program);
}

/** The effects of a program, as an indexer prints them beside its transaction. */
export function programEffectsJson(transaction: Transaction, delta: EvalDelta) {
  const { globals, locals, logs = [] } = delta;
  const accounts = ascending(locals);
  return {
    'global-state-delta': globals.size === 0 ? undefined : keyDeltas(globals).map(keyDeltaJson),
    'local-state-delta':
      accounts.length === 0
        ? undefined
        : accounts.map(([index, deltas]) => ({
            address: accountOfDelta(index, transaction, delta),
            delta: keyDeltas(deltas).map(keyDeltaJson),
          })),
    logs: logs.length === 0 ? undefined : logs.map(encodeBase64),
  };
}

function keyDeltaJson({ key, value: { action, bytes, uint } }: KeyDeltaRecord): Json {
  return { key, value: { action, bytes: bytes || undefined, uint: uint || undefined } };
}
