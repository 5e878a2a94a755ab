import { Assembly } from './assembly.ts';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import { programAddress } from '@avm402/algorand/program';
import { type ByteText, byteTextOf } from '../go/byte-text.ts';
import { automaticBlock, BYTE_STRINGS, INTS } from './constant-block.ts';
import { obeyDirective } from './directives.ts';
import { layOut } from './layout.ts';
import { reportLostConstants } from './lost-constants.ts';
import { MacroOverflow } from './macros.ts';
import { AssemblyError, type Problem } from './problem.ts';
import { mappingsOf, type Origin, type SourceMap } from './source-map.ts';
import { assembleStatement } from './statement.ts';
import { type Token, tokensOf } from './token.ts';
import { varint } from '../go/varint.ts';
import { SALTED_SINCE } from '../machine/limits.ts';
import { MAX_UINT64 } from '../go/number.ts';

export { AssemblyError, type Problem, type SourceMap };

/** The longest source in bytes that algod accepts in a request. */
export const MAX_SOURCE_BYTES = 524_288;

/** A line of this many bytes, including its carriage return, is too long. */
const TOO_LONG_LINE = 65_536;

const MAX_SALT = 127;

export interface AssembleOptions {
  /** The version of a source that names none. Default 1. */
  readonly version?: number;
}

export interface AssembledProgram {
  readonly program: Uint8Array;
  readonly sourceMap: SourceMap;
  readonly warnings: readonly Problem[];
}

/**
 * Assembles TEAL to the same bytes as algod v5.0.0.
 * @throws AssemblyError with everything that is wrong with the source
 */
export function assemble(source: string | Uint8Array, { version }: AssembleOptions = {}): AssembledProgram {
  const assembly = new Assembly(version);
  if (source.length > MAX_SOURCE_BYTES) {
    assembly.problems.error({ line: 0, column: 0 }, `source is longer than ${MAX_SOURCE_BYTES} bytes`);
  } else read(assembly, byteTextOf(source));
  const { program, origins } = finish(assembly);
  const sourceMap: SourceMap = { version: 3, sources: ['<body>'], names: [], mappings: mappingsOf(origins) };
  return { program, sourceMap, warnings: assembly.problems.warnings };
}

// Go's white space, which differs slightly from JavaScript's.
const BLANK =
  /^(?:[\t-\r ]|\u00c2[\u0085\u00a0]|\u00e1\u009a\u0080|\u00e2\u0080[\u0080-\u008a\u00a8\u00a9\u00af]|\u00e2\u0081\u009f|\u00e3\u0080\u0080)*$/;

function read(assembly: Assembly, text: ByteText): void {
  if (BLANK.test(text)) {
    assembly.problems.error({ line: 0, column: 0 }, 'Cannot assemble empty program text');
    return;
  }
  try {
    readLines(assembly, text);
  } catch (error) {
    if (!(error instanceof MacroOverflow)) throw error;
    assembly.problems.error(error.at, error.message);
  }
}

function readLines(assembly: Assembly, text: ByteText): void {
  let start = 0;
  for (let line = 1; start < text.length; line++) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    if (end - start >= TOO_LONG_LINE) {
      assembly.problems.error({ line: line - 1, column: 0 }, 'line too long');
      return;
    }
    const content = text.slice(start, text.charAt(end - 1) === '\r' && end > start ? end - 1 : end);
    readLine(assembly, tokensOf(content, line));
    start = end + 1;
  }
}

function readLine(assembly: Assembly, tokens: readonly Token[]): void {
  if (tokens[0]?.text.startsWith('#')) {
    obeyDirective(assembly, tokens);
    return;
  }
  let statement: Token[] = [];
  for (const token of assembly.macros.expand(tokens)) {
    if (token.text !== ';') statement.push(token);
    else {
      if (statement.length > 0) assembleStatement(assembly, statement);
      statement = [];
    }
  }
  if (statement.length > 0) assembleStatement(assembly, statement);
}

interface Finished {
  readonly program: Uint8Array;
  readonly origins: readonly Origin[];
}

function finish(assembly: Assembly): Finished {
  const { problems, codes } = assembly;
  const version = assembly.version ?? 1;
  const ints = assembly.ints.settle(version);
  const byteStrings = assembly.byteStrings.settle(version);
  reportLostConstants(assembly, { int: ints, byte: byteStrings });
  const { bytes, starts } = layOut(assembly, (code) => {
    if (code.kind === 'int') return ints.codeOf(code.value);
    return code.kind === 'byte' ? byteStrings.codeOf(code.value) : code.kind === 'bytes' ? code.bytes : [];
  });
  problems.throwIfAny();
  const build = (salt: readonly bigint[]): Finished => {
    const head = [
      ...varint(assembly.version ?? MAX_UINT64),
      ...automaticBlock(INTS, ints.values.length > 0 ? [...ints.values, ...salt] : []),
      ...automaticBlock(BYTE_STRINGS, byteStrings.values),
    ];
    const tail = ints.values.length > 0 ? [] : automaticBlock(INTS, salt);
    const program = new Uint8Array(head.length + bytes.length + tail.length);
    program.set(head);
    program.set(bytes, head.length);
    program.set(tail, head.length + bytes.length);
    const origins = starts.map((start, index) => {
      const { line, column } = codes[index] ?? { line: 0, column: 0 };
      return { pc: head.length + start, line, column };
    });
    return { program, origins };
  };
  return salted(assembly, build);
}

/** The program, with a salt if its address would otherwise be a possible public key. */
function salted(assembly: Assembly, build: (salt: readonly bigint[]) => Finished): Finished {
  const { version, autosalt, needsApplication } = assembly;
  let finished = build([]);
  const isAsked = autosalt ?? ((version ?? 1) >= SALTED_SINCE && !needsApplication);
  if (!isAsked || version === undefined) return finished;
  for (let salt = 0n; salt <= MAX_SALT && isCurvePoint(programAddress(finished.program)); salt++)
    finished = build([salt]);
  return finished;
}
