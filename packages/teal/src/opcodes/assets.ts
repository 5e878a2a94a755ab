import { ASSET_HOLDING_FIELDS, ASSET_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { assetOf, holdingOf } from '../machine/application/references.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, onlyIn, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { ledgerField, putField } from './ledger-field.ts';

/** Assets, as applications read them. */
export const ASSET_OPCODES: readonly OpcodeRow[] = onlyIn('application', [
  {
    byte: 0x70,
    name: 'asset_holding_get',
    immediates: [oneOf('f', ASSET_HOLDING_FIELDS)],
    stack: 'ii:aT',
    since: 2,
    later: { since: 4, stack: 'ai:aT' },
    run: holdingField,
  },
  {
    byte: 0x71,
    name: 'asset_params_get',
    immediates: [oneOf('f', ASSET_PARAMS_FIELDS)],
    stack: 'i:aT',
    since: 2,
    run: assetField,
  },
]);

function holdingField(machine: Machine, { first }: Operands): void {
  const run = machine.application;
  const { read } = ledgerField(machine, 'asset_holding_get', ASSET_HOLDING_FIELDS, first);
  const { address, assetId } = holdingOf(run, machine.value(1), machine.integer(0));
  const holding = run.shared.ledger.holding(address, assetId);
  putField(machine, 2, holding && read(holding));
}

function assetField(machine: Machine, { first }: Operands): void {
  const run = machine.application;
  const { read } = ledgerField(machine, 'asset_params_get', ASSET_PARAMS_FIELDS, first);
  const assetId = assetOf(run, machine.integer(0), 'slots');
  const asset = run.shared.ledger.asset(assetId);
  putField(machine, 1, asset && read(asset));
}
