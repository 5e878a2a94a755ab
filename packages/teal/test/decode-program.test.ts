import { expect, test } from 'vitest';
import { decodeProgram } from '../src/run.ts';

const SIZE = 16_384;
/** An opcode needs its byte, and each byte behind it is an immediate that is read, measured or skipped. */
const READS_PER_BYTE = 4;

/** A program that repeats some bytes up to the greatest size, and how often its bytes are read. */
function readsOf(hex: string): { readonly reads: number; readonly instructions: number; readonly problem: unknown } {
  const [start = '', repeated = '00'] = hex.split(' ');
  const unit = Buffer.from(repeated, 'hex');
  const head = Buffer.from(start, 'hex');
  const body = Buffer.alloc(Math.floor((SIZE - head.length) / unit.length) * unit.length, unit);
  const program = Uint8Array.from(Buffer.concat([head, body]));
  let reads = 0;
  const counted = new Proxy(program, {
    get(target, key) {
      if (typeof key === 'string' && /^\d/.test(key)) reads++;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { instructions, problem } = decodeProgram(counted, 'application');
  return { reads, instructions: instructions.length, problem };
}

test.each([
  ['opcodes without immediates', '0d 00', 16_383],
  ['numbers', '0d 8101', 8191],
  ['fields', '0d 3100', 8191],
  ['branches to the next instruction', '0d 4200', 8191],
  ['branches of two bytes to the next instruction', '0c 420000', 5461],
  ['switches with no label', '0c 8d00', 8191],
  ['switches with two labels behind them', '0c 8d0200000000', 2730],
  ['byte strings', '0d 800161', 5461],
  ['one list of numbers', '0d83fc7f 01', 1],
  ['one list of empty byte strings', '0d82fc7f 00', 1],
])('a program of 16 KiB is decoded by reading each byte a few times: %s', (_, hex, count) => {
  const { reads, instructions, problem } = readsOf(hex);
  expect({ problem, instructions }).toEqual({ problem: undefined, instructions: count });
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(SIZE * READS_PER_BYTE);
});
