import type { Assembly } from './assembly.ts';
import type { ByteText } from '../go/byte-text.ts';
import type { Code } from './code.ts';
import { goQuote } from '../go/quote.ts';
import type { Token } from './token.ts';
import { varint, varintSize, zigzag } from '../go/varint.ts';
import { BACK_JUMPS_SINCE, JUMPS_TO_END_SINCE, VARINT_BRANCHES_SINCE } from '../machine/limits.ts';

const MAX_VARINT_BYTES = 3;
const MAX_INT16 = 0x7fff;

/** The program after its version and automatic blocks. */
export interface Layout {
  readonly bytes: Uint8Array;
  /** The start of each instruction. */
  readonly starts: readonly number[];
}

/** Lays out instructions one after another and fills in branch offsets; reports labels that can't be reached. */
export function layOut(assembly: Assembly, fixed: (code: Code) => ArrayLike<number>): Layout {
  const version = assembly.version ?? 1;
  const pieces = assembly.codes.map((code) => pieceOf(code, version, fixed));
  if (version >= VARINT_BRANCHES_SINCE) shrinkBranches(assembly, pieces);
  const starts = startsOf(pieces);
  fillInOffsets(assembly, pieces, starts);
  const bytes = new Uint8Array(starts.at(-1) ?? 0);
  for (const [index, piece] of pieces.entries()) bytes.set(piece.bytes, starts[index]);
  return { bytes, starts: starts.slice(0, -1) };
}

interface Piece {
  size: number;
  bytes: ArrayLike<number>;
  readonly code: Code;
}

function pieceOf(code: Code, version: number, fixed: (code: Code) => ArrayLike<number>): Piece {
  if (code.kind === 'branch') {
    return { size: 1 + (version >= VARINT_BRANCHES_SINCE ? MAX_VARINT_BYTES : 2), bytes: [], code };
  }
  if (code.kind === 'table') return { size: 2 + 2 * code.labels.length, bytes: [], code };
  const bytes = fixed(code);
  return { size: bytes.length, bytes, code };
}

/** The start of each piece, and the end of the last one. */
function startsOf(pieces: readonly Piece[]): number[] {
  const starts = [0];
  let end = 0;
  for (const { size } of pieces) starts.push((end += size));
  return starts;
}

// Real programs take a few rounds. A malicious source can let each shrinking branch allow only one other to shrink.
const MAX_STEPS = 50_000_000;

/**
 * Gives branches the fewest bytes that reach their labels. They start with the most bytes and only shrink, so the order
 * of processing makes no difference.
 */
function shrinkBranches({ labels, problems }: Assembly, pieces: readonly Piece[]): void {
  const targets = pieces.map(({ code }) => (code.kind === 'branch' ? labels.get(code.label.text) : undefined));
  for (let steps = 0; shrinkForward(pieces, targets) || shrinkBackward(pieces, targets); steps += pieces.length) {
    if (steps <= MAX_STEPS) continue;
    problems.error({ line: 0, column: 0 }, 'too many branches depend on the lengths of others');
    return;
  }
}

/**
 * Goes from the last to the first instruction, so that everything between a branch and its label is settled already.
 */
function shrinkForward(pieces: readonly Piece[], targets: readonly (number | undefined)[]): boolean {
  const toEnd = new Float64Array(pieces.length + 1);
  let shrank = false;
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index];
    const target = targets[index];
    if (piece === undefined) break;
    const after = toEnd[index + 1] ?? 0;
    if (target !== undefined && target > index) shrank = shrinkTo(piece, after - (toEnd[target] ?? 0)) || shrank;
    toEnd[index] = after + piece.size;
  }
  return shrank;
}

/** Goes from the first to the last instruction. */
function shrinkBackward(pieces: readonly Piece[], targets: readonly (number | undefined)[]): boolean {
  const starts = new Float64Array(pieces.length + 1);
  let shrank = false;
  for (const [index, piece] of pieces.entries()) {
    const target = targets[index];
    const start = starts[index] ?? 0;
    if (target !== undefined && target <= index) shrank = shrinkTo(piece, (starts[target] ?? 0) - start) || shrank;
    starts[index + 1] = start + piece.size;
  }
  return shrank;
}

function shrinkTo(piece: Piece, offset: number): boolean {
  const needed = 1 + varintSize(zigzag(offset));
  if (needed >= piece.size) return false;
  piece.size = needed;
  return true;
}

/** Counted from the end of the instruction if forward, from its start if backward. */
function varintOffset(target: number, start: number, size: number): number {
  return target >= start + size ? target - start - size : target - start;
}

function fillInOffsets(assembly: Assembly, pieces: readonly Piece[], starts: readonly number[]): void {
  const end = starts.at(-1) ?? 0;
  const undefinedLabels = new Set<ByteText>();
  for (const [index, piece] of pieces.entries()) {
    const { code, size } = piece;
    const jump = { kind: code.kind, start: starts[index] ?? 0, size, end };
    const encode = (label: Token): readonly number[] => {
      const target = starts[assembly.labels.get(label.text) ?? -1];
      if (target === undefined) return reportUndefined(assembly, label, undefinedLabels);
      const offset = offsetOf(label, { ...jump, target }, assembly.version ?? 1);
      if (typeof offset !== 'string') return offset;
      assembly.problems.error(label, offset);
      return [];
    };
    if (code.kind === 'branch') piece.bytes = [code.opcode, ...encode(code.label)];
    if (code.kind === 'table') piece.bytes = [code.opcode, code.labels.length, ...code.labels.flatMap(encode)];
  }
}

/** Reports only the first mention of an undefined label. */
function reportUndefined({ problems }: Assembly, label: Token, reported: Set<ByteText>): readonly number[] {
  if (!reported.has(label.text)) problems.error(label, `reference to undefined label ${goQuote(label.text)}`);
  reported.add(label.text);
  return [];
}

interface Jump {
  readonly kind: Code['kind'];
  /** Start of the instruction that jumps. */
  readonly start: number;
  readonly size: number;
  readonly target: number;
  /** End of the program. */
  readonly end: number;
}

/** The bytes of an offset, or the reason why the label can't be reached. */
function offsetOf(
  { text }: Token,
  { kind, start, size, target, end }: Jump,
  version: number,
): readonly number[] | ByteText {
  const label = goQuote(text);
  if (kind === 'branch' && version >= VARINT_BRANCHES_SINCE) {
    if (target === start) return `branch to start of same instruction: ${label} `;
    const encoded = varint(zigzag(varintOffset(target, start, size)));
    return encoded.length > MAX_VARINT_BYTES ? `label ${label} is too far away` : encoded;
  }
  const offset = target - start - size;
  if (offset < 0 && version < BACK_JUMPS_SINCE) {
    return `label ${label} is a back reference, back jump support was introduced in v${BACK_JUMPS_SINCE}`;
  }
  const isTooFar = offset > MAX_INT16 || offset < -MAX_INT16 - 1 || (version < JUMPS_TO_END_SINCE && target === end);
  return isTooFar ? `label ${label} is too far away` : [(offset >> 8) & 0xff, offset & 0xff];
}
