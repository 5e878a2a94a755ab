import { unknownName } from './likely-name.ts';

/** What an option must be. */
export interface Kind {
  /** Completes the sentence "option … must be ". */
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
}

/** A kind for each option of a type; of a union, for the options of all its members. */
export type Kinds<T> = Readonly<Record<T extends unknown ? keyof T : never, Kind>>;

/** For an option that is checked where it is read. */
export const anything: Kind = { words: 'anything', fits: () => true };
export const text: Kind = { words: 'a text', fits: (value) => typeof value === 'string' };
export const yesOrNo: Kind = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
export const work: Kind = { words: 'a function', fits: (value) => typeof value === 'function' };
export const object: Kind = {
  words: 'an object',
  fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
/** For a number that may be zero. */
export const wholeNumber: Kind = { words: 'a whole number from 0 up', fits: (value) => isWhole(value) && value >= 0 };
/** For a limit or a duration, which would forbid everything if it were zero. */
export const count: Kind = { words: 'a whole number from 1 up', fits: (value) => isWhole(value) && value > 0 };

export function objectWith(...methods: readonly string[]): Kind {
  const isMethodOf = (value: unknown) => (name: string) => typeof Reflect.get(Object(value), name) === 'function';
  return { words: `an object with ${methods.join(' and ')}`, fits: (value) => methods.every(isMethodOf(value)) };
}

/** An option that is wrong; `why` completes the sentence "option NAME ". */
export interface WrongOption {
  readonly name: string;
  readonly why: string;
}

/**
 * The first option of an unknown name or a wrong kind, because a mistyped limit would be no limit; undefined if there is
 * none. An option that is undefined counts as left out.
 */
export function wrongOption(options: object, kinds: Readonly<Record<string, Kind>>): WrongOption | undefined {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) return { name, why: unknownName(name, Object.keys(kinds)) };
    if (value !== undefined && !kind.fits(value)) return { name, why: `must be ${kind.words}` };
  }
  return undefined;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
