import { type Account, parseAccount } from '@avm402/algorand/account';
import { isAddress } from '@avm402/algorand/address';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork } from '@avm402/core/network';
import { z } from 'zod';
import { DEFAULT_MAX_FEE, type SponsorshipOptions } from './sponsorship.ts';

/** Everything that the program takes from its environment. */
export interface FacilitatorConfig {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly logLevel: string;
  readonly algods: readonly AlgodClient[];
  /** CAIP-2; absent: that of the first algod. */
  readonly network?: string;
  /** Absent: payments carry their own fee. */
  readonly sponsorship?: SponsorshipOptions;
  readonly store: StoreConfig;
  readonly settleTimeoutMs: number;
  readonly retentionDays: number;
  readonly drainTimeoutMs: number;
}

export type StoreConfig =
  | { readonly kind: 'sqlite'; readonly path: string; readonly sync: 'normal' | 'full' }
  | { readonly kind: 'postgres'; readonly url: string };

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_TIMEOUT_MS = 600_000;

const text = z.string().trim();
const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const integer = (min: number, max: number) =>
  text.regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));
const atomic = text
  .regex(/^\d{1,20}$/, 'must be a whole number of atomic units')
  .transform(BigInt)
  .pipe(z.bigint().max(MAX_UINT64));

const environment = z.object({
  HOST: text.min(1).default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4022),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  ALGOD_URL: z.string('is missing: the URL of an algod, or several with commas between them').pipe(list),
  ALGOD_TOKEN: list.default([]),
  AVM_NETWORK: text.refine(isAlgorandNetwork, 'must be a CAIP-2 id of an Algorand network').optional(),
  AVM_PRIVATE_KEY: text.optional(),
  AVM_MNEMONIC: text.optional(),
  SPONSOR_ADDRESS: text.refine(isAddress, 'must be an Algorand address').optional(),
  SPONSOR_PAY_TO: list.pipe(z.array(z.string().refine(isAddress, 'must be Algorand addresses'))).default([]),
  SPONSOR_ASSETS: list.pipe(z.array(z.string().regex(/^[1-9]\d{0,19}$/, 'must be asset ids'))).optional(),
  SPONSOR_MIN_AMOUNT: atomic.default(1n),
  SPONSOR_ANYONE: z.enum(['true', 'false'], 'must be true or false').optional(),
  SPONSOR_ANYONE_BUDGET: atomic.optional(),
  MAX_FEE_PER_PAYMENT: atomic.default(DEFAULT_MAX_FEE),
  SETTLEMENT_STORE: text.min(1).default('avm402-settlements.sqlite'),
  SETTLEMENT_STORE_SYNC: z.enum(['normal', 'full'], 'must be normal or full').default('normal'),
  DATABASE_URL: text.regex(/^postgres(ql)?:\/\//, 'must begin with postgres://').optional(),
  SETTLE_TIMEOUT_MS: integer(1, MAX_TIMEOUT_MS).default(20_000),
  RETENTION_DAYS: integer(1, 36_500).default(90),
  DRAIN_TIMEOUT_MS: integer(0, MAX_TIMEOUT_MS).default(10_000),
});

type Environment = z.output<typeof environment>;

/**
 * The configuration in the environment. An empty variable counts as missing.
 * @throws X402Error `environment_invalid`, whose message has a line for every variable that is missing or malformed
 */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): FacilitatorConfig {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const parsed = environment.safeParse(present);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`);
  if (!parsed.success) throw invalid([...problems, ...keyProblems(present)]);
  return build(parsed.data);
}

/** Throws with every remaining problem; those of single variables have been found before. */
function build(env: Environment): FacilitatorConfig {
  const problems: string[] = [];
  const attempt = <T>(name: string, make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      if (!isAlgorandError(error)) throw error;
      problems.push(`${name}: ${error.message}`);
      return undefined;
    }
  };
  const algods = attempt('ALGOD_URL', () => algodsOf(env)) ?? [];
  const account = attempt(env.AVM_MNEMONIC === undefined ? 'AVM_PRIVATE_KEY' : 'AVM_MNEMONIC', () => accountOf(env));
  problems.push(...keyProblems(env), ...sponsorProblems(env), ...algodProblems(env));
  if (problems.length > 0) throw invalid(problems);
  return {
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    algods,
    ...(env.AVM_NETWORK === undefined ? {} : { network: env.AVM_NETWORK }),
    ...(account === undefined ? {} : { sponsorship: sponsorshipOf(env, account) }),
    store: storeOf(env),
    settleTimeoutMs: env.SETTLE_TIMEOUT_MS,
    retentionDays: env.RETENTION_DAYS,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
  };
}

function algodsOf({ ALGOD_URL, ALGOD_TOKEN }: Environment): AlgodClient[] {
  const [onlyToken = ''] = ALGOD_TOKEN;
  return ALGOD_URL.map((url, index) =>
    createAlgodClient({ url, token: ALGOD_TOKEN.length > 1 ? (ALGOD_TOKEN[index] ?? '') : onlyToken }),
  );
}

function algodProblems({ ALGOD_URL, ALGOD_TOKEN }: Environment): string[] {
  if (ALGOD_URL.length === 0) return ['ALGOD_URL: is empty'];
  if (ALGOD_TOKEN.length <= 1 || ALGOD_TOKEN.length === ALGOD_URL.length) return [];
  return [`ALGOD_TOKEN: name one token, or one for each of the ${ALGOD_URL.length} algods`];
}

function accountOf({ AVM_PRIVATE_KEY, AVM_MNEMONIC, SPONSOR_ADDRESS }: Environment): Account | undefined {
  const secret = AVM_MNEMONIC ?? AVM_PRIVATE_KEY;
  if (secret === undefined) return undefined;
  return parseAccount(secret, SPONSOR_ADDRESS === undefined ? {} : { address: SPONSOR_ADDRESS });
}

function keyProblems(env: { readonly AVM_PRIVATE_KEY?: unknown; readonly AVM_MNEMONIC?: unknown }): string[] {
  const hasBoth = env.AVM_PRIVATE_KEY !== undefined && env.AVM_MNEMONIC !== undefined;
  return hasBoth ? ['AVM_PRIVATE_KEY, AVM_MNEMONIC: set one of them, not both'] : [];
}

function sponsorProblems(env: Environment): string[] {
  if (env.AVM_PRIVATE_KEY !== undefined || env.AVM_MNEMONIC !== undefined) return [];
  const asksForSponsor =
    env.SPONSOR_PAY_TO.length > 0 || env.SPONSOR_ANYONE === 'true' || env.SPONSOR_ADDRESS !== undefined;
  return asksForSponsor ? ['AVM_PRIVATE_KEY: is missing: the key of the account that sponsors (or AVM_MNEMONIC)'] : [];
}

function sponsorshipOf(env: Environment, account: Account): SponsorshipOptions {
  return {
    account,
    payTo: env.SPONSOR_PAY_TO,
    minAmount: env.SPONSOR_MIN_AMOUNT,
    maxFee: env.MAX_FEE_PER_PAYMENT,
    ...(env.SPONSOR_ASSETS === undefined ? {} : { assets: env.SPONSOR_ASSETS }),
    ...(env.SPONSOR_ANYONE === undefined ? {} : { anyone: env.SPONSOR_ANYONE === 'true' }),
    ...(env.SPONSOR_ANYONE_BUDGET === undefined ? {} : { anyoneBudget: env.SPONSOR_ANYONE_BUDGET }),
  };
}

function storeOf({ DATABASE_URL, SETTLEMENT_STORE, SETTLEMENT_STORE_SYNC }: Environment): StoreConfig {
  if (DATABASE_URL !== undefined) return { kind: 'postgres', url: DATABASE_URL };
  return { kind: 'sqlite', path: SETTLEMENT_STORE, sync: SETTLEMENT_STORE_SYNC };
}

function invalid(problems: readonly string[]): X402Error {
  return new X402Error('environment_invalid', { message: [...new Set(problems)].join('\n') });
}
