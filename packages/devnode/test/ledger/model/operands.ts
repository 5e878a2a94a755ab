// The values that the steps of a program take.
import { addressKey } from '../../../src/transaction/address-key.ts';
import { constantOf, type Operand } from './plan.ts';
import { addressOf, textOf, type ProgramRun } from './run.ts';
import { refuse, type Value } from './world.ts';

/** The value of an operand when its step runs. */
export function valueOf(run: ProgramRun, operand: Operand): Value {
  if ('int' in operand) return operand.int;
  if ('place' in operand) return BigInt(operand.place);
  if ('application' in operand) return operand.application;
  if ('asset' in operand) return operand.asset;
  if ('own' in operand) return operand.own === 'CurrentApplicationID' ? run.application : addressOf(run.application);
  if ('listed' in operand) return listed(run, operand.listed, operand.index);
  if (!('created' in operand)) return textOf(constantOf(operand));
  const last = run.last ?? refuse('txn index 0, len(group) is 0');
  return (operand.created === 'CreatedAssetID' ? last.configAsset : last.applicationId) ?? 0n;
}

type Listed = Extract<Operand, { listed: unknown }>['listed'];

function listed({ transaction }: ProgramRun, list: Listed, index: number): Value {
  const { sender, accounts = [], applicationId, foreignApps = [], foreignAssets = [] } = transaction;
  const lists: Readonly<Record<Listed, readonly Value[]>> = {
    Accounts: [sender, ...accounts].map(addressKey),
    Applications: [applicationId, ...foreignApps],
    Assets: foreignAssets,
  };
  return lists[list][index] ?? refuse(`invalid ${list} index ${index}`);
}
