import { ASSET_HOLDING_FIELDS, ASSET_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { assetOf, holdingOf } from '../machine/application/references.ts';
import type { Machine } from '../machine/machine.ts';
import type { Operands } from '../machine/operands.ts';
import { runOf } from './application.ts';
import { ledgerField, putField } from './ledger-field.ts';

export function holdingField(machine: Machine, { first }: Operands): void {
  const run = runOf(machine);
  const { read } = ledgerField(machine, 'asset_holding_get', ASSET_HOLDING_FIELDS, first);
  const { address, assetId } = holdingOf(run, machine.value(1), machine.integer(0));
  const holding = run.shared.ledger.holding(address, assetId);
  putField(machine, 2, holding && read(holding));
}

export function assetField(machine: Machine, { first }: Operands): void {
  const run = runOf(machine);
  const { read } = ledgerField(machine, 'asset_params_get', ASSET_PARAMS_FIELDS, first);
  const assetId = assetOf(run, machine.integer(0), 'slots');
  const asset = run.shared.ledger.asset(assetId);
  putField(machine, 1, asset && read(asset));
}
