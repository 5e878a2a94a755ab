import { type Account, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';
import type * as z from 'zod';
import { createKeepAliveExchange } from '../chain/keep-alive-exchange.ts';
import type { ListedSellers } from '../discovery/discovery.ts';
import type { FacilitatorAppOptions } from '../http/app.ts';
import { present } from '../present.ts';
import type { ChannelOptions } from '../schemes/channel-options.ts';
import type { SettlementLimitOptions } from '../settlement/settlement-limits.ts';
import type { SponsorshipOptions } from '../sponsor/sponsorship.ts';
import { itemsOf, placesOf } from './setting-kinds.ts';
import { environment, storeEnvironment } from './settings.ts';
import type { Variables } from './variables.ts';

/** All settings that the program takes from its environment. */
export interface FacilitatorConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly logLevel: string;
  readonly algods: readonly AlgodClient[];
  /** CAIP-2. Default: that of the first algod. */
  readonly network?: string;
  /** Default: nobody is sponsored; payments carry their own fee. */
  readonly sponsorship?: SponsorshipOptions;
  /** The channels for which the sponsor lends the ALGO. */
  readonly channels?: ChannelOptions;
  /** The sellers whose resources are listed for discovery. Default: depends on the network. */
  readonly discovery?: ListedSellers | 'off';
  /** Who may send requests, and how often. */
  readonly access?: Omit<FacilitatorAppOptions, 'log' | 'metrics'>;
  /** Whether payments signed by a program are taken in `exact`. Default true. */
  readonly logicSignatures?: boolean;
  /** How many settlements may begin in a minute. */
  readonly limits?: SettlementLimitOptions;
  readonly store: StoreConfig;
  readonly settleTimeoutMs: number;
  readonly retentionDays: number;
  readonly drainTimeoutMs: number;
  /** Whether to send spans to the collector that OpenTelemetry's own variables name. Default false. */
  readonly sendsSpans?: boolean;
}

export type StoreConfig =
  | { readonly kind: 'sqlite'; readonly path: string; readonly sync: 'normal' | 'full' }
  | { readonly kind: 'postgres'; readonly url: string };

type Environment = z.output<typeof environment>;

/**
 * Parses the configuration in the environment. An empty variable counts as missing.
 * @throws X402Error `environment_invalid`, whose message has a line for every variable that is missing or malformed
 */
export function parseConfig(variables: Variables): FacilitatorConfig {
  return configOf(parsed(environment, variables, contradictions));
}

/**
 * The settlement store that the environment names. No other variable is needed.
 * @throws X402Error `environment_invalid`
 */
export function parseStoreConfig(variables: Variables): StoreConfig {
  return storeOf(parsed(storeEnvironment, variables, () => []));
}

/** @throws X402Error `environment_invalid` with every problem, of single variables or of several together */
function parsed<Output>(
  schema: z.ZodType<Output>,
  variables: Variables,
  contradictionsOf: (given: Variables) => readonly string[],
): Output {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const result = schema.safeParse(given);
  const problems = (result.error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`);
  problems.push(...contradictionsOf(given));
  if (result.success && problems.length === 0) return result.data;
  throw new X402Error('environment_invalid', { message: [...new Set(problems)].join('\n') });
}

/** Problems of variables that don't fit together. */
function contradictions(variables: Variables): string[] {
  const { ALGOD_URL = '', ALGOD_TOKEN = '' } = variables;
  const [urls, tokens] = [itemsOf(ALGOD_URL).length, placesOf(ALGOD_TOKEN).length];
  const isMismatch = tokens > 1 && tokens !== urls;
  return [
    ...sponsorContradictions(variables),
    ...(isMismatch ? [`ALGOD_TOKEN: name one token, or one for each of the ${urls} algods`] : []),
  ];
}

function sponsorContradictions(variables: Variables): string[] {
  const { SPONSOR_ADDRESS = '', SPONSOR_ANYONE } = variables;
  const problems: string[] = [];
  const [holder = '', other] = keyVariables(variables);
  if (other !== undefined) problems.push(`${holder}, ${other}: set one of them, not both`);
  const keys = itemsOf(variables[holder] ?? '').length;
  const asksForSponsor = ['SPONSOR_PAY_TO', 'SPONSOR_ADDRESS'].some((name) => variables[name] !== undefined);
  if (keys === 0 && (asksForSponsor || SPONSOR_ANYONE?.trim() === 'true')) {
    problems.push('SPONSOR_PRIVATE_KEY: is missing: the key of the account that sponsors (or SPONSOR_MNEMONIC)');
  }
  if (keys > 0 && placesOf(SPONSOR_ADDRESS).length > keys)
    problems.push(`SPONSOR_ADDRESS: names more accounts than there are keys (${keys})`);
  return problems;
}

/**
 * The variables that name the sponsor's keys. The old names are read only without the new ones: a shell may have set
 * them for a buyer.
 */
function keyVariables(variables: Readonly<Record<string, unknown>>): string[] {
  const given = (names: readonly string[]): string[] => names.filter((name) => variables[name] !== undefined);
  const own = given(['SPONSOR_PRIVATE_KEY', 'SPONSOR_MNEMONIC']);
  return own.length > 0 ? own : given(['AVM_PRIVATE_KEY', 'AVM_MNEMONIC']);
}

function configOf(env: Environment): FacilitatorConfig {
  const [account, ...moreAccounts] = sponsorsOf(env);
  const { CALLERS_FILE: callers } = env;
  const exchange = createKeepAliveExchange();
  const collector = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    algods: env.ALGOD_URL.map((url, index) => createAlgodClient({ url, token: tokenOf(env, index), exchange })),
    ...present({ network: env.AVM_NETWORK, discovery: env.DISCOVERY }),
    ...(account !== undefined && { sponsorship: sponsorshipOf(env, account, moreAccounts) }),
    channels: present({
      minDeposit: env.CHANNEL_MIN_DEPOSIT,
      minRounds: env.CHANNEL_MIN_ROUNDS,
      maxRounds: env.CHANNEL_MAX_ROUNDS,
      ofPayer: env.CHANNELS_PER_PAYER,
      ofReceiver: env.CHANNELS_PER_RECEIVER,
      lent: env.CHANNELS_LENT,
      handOverAmount: env.CHANNEL_HAND_OVER_AMOUNT,
      claimKeysOf: callers && ((receiver: string) => callers.claimKeysOf(receiver)),
    }),
    access: {
      isLedgerOpen: env.OPEN_LEDGER ?? false,
      ...present({
        callers,
        perIp: env.LIMIT_PER_IP,
        maxInFlight: env.MAX_IN_FLIGHT,
        trustedProxies: env.TRUSTED_PROXIES,
        corsOrigins: env.CORS_ORIGINS,
      }),
    },
    logicSignatures: env.LOGIC_SIGNATURES ?? true,
    limits: present({ perPayer: env.LIMIT_PER_PAYER, perReceiver: env.LIMIT_PER_RECEIVER }),
    store: storeOf(env),
    settleTimeoutMs: env.SETTLE_TIMEOUT_MS,
    retentionDays: env.RETENTION_DAYS,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
    sendsSpans: env.OTEL_SDK_DISABLED !== true && collector !== undefined,
  };
}

function tokenOf({ ALGOD_TOKEN }: Environment, index: number): string {
  return (ALGOD_TOKEN.length > 1 ? ALGOD_TOKEN[index] : ALGOD_TOKEN[0]) ?? '';
}

function sponsorsOf(env: Environment): Account[] {
  const { SPONSOR_PRIVATE_KEY, SPONSOR_MNEMONIC, AVM_PRIVATE_KEY, AVM_MNEMONIC = [], SPONSOR_ADDRESS } = env;
  return (SPONSOR_PRIVATE_KEY ?? SPONSOR_MNEMONIC ?? AVM_PRIVATE_KEY ?? AVM_MNEMONIC).map((key, index) => {
    const address = SPONSOR_ADDRESS[index] ?? '';
    return parseAccount(key, address === '' ? {} : { address });
  });
}

function sponsorshipOf(env: Environment, account: Account, moreAccounts: readonly Account[]): SponsorshipOptions {
  return {
    account,
    ...(moreAccounts.length > 0 && { moreAccounts }),
    payTo: env.SPONSOR_PAY_TO,
    maxFee: env.MAX_FEE_PER_PAYMENT,
    ...present({
      anyone: env.SPONSOR_ANYONE,
      assets: env.SPONSOR_ASSETS,
      minAmount: env.SPONSOR_MIN_AMOUNT,
      anyoneBudget: env.SPONSOR_ANYONE_BUDGET,
      payToBudget: env.SPONSOR_PAY_TO_BUDGET,
      payerBudget: env.SPONSOR_PAYER_BUDGET,
      advanceBudget: env.SPONSOR_ADVANCE_BUDGET,
      payerAdvanceBudget: env.SPONSOR_PAYER_ADVANCE_BUDGET,
      totalBudget: env.SPONSOR_TOTAL_BUDGET,
    }),
  };
}

function storeOf(env: z.output<typeof storeEnvironment>): StoreConfig {
  const { DATABASE_URL, SETTLEMENT_STORE, SETTLEMENT_STORE_SYNC } = env;
  if (DATABASE_URL !== undefined) return { kind: 'postgres', url: DATABASE_URL };
  return { kind: 'sqlite', path: SETTLEMENT_STORE, sync: SETTLEMENT_STORE_SYNC };
}
