import { describe, expect, it } from 'vitest';
import { NEWEST_VERSION, OPCODES, opcodesOf } from '../../src/opcodes/table.ts';

describe('the opcode table', () => {
  it('has one row for a byte, its second byte and a version', () => {
    const keys = OPCODES.map(({ byte, subByte, since }) => `${byte} ${subByte} ${since}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('finds an opcode by its byte and by its name, as it is in the version', () => {
    expect(opcodesOf(1).byByte[0x01]?.cost).toBe(7);
    expect(opcodesOf(2).byByte[0x01]?.cost).toBe(35);
    expect(opcodesOf(3).byName.get('balance')?.args).toEqual(['uint64']);
    expect(opcodesOf(4).byName.get('balance')?.args).toEqual(['any']);
    expect(opcodesOf(13).bySubByte[0x01]?.name).toBe('app_box_create');
    expect(opcodesOf(12).bySubByte[0x01]).toBeUndefined();
  });

  it('counts the opcodes of each version', () => {
    const counts = Array.from({ length: NEWEST_VERSION + 1 }, (_, version) => opcodesOf(version).byName.size);
    expect(counts).toEqual([52, 52, 74, 87, 116, 139, 148, 156, 173, 173, 181, 184, 185, 197, 198]);
  });

  it('says of every opcode of signature mode what it does', () => {
    const idle = OPCODES.filter(({ run, modes }) => !run && modes.includes('signature'));
    expect(idle.map(({ name }) => name)).toEqual([]);
  });

  it('takes version 0 as version 1, and has nothing for a version that does not exist', () => {
    expect(opcodesOf(0).byName).toEqual(opcodesOf(1).byName);
    expect(opcodesOf(NEWEST_VERSION + 1).byName.size).toBe(0);
  });

  it('has fields whose codes are their places', () => {
    for (const { immediates } of OPCODES) {
      for (const immediate of immediates) {
        if (immediate.kind !== 'field') continue;
        expect(immediate.group.fields.map(({ code }) => code)).toEqual(immediate.group.fields.map((_, place) => place));
      }
    }
  });
});
