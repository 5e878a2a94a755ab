import { isIP } from 'node:net';
import { type Account, parseAccount } from '@avm402/algorand/account';
import { isAddress } from '@avm402/algorand/address';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork } from '@avm402/core/network';
import { z } from 'zod';
import type { FacilitatorAppOptions } from '../http/app.ts';
import { Callers } from '../callers/callers.ts';
import type { SettlementLimitOptions } from '../settlement/settlement-limits.ts';
import type { ChannelOptions } from '../schemes/channel-options.ts';
import type { ListedSellers } from '../discovery/discovery.ts';
import { createKeepAliveExchange } from '../chain/keep-alive-exchange.ts';
import { DEFAULT_MAX_FEE, type SponsorshipOptions } from '../sponsor/sponsorship.ts';

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
  /** For which channels the sponsor lends the ALGO. */
  readonly channels?: ChannelOptions;
  /** Whose resources are listed for discovery; absent: as the network decides. */
  readonly discovery?: ListedSellers | 'off';
  /** Who may ask, and how often. */
  readonly access?: Omit<FacilitatorAppOptions, 'log' | 'metrics'>;
  /** How many settlements may begin in a minute. */
  readonly limits?: SettlementLimitOptions;
  readonly store: StoreConfig;
  readonly settleTimeoutMs: number;
  readonly retentionDays: number;
  readonly drainTimeoutMs: number;
  /** Whether spans are sent to the collector that OpenTelemetry's own variables name. Default false. */
  readonly sendsSpans?: boolean;
}

export type StoreConfig =
  | { readonly kind: 'sqlite'; readonly path: string; readonly sync: 'normal' | 'full' }
  | { readonly kind: 'postgres'; readonly url: string };

const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_TIMEOUT_MS = 600_000;
const MAX_LIMIT = 1_000_000_000;
/** Some years: what is lent for a channel may stay away as long. */
const MAX_CHANNEL_ROUNDS = 100_000_000;

const text = z.string().trim();
const places = (value: string): string[] => value.split(',').map((item) => item.trim());
const items = (value: string): string[] => places(value).filter((item) => item !== '');
const list = text.transform(items);
const integer = (min: number, max: number) =>
  text.regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max));
const httpUrl = text.refine((url) => /^https?:/.test(url) && URL.canParse(url), 'must be a URL with http or https');
const atomic = text
  .regex(/^\d{1,20}$/, 'must be a whole number of atomic units')
  .transform(BigInt)
  .pipe(z.bigint().max(MAX_UINT64));
const secrets = list.pipe(
  z.array(z.string().superRefine(accepting((value) => parseAccount(value)))).min(1, 'is empty'),
);
const algodUrls = list.pipe(
  z.array(z.string().superRefine(accepting((url) => createAlgodClient({ url })))).min(1, 'is empty'),
);

const environment = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4022),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  ALGOD_URL: z.string('is missing: the URL of an algod, or several with commas between them').pipe(algodUrls),
  // An empty place counts: the algod there gets no token.
  ALGOD_TOKEN: text
    .transform(places)
    .pipe(z.array(z.string().regex(/^[\x21-\x7e]*$/, 'holds a character that no header can carry')))
    .default([]),
  AVM_NETWORK: text.refine(isAlgorandNetwork, 'must be a CAIP-2 id of an Algorand network').optional(),
  AVM_PRIVATE_KEY: secrets.optional(),
  AVM_MNEMONIC: secrets.optional(),
  // An empty place counts: the key there signs for its own account.
  SPONSOR_ADDRESS: text
    .transform(places)
    .pipe(z.array(z.string().refine((one) => one === '' || isAddress(one), 'must be Algorand addresses')))
    .default([]),
  SPONSOR_PAY_TO: list.pipe(z.array(z.string().refine(isAddress, 'must be Algorand addresses'))).default([]),
  SPONSOR_ASSETS: list.pipe(z.array(z.string().regex(/^[1-9]\d{0,19}$/, 'must be asset ids'))).optional(),
  SPONSOR_MIN_AMOUNT: atomic.optional(),
  SPONSOR_ANYONE: z.enum(['true', 'false'], 'must be true or false').optional(),
  SPONSOR_ANYONE_BUDGET: atomic.optional(),
  SPONSOR_PAY_TO_BUDGET: atomic.optional(),
  SPONSOR_PAYER_BUDGET: atomic.optional(),
  SPONSOR_ADVANCE_BUDGET: atomic.optional(),
  SPONSOR_PAYER_ADVANCE_BUDGET: atomic.optional(),
  SPONSOR_TOTAL_BUDGET: atomic.optional(),
  MAX_FEE_PER_PAYMENT: atomic.default(DEFAULT_MAX_FEE),
  CHANNEL_MIN_DEPOSIT: atomic.optional(),
  CHANNEL_MIN_ROUNDS: integer(1, MAX_CHANNEL_ROUNDS).transform(BigInt).optional(),
  CHANNEL_MAX_ROUNDS: integer(1, MAX_CHANNEL_ROUNDS).transform(BigInt).optional(),
  CHANNELS_PER_PAYER: integer(0, MAX_LIMIT).optional(),
  CHANNELS_PER_RECEIVER: integer(0, MAX_LIMIT).optional(),
  CHANNELS_LENT: atomic.optional(),
  CHANNEL_HAND_OVER_AMOUNT: atomic.optional(),
  CALLERS_FILE: text.transform(readCallers).optional(),
  OPEN_LEDGER: z.enum(['true', 'false'], 'must be true or false').optional(),
  TRUSTED_PROXIES: list.pipe(z.array(z.string().refine(isIpOrBlock, 'must be IP addresses or CIDR blocks'))).optional(),
  CORS_ORIGINS: list
    .pipe(z.array(z.string().refine(isOrigin, 'must be origins such as https://shop.example')))
    .optional(),
  LIMIT_PER_IP: integer(1, MAX_LIMIT).optional(),
  LIMIT_PER_PAYER: integer(1, MAX_LIMIT).optional(),
  LIMIT_PER_RECEIVER: integer(1, MAX_LIMIT).optional(),
  MAX_IN_FLIGHT: integer(1, 100_000).optional(),
  DISCOVERY: z.enum(['off', 'listed', 'anyone'], 'must be off, listed or anyone').optional(),
  SETTLEMENT_STORE: text.default('avm402-settlements.sqlite'),
  SETTLEMENT_STORE_SYNC: z.enum(['normal', 'full'], 'must be normal or full').default('normal'),
  DATABASE_URL: text
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
    .refine((url) => URL.canParse(url), 'is no URL; special characters of a password must be percent-encoded')
    .optional(),
  SETTLE_TIMEOUT_MS: integer(1, MAX_TIMEOUT_MS).default(20_000),
  RETENTION_DAYS: integer(1, 36_500).default(90),
  DRAIN_TIMEOUT_MS: integer(0, MAX_TIMEOUT_MS).default(10_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], 'must be true or false').optional(),
});

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(environment.shape);

const storeEnvironment = environment.pick({ SETTLEMENT_STORE: true, SETTLEMENT_STORE_SYNC: true, DATABASE_URL: true });

type Environment = z.output<typeof environment>;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The configuration in the environment. An empty variable counts as missing.
 * @throws X402Error `environment_invalid`, whose message has a line for every variable that is missing or malformed
 */
export function parseConfig(variables: Variables): FacilitatorConfig {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const parsed = environment.safeParse(present);
  const problems = (parsed.error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`);
  problems.push(...contradictions(present));
  if (!parsed.success || problems.length > 0) {
    throw new X402Error('environment_invalid', { message: [...new Set(problems)].join('\n') });
  }
  return configOf(parsed.data);
}

/**
 * Which settlement store the environment names, whatever else is missing there.
 * @throws X402Error `environment_invalid`
 */
export function parseStoreConfig(variables: Variables): StoreConfig {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const parsed = storeEnvironment.safeParse(present);
  if (parsed.success) return storeOf(parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`);
  throw new X402Error('environment_invalid', { message: problems.join('\n') });
}

/** What is wrong with variables taken together. */
function contradictions(variables: Variables): string[] {
  const { ALGOD_URL = '', ALGOD_TOKEN = '' } = variables;
  const [urls, tokens] = [items(ALGOD_URL).length, places(ALGOD_TOKEN).length];
  const isMismatch = tokens > 1 && tokens !== urls;
  return [
    ...sponsorContradictions(variables),
    ...(isMismatch ? [`ALGOD_TOKEN: name one token, or one for each of the ${urls} algods`] : []),
  ];
}

function sponsorContradictions(variables: Variables): string[] {
  const { AVM_PRIVATE_KEY, AVM_MNEMONIC, SPONSOR_ADDRESS = '', SPONSOR_ANYONE } = variables;
  const problems: string[] = [];
  if (AVM_PRIVATE_KEY !== undefined && AVM_MNEMONIC !== undefined) {
    problems.push('AVM_PRIVATE_KEY, AVM_MNEMONIC: set one of them, not both');
  }
  const keys = items(AVM_PRIVATE_KEY ?? AVM_MNEMONIC ?? '').length;
  const asksForSponsor = ['SPONSOR_PAY_TO', 'SPONSOR_ADDRESS'].some((name) => variables[name] !== undefined);
  if (keys === 0 && (asksForSponsor || SPONSOR_ANYONE?.trim() === 'true')) {
    problems.push('AVM_PRIVATE_KEY: is missing: the key of the account that sponsors (or AVM_MNEMONIC)');
  }
  if (keys > 0 && places(SPONSOR_ADDRESS).length > keys)
    problems.push(`SPONSOR_ADDRESS: names more accounts than there are keys (${keys})`);
  return problems;
}

function configOf(env: Environment): FacilitatorConfig {
  const [account, ...moreAccounts] = sponsorsOf(env);
  const exchange = createKeepAliveExchange();
  return {
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    algods: env.ALGOD_URL.map((url, index) => createAlgodClient({ url, token: tokenOf(env, index), exchange })),
    ...(env.AVM_NETWORK !== undefined && { network: env.AVM_NETWORK }),
    ...(account !== undefined && { sponsorship: sponsorshipOf(env, account, moreAccounts) }),
    channels: {
      ...optional('minDeposit', env.CHANNEL_MIN_DEPOSIT),
      ...optional('minRounds', env.CHANNEL_MIN_ROUNDS),
      ...optional('maxRounds', env.CHANNEL_MAX_ROUNDS),
      ...optional('ofPayer', env.CHANNELS_PER_PAYER),
      ...optional('ofReceiver', env.CHANNELS_PER_RECEIVER),
      ...optional('lent', env.CHANNELS_LENT),
      ...optional('handOverAmount', env.CHANNEL_HAND_OVER_AMOUNT),
      ...(env.CALLERS_FILE && { claimKeysOf: (receiver: string) => env.CALLERS_FILE?.claimKeysOf(receiver) }),
    },
    ...optional('discovery', env.DISCOVERY),
    access: accessOf(env),
    limits: {
      ...optional('perPayer', env.LIMIT_PER_PAYER),
      ...optional('perReceiver', env.LIMIT_PER_RECEIVER),
    },
    store: storeOf(env),
    settleTimeoutMs: env.SETTLE_TIMEOUT_MS,
    retentionDays: env.RETENTION_DAYS,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
    sendsSpans: env.OTEL_SDK_DISABLED !== 'true' && collectorOf(env) !== undefined,
  };
}

function collectorOf(env: Environment): string | undefined {
  return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
}

function tokenOf({ ALGOD_TOKEN }: Environment, index: number): string {
  return (ALGOD_TOKEN.length > 1 ? ALGOD_TOKEN[index] : ALGOD_TOKEN[0]) ?? '';
}

function sponsorsOf({ AVM_PRIVATE_KEY, AVM_MNEMONIC = [], SPONSOR_ADDRESS }: Environment): Account[] {
  return (AVM_PRIVATE_KEY ?? AVM_MNEMONIC).map((key, index) => {
    const address = SPONSOR_ADDRESS[index] ?? '';
    return parseAccount(key, address === '' ? {} : { address });
  });
}

function sponsorshipOf(env: Environment, account: Account, moreAccounts: readonly Account[]): SponsorshipOptions {
  const { SPONSOR_ANYONE: anyone } = env;
  return {
    account,
    ...(moreAccounts.length > 0 && { moreAccounts }),
    payTo: env.SPONSOR_PAY_TO,
    maxFee: env.MAX_FEE_PER_PAYMENT,
    ...(anyone !== undefined && { anyone: anyone === 'true' }),
    ...optional('assets', env.SPONSOR_ASSETS),
    ...optional('minAmount', env.SPONSOR_MIN_AMOUNT),
    ...optional('anyoneBudget', env.SPONSOR_ANYONE_BUDGET),
    ...optional('payToBudget', env.SPONSOR_PAY_TO_BUDGET),
    ...optional('payerBudget', env.SPONSOR_PAYER_BUDGET),
    ...optional('advanceBudget', env.SPONSOR_ADVANCE_BUDGET),
    ...optional('payerAdvanceBudget', env.SPONSOR_PAYER_ADVANCE_BUDGET),
    ...optional('totalBudget', env.SPONSOR_TOTAL_BUDGET),
  };
}

function accessOf(env: Environment): NonNullable<FacilitatorConfig['access']> {
  return {
    ...optional('callers', env.CALLERS_FILE),
    isLedgerOpen: env.OPEN_LEDGER === 'true',
    ...optional('perIp', env.LIMIT_PER_IP),
    ...optional('maxInFlight', env.MAX_IN_FLIGHT),
    ...optional('trustedProxies', env.TRUSTED_PROXIES),
    ...optional('corsOrigins', env.CORS_ORIGINS),
  };
}

function readCallers(path: string, context: z.RefinementCtx): Callers {
  try {
    return Callers.read(path);
  } catch (error) {
    if (!isX402Error(error)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
}

function isIpOrBlock(place: string): boolean {
  const [address = '', bits, more] = place.split('/');
  const version = isIP(address);
  if (version === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isOrigin(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).origin === origin;
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [key in Name]?: Value } {
  // One member, or none: what the mapped type of a single name means.
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value };
}

function storeOf(env: z.output<typeof storeEnvironment>): StoreConfig {
  const { DATABASE_URL, SETTLEMENT_STORE, SETTLEMENT_STORE_SYNC } = env;
  if (DATABASE_URL !== undefined) return { kind: 'postgres', url: DATABASE_URL };
  return { kind: 'sqlite', path: SETTLEMENT_STORE, sync: SETTLEMENT_STORE_SYNC };
}

/** A check that a value is one that `parse` takes; its message is the parser's, which never quotes a secret. */
function accepting(parse: (value: string) => unknown): (value: string, context: z.RefinementCtx) => void {
  return (value, context) => {
    try {
      parse(value);
    } catch (error) {
      if (!isAlgorandError(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}
