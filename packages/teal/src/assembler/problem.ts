import { exactText, readable, type ByteText } from '../go/byte-text.ts';
import type { Place } from './token.ts';

/** An error in a source, or a warning about it. */
export interface Problem extends Place {
  readonly message: string;
}

/** A source that can't be assembled, with all its errors. */
export class AssemblyError extends Error {
  override readonly name = 'AssemblyError';
  /** In algod's order; of thousands only the first are kept. */
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /**
   * The text that algod answers. Each byte of the source that is not UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF.
   */
  readonly report: string;

  constructor(errors: readonly Problem[], warnings: readonly Problem[], report: ByteText) {
    super(readable(report));
    this.errors = errors;
    this.warnings = warnings;
    this.report = exactText(report);
  }
}

/** The number of errors, and of warnings, that algod names. */
const REPORTED = 10;

// A source may have many thousands of errors, each of which may show a line of 64 KB. Nobody reads more than these.
const KEPT = 1000;
const KEPT_CHARACTERS = 2_000_000;

interface Found extends Place {
  readonly text: ByteText;
}

/** Collects errors and warnings in the order in which they are found. */
export class Problems {
  readonly #errors = new Findings();
  readonly #warnings = new Findings();

  /** @param text a function where making the text costs something */
  error(at: Place, text: ByteText | (() => ByteText)): void {
    this.#errors.add(at, text);
  }

  warning(at: Place, text: ByteText): void {
    this.#warnings.add(at, text);
  }

  get warnings(): readonly Problem[] {
    return this.#warnings.kept.map(problemOf);
  }

  /** @throws AssemblyError if there is an error */
  throwIfAny(): void {
    if (this.#errors.kept.length === 0) return;
    throw new AssemblyError(this.#errors.kept.map(problemOf), this.warnings, this.#report());
  }

  #report(): ByteText {
    const errors = this.#errors.kept;
    const warnings = this.#warnings.kept;
    const [first] = errors;
    if (first !== undefined && errors.length + warnings.length === 1) return `1 error: ${line(first)}`;
    return [...errors.slice(0, REPORTED), ...warnings.slice(0, REPORTED)].map(line).join('');
  }
}

class Findings {
  readonly kept: Found[] = [];
  #characters = 0;

  add({ line: number, column }: Place, text: ByteText | (() => ByteText)): void {
    const isFull = this.kept.length >= KEPT || (this.kept.length >= REPORTED && this.#characters > KEPT_CHARACTERS);
    if (isFull) return;
    const found = { line: number, column, text: typeof text === 'string' ? text : text() };
    this.#characters += found.text.length;
    this.kept.push(found);
  }
}

function problemOf({ line: number, column, text }: Found): Problem {
  return { line: number, column, message: readable(text) };
}

function line({ line: number, column, text }: Found): ByteText {
  return `${number}:${column === 0 ? '' : `${column}:`} ${text}\n`;
}
