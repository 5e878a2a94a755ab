import { DevnodeError } from '../errors.ts';

/** algod's defaults, except that two interfaces for developers are on and more of the past is kept. */
export const DEFAULT_CONFIG = {
  Archival: false,
  // Differs from algod: interfaces-on
  EnableDeveloperAPI: true,
  EnableExperimentalAPI: true,
  EnablePrivateNetworkAccessHeader: false,
  DisableAPIAuth: false,
  EnableTxnEvalTracer: false,
  MaxAPIResourcesPerAccount: 100_000,
  MaxAPIBoxPerApplication: 100_000,
  MaxAcctLookback: 4,
  // Differs from algod: longer-past
  MaxBlockHistoryLookback: 100_000,
  TxPoolSize: 75_000,
  TxBacklogSize: 26_000,
  RestConnectionsSoftLimit: 1024,
  RestConnectionsHardLimit: 2048,
  RestReadTimeoutSeconds: 15,
};

/** The node's settings, under the keys of algod's config.json. */
export type AlgodConfig = Readonly<typeof DEFAULT_CONFIG>;

export interface ReadConfig {
  readonly config: Partial<AlgodConfig>;
  /** The given keys that this node does not know. */
  readonly ignored: readonly string[];
}

/**
 * Reads an object with algod's config.json keys.
 * @throws DevnodeError `invalid_options` when the value of a known key is not a boolean, or not a whole number >= 0
 */
export function readAlgodConfig(given: Readonly<Record<string, unknown>>): ReadConfig {
  const known = Object.entries(given).filter(([key]) => Object.hasOwn(DEFAULT_CONFIG, key));
  for (const [key, value] of known) requireKind(key, value);
  return {
    config: Object.fromEntries(known),
    ignored: Object.keys(given).filter((key) => !Object.hasOwn(DEFAULT_CONFIG, key)),
  };
}

function requireKind(key: string, value: unknown): void {
  const wanted = typeof Object.entries(DEFAULT_CONFIG).find(([name]) => name === key)?.[1];
  const right = wanted === 'boolean' ? typeof value === 'boolean' : Number.isSafeInteger(value) && Number(value) >= 0;
  if (right) return;
  const kind = wanted === 'boolean' ? 'true or false' : 'a whole number from 0 up';
  throw new DevnodeError('invalid_options', `configuration key ${key} must be ${kind}`);
}
