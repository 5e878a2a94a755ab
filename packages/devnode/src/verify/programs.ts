import { setImmediate as otherEvents } from 'node:timers/promises';
import { decodeProgram, type Environment, type Program } from '@avm402/teal/run';
import { addressKey } from '../transaction/address-key.ts';

/** The most bytes of all programs that are kept decoded; each byte may have become an instruction of 200 bytes. */
const MAX_KEPT_BYTES = 131_072;
/** Longer programs are decoded again for each run. */
const MAX_PROGRAM_BYTES = 2048;

/** The state that all programs of a node share: the chain that they read, and the programs decoded before. */
export class Programs {
  readonly environment: Environment;
  readonly #read = new Map<string, Program>();
  #keptBytes = 0;
  #turns: Promise<void> = Promise.resolve();

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /**
   * Resolves when a program may run. Programs run one after another, with a turn for other events in between, because a
   * program may be slow.
   */
  turn(): Promise<void> {
    this.#turns = this.#turns.then(() => otherEvents());
    return this.#turns;
  }

  /** Decodes a program. */
  program(bytes: Uint8Array): Program {
    if (bytes.length > MAX_PROGRAM_BYTES) return decodeProgram(bytes);
    const key = addressKey(bytes);
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const program = decodeProgram(bytes);
    this.#keep(key, program);
    return program;
  }

  #keep(key: string, program: Program): void {
    this.#keptBytes += program.bytes.length;
    if (this.#keptBytes > MAX_KEPT_BYTES) {
      this.#read.clear();
      this.#keptBytes = program.bytes.length;
    }
    this.#read.set(key, program);
  }
}
