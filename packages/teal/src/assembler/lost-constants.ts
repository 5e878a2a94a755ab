import type { Assembly } from './assembly.ts';
import type { Code, UnsettledCode } from './code.ts';
import { BYTE_STRINGS, CONSTANTS_PUSHED_SINCE, INTS, isLoad, type SettledConstants } from './constant-block.ts';
import type { Place } from './token.ts';

/** The constants of each kind in their final form. */
interface Settled {
  readonly int: SettledConstants<bigint>;
  readonly byte: SettledConstants<Uint8Array>;
}

/**
 * Reproduces algod's error for constants that found no room. Nothing was written for them. To put constants in order,
 * algod goes through the uses of each kind from last to first, takes the next instruction for the missing one, and
 * stops at the first that is not a load: it reports the error at that instruction, one line too high.
 */
export function reportLostConstants(assembly: Assembly, settled: Settled): void {
  const { codes, version = 1 } = assembly;
  if (version < CONSTANTS_PUSHED_SINCE || codes.every(({ kind }) => kind !== 'lost')) return;
  reportLast(assembly, 'int', (use) => (use.kind === 'int' ? settled.int.codeOf(use.value) : asUsed(assembly, use)));
  reportLast(assembly, 'byte', (use) =>
    use.kind === 'int' ? settled.int.codeOf(use.value) : settled.byte.codeOf(use.value),
  );
}

function asUsed({ ints, byteStrings }: Assembly, use: UnsettledCode): readonly number[] {
  return use.kind === 'int' ? ints.loadAsUsed(use.value) : byteStrings.loadAsUsed(use.value);
}

function reportLast(
  { codes, problems }: Assembly,
  noun: UnsettledCode['kind'],
  bytesOf: (use: UnsettledCode) => readonly number[],
): void {
  const kind = noun === 'int' ? INTS : BYTE_STRINGS;
  let next: { readonly opcode: number; readonly at: Place } | undefined;
  for (const code of codes.toReversed()) {
    if (code.kind !== 'lost') next = { opcode: firstByte(code, bytesOf) ?? 0, at: code };
    else if (code.use.kind === noun && next !== undefined) {
      if (!isLoad(kind, next.opcode)) {
        const { line, column } = next.at;
        problems.error({ line: line - 1, column }, `unexpected op at ${noun}Reference: ${next.opcode}`);
        return;
      }
      next = { opcode: bytesOf(code.use)[0] ?? 0, at: next.at };
    }
  }
}

function firstByte(
  code: Exclude<Code, { readonly kind: 'lost' }>,
  bytesOf: (use: UnsettledCode) => readonly number[],
): number | undefined {
  if (code.kind === 'int' || code.kind === 'byte') return bytesOf(code)[0];
  return code.kind === 'bytes' ? code.bytes[0] : code.opcode;
}
