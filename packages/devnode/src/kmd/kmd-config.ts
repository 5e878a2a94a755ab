import { DevnodeError } from '../errors.ts';

/** kmd's defaults, except that every origin is allowed, as in LocalNet, because web applications call KMD. */
const DEFAULT_KMD_CONFIG = {
  /** Origins of pages that may read the answers; `*`: all. */
  allowed_origins: ['*'] as readonly string[],
  /** Whether pages of the public Internet may call this KMD in a private network. */
  allow_header_pna: false,
  /** How long a handle to a wallet is valid. */
  session_lifetime_secs: 60,
};

/** KMD's settings, under the keys of kmd_config.json. */
export type KmdConfig = Readonly<typeof DEFAULT_KMD_CONFIG>;

export interface ReadKmdConfig {
  readonly config: KmdConfig;
  /** The given keys that this KMD does not know. */
  readonly ignored: readonly string[];
}

/**
 * Reads an object with keys of kmd_config.json.
 * @throws DevnodeError `invalid_options` when the value of a known key has the wrong type
 */
export function readKmdConfig(given: Readonly<Record<string, unknown>>): ReadKmdConfig {
  return {
    config: {
      allowed_origins: origins(given['allowed_origins']),
      allow_header_pna: flag(given['allow_header_pna'] ?? DEFAULT_KMD_CONFIG.allow_header_pna),
      session_lifetime_secs: seconds(given['session_lifetime_secs'] ?? DEFAULT_KMD_CONFIG.session_lifetime_secs),
    },
    ignored: Object.keys(given).filter((key) => !Object.hasOwn(DEFAULT_KMD_CONFIG, key)),
  };
}

/** kmd writes `null` if no origin is allowed. */
function origins(value: unknown = DEFAULT_KMD_CONFIG.allowed_origins): readonly string[] {
  const listed = value ?? [];
  if (Array.isArray(listed) && listed.every((each) => typeof each === 'string')) return listed;
  throw wrong('allowed_origins', 'a list of origins');
}

function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw wrong('allow_header_pna', 'true or false');
}

function seconds(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong('session_lifetime_secs', 'a whole number from 0 up');
}

function wrong(key: string, kind: string): DevnodeError {
  return new DevnodeError('invalid_options', `KMD’s configuration key ${key} must be ${kind}`);
}
