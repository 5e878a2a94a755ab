import { ASSET_HOLDING_FIELDS, ASSET_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { assetField, holdingField } from '../operations/assets.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Assets, as applications read them. */
export const ASSET_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x70,
    name: 'asset_holding_get',
    immediates: [{ name: 'f', kind: 'field', group: ASSET_HOLDING_FIELDS }],
    args: ['uint64', 'uint64'],
    returns: ['any', 'bool'],
    since: 2,
    modes: ['application'],
    run: holdingField,
  },
  {
    byte: 0x71,
    name: 'asset_params_get',
    immediates: [{ name: 'f', kind: 'field', group: ASSET_PARAMS_FIELDS }],
    args: ['uint64'],
    returns: ['any', 'bool'],
    since: 2,
    modes: ['application'],
    run: assetField,
  },
  {
    byte: 0x70,
    name: 'asset_holding_get',
    immediates: [{ name: 'f', kind: 'field', group: ASSET_HOLDING_FIELDS }],
    args: ['any', 'uint64'],
    returns: ['any', 'bool'],
    since: 4,
    modes: ['application'],
    run: holdingField,
  },
];
