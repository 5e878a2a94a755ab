import { expect, it } from 'vitest';
import { assemble } from '../../src/assembler/assemble.ts';
import { Constants, INTS } from '../../src/assembler/constant-block.ts';

it('reads a block that is written by hand once, however many words load from it', () => {
  let prints = 0;
  const print = (value: bigint): string => {
    prints++;
    return String(value);
  };
  const constants = new Constants<bigint>({ ...INTS, print });
  constants.noteWritten(Array.from({ length: 200 }, (_, index) => BigInt(index % 150)));
  for (let word = 0; word < 1000; word++) expect(constants.loadWritten(149n)).toEqual([0x21, 149]);
  expect(constants.loadWritten(3n), 'the first of equal values').toEqual([0x25]);
  expect(constants.loadWritten(150n)).toBe('value 150 does not appear in existing intcblock');
  expect(constants.reachable).toBe(200);
  expect(prints).toBe(1202);
});

it('loads the last constant that one byte reaches in a block written by hand, and none after it', () => {
  const block = `#pragma version 3\nintcblock ${Array.from({ length: 300 }, (_, index) => index).join(' ')}\n`;
  expect(assemble(`${block}int 255`).program.slice(-2)).toEqual(Uint8Array.of(0x21, 255));
  expect(() => assemble(`${block}int 256`)).toThrow('cannot have more than 256 int constants');
});
