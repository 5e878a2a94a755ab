import { DevnodeError } from './errors.ts';

type Setting = boolean | number | readonly string[];

/** The settings that a configuration gives, and its keys that are not known. */
export interface ReadConfig<Config> {
  readonly config: Config;
  readonly ignored: readonly string[];
}

/**
 * Reads an object with the keys of a configuration file; `defaults` has all known keys, and the kinds of their values.
 * @throws DevnodeError `invalid_options`, which names the key as one of `what`, for a value of another kind
 */
export function readConfig<Config extends Readonly<Record<keyof Config, Setting>>>(
  defaults: Config,
  given: Readonly<Record<string, unknown>>,
  what: string,
): ReadConfig<Config> {
  const settings = Object.entries<Setting>(defaults).map(([key, usual]) => {
    const value = read(usual, given[key]);
    if (value !== undefined) return [key, value];
    throw new DevnodeError('invalid_options', `${what} ${key} must be ${kindOf(usual)}`);
  });
  return {
    config: Object.fromEntries(settings) as Config,
    ignored: Object.keys(given).filter((key) => !Object.hasOwn(defaults, key)),
  };
}

/** Undefined for a value of another kind. As in Go, `null` changes nothing but a list, which it empties. */
function read(usual: Setting, value: unknown = usual): unknown {
  if (typeof usual === 'object') {
    const listed = value ?? [];
    return Array.isArray(listed) && listed.every((each) => typeof each === 'string') ? listed : undefined;
  }
  const given = value ?? usual;
  if (typeof usual === 'boolean') return typeof given === 'boolean' ? given : undefined;
  return Number.isSafeInteger(given) && Number(given) >= 0 ? given : undefined;
}

function kindOf(usual: Setting): string {
  if (typeof usual === 'boolean') return 'true or false';
  return typeof usual === 'number' ? 'a whole number from 0 up' : 'a list of origins';
}
