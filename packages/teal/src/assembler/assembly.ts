import type { Code } from './code.ts';
import { BYTE_STRINGS, Constants, INTS } from './constant-block.ts';
import { Macros } from './macros.ts';
import { Problems } from './problem.ts';
import type { Place } from './token.ts';
import { TypeTracker } from './type-tracker.ts';

/** The state of a program while its source is read. */
export class Assembly {
  readonly problems = new Problems();
  readonly types = new TypeTracker();
  readonly macros = new Macros();
  readonly ints = new Constants(INTS);
  readonly byteStrings = new Constants(BYTE_STRINGS);
  readonly codes: Code[] = [];
  /** The index of the instruction that follows each label. */
  readonly labels = new Map<string, number>();
  /** Undefined until the source, or its first statement, determines it. */
  version: number | undefined;
  /** The value of `#pragma autosalt`. */
  autosalt: boolean | undefined;
  /** Whether the source uses an opcode that only applications have. */
  needsApplication = false;

  constructor(version: number | undefined) {
    this.version = version;
  }

  add(place: Place, bytes: ArrayLike<number>): void {
    const { line, column } = place;
    this.codes.push({ kind: 'bytes', bytes, line, column });
  }
}
