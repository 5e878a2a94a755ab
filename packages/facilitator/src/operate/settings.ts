import { parseAccount } from '@avm402/algorand/account';
import { isAddress } from '@avm402/algorand/address';
import { createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandNetwork } from '@avm402/core/network';
import * as z from 'zod';
import { FACILITATOR_DEFAULTS } from '../facilitator-options.ts';
import { ADMISSION_DEFAULTS } from '../http/admission.ts';
import { CHANNEL_DEFAULTS, MAX_ROUNDS } from '../schemes/channel-options.ts';
import {
  flag,
  httpUrl,
  integer,
  isIpOrBlock,
  isOrigin,
  listOf,
  parsedList,
  places,
  readCallers,
  text,
  units,
} from './setting-kinds.ts';
import { BUDGET_DEFAULTS, DEFAULT_MAX_FEE, MIN_USDC } from '../sponsor/sponsorship.ts';

/** The description of a setting for people. */
interface SettingWords {
  readonly help: string;
  /** The value in words when it is not set; absent: none. */
  readonly otherwise?: string;
}

const MAX_TIMEOUT_MS = 600_000;
const MAX_LIMIT = 1_000_000_000;
/** Some years: ALGO lent for a channel may stay away as long. */
const MAX_CHANNEL_ROUNDS = 100_000_000;

const words = z.registry<SettingWords>();

const limit = integer(1, MAX_LIMIT).optional();
const count = integer(0, MAX_LIMIT).optional();
const rounds = integer(1, MAX_CHANNEL_ROUNDS).transform(BigInt).optional();
const amount = units.optional();
const secrets = parsedList((secret) => parseAccount(secret)).optional();
const algodUrls = parsedList((url) => createAlgodClient({ url }));

const chain = {
  ALGOD_URL: setting(
    z.string('is missing: the URL of an algod, or several with commas between them').pipe(algodUrls),
    'URL of an algod; several, with commas between them, for failover',
    'required',
  ),
  // An empty place counts: the algod there gets no token.
  ALGOD_TOKEN: setting(
    places(z.string().regex(/^[\x21-\x7e]*$/, 'holds a character that no header can carry')),
    'its API token, or one for each (an empty place: none)',
  ),
  AVM_NETWORK: setting(
    text.refine(isAlgorandNetwork, 'must be a CAIP-2 id of an Algorand network').optional(),
    'CAIP-2 id that the algods must be of',
    'that of the first one',
  ),
};

const sponsoring = {
  SPONSOR_PRIVATE_KEY: setting(
    secrets,
    'key of the sponsor: base64 of 64 bytes; several, with commas between them: offers name the account with most left, ' +
      'the first one funds and closes channels, only the others settle the scheme upto',
    'no fees are sponsored',
  ),
  SPONSOR_MNEMONIC: setting(secrets, 'the same key, or keys, as 25 words'),
  AVM_PRIVATE_KEY: setting(secrets, 'old name of SPONSOR_PRIVATE_KEY, read if no variable above names a key'),
  AVM_MNEMONIC: setting(secrets, 'old name of SPONSOR_MNEMONIC, read likewise'),
  // An empty place counts: the key there signs for its own account.
  SPONSOR_ADDRESS: setting(
    places(z.string().refine((one) => one === '' || isAddress(one), 'must be Algorand addresses')),
    "the sponsor's address, if its account is rekeyed to that key; or one for each (an empty place: the key's own)",
  ),
  SPONSOR_PAY_TO: setting(
    listOf(isAddress, 'must be Algorand addresses').default([]),
    'addresses of the sellers whose payments are sponsored, with commas between them',
  ),
  SPONSOR_ASSETS: setting(
    listOf((id) => /^[1-9]\d{0,19}$/.test(id), 'must be asset ids').optional(),
    'ids of the assets that they may be paid in',
    "the network's USDC",
  ),
  SPONSOR_MIN_AMOUNT: setting(
    amount,
    'least amount sponsored, in atomic units',
    `${MIN_USDC} of USDC, what the fee is worth; development networks: 1; required for other assets`,
  ),
  SPONSOR_PAY_TO_BUDGET: setting(amount, 'microAlgos a day for each of these sellers', BUDGET_DEFAULTS.payToBudget),
  SPONSOR_PAYER_BUDGET: setting(amount, 'microAlgos a day for each payer', BUDGET_DEFAULTS.payerBudget),
  SPONSOR_ADVANCE_BUDGET: setting(
    amount,
    'microAlgos a day, in addition, for each of these sellers’ channels and charges below SPONSOR_MIN_AMOUNT; for everybody ' +
      'else’s together, at most SPONSOR_ANYONE_BUDGET',
    BUDGET_DEFAULTS.advanceBudget,
  ),
  SPONSOR_PAYER_ADVANCE_BUDGET: setting(
    amount,
    'microAlgos a day of these for each payer, within its other budget',
    BUDGET_DEFAULTS.payerAdvanceBudget,
  ),
  SPONSOR_TOTAL_BUDGET: setting(
    amount,
    'microAlgos a day for all together, half of it at most for advances',
    'only the other limits',
  ),
  SPONSOR_ANYONE: setting(flag, 'true: sponsors everybody else as well', 'true on development networks only'),
  SPONSOR_ANYONE_BUDGET: setting(amount, 'microAlgos a day for everybody else together', BUDGET_DEFAULTS.anyoneBudget),
  MAX_FEE_PER_PAYMENT: setting(units.default(DEFAULT_MAX_FEE), 'most microAlgos that one payment may cost'),
};

const channels = {
  CHANNEL_MIN_DEPOSIT: setting(
    amount,
    'least deposit that opens a channel, in atomic units',
    'no channels are opened; development networks: 1',
  ),
  CHANNEL_MIN_ROUNDS: setting(
    rounds,
    'least rounds until a channel expires',
    `${CHANNEL_DEFAULTS.minRounds}, a day; development networks: 1000`,
  ),
  CHANNEL_MAX_ROUNDS: setting(
    rounds,
    'most rounds until a channel expires',
    `${MAX_ROUNDS}, a week, or twice the least where that is more`,
  ),
  CHANNELS_PER_PAYER: setting(
    count,
    'most open channels of one payer',
    `${CHANNEL_DEFAULTS.ofPayer}; development networks: any number`,
  ),
  CHANNELS_PER_RECEIVER: setting(
    count,
    'most open channels to one receiver',
    'half of all that are lent for; development networks: any number',
  ),
  CHANNELS_LENT: setting(
    amount,
    'most microAlgos lent at a time, on each network',
    `${CHANNEL_DEFAULTS.lent}; development networks: any amount`,
  ),
  CHANNEL_HAND_OVER_AMOUNT: setting(
    amount,
    'least claim, in atomic units, that hands the 0.2 ALGO to a payer that can’t receive',
    '100 times SPONSOR_MIN_AMOUNT, what they are worth',
  ),
};

const callers = {
  CALLERS_FILE: setting(
    text.transform(readCallers).optional(),
    'JSON file with the callers’ keys, receivers and limits; verify and settle need a key then. SIGHUP reads it again',
  ),
  OPEN_LEDGER: setting(flag, 'true: without callers, anyone may read the ledger; for development', 'false'),
  LIMIT_PER_IP: setting(
    limit,
    'requests a minute from one address without a key; this machine has no limit',
    ADMISSION_DEFAULTS.perIp,
  ),
  LIMIT_PER_PAYER: setting(limit, 'settlements of one payer that may begin in a minute', 'no limit'),
  LIMIT_PER_RECEIVER: setting(limit, 'settlements to one receiver that may begin in a minute', 'no limit'),
  MAX_IN_FLIGHT: setting(limit, 'requests that are worked on at a time', ADMISSION_DEFAULTS.maxInFlight),
  TRUSTED_PROXIES: setting(
    listOf(isIpOrBlock, 'must be IP addresses or CIDR blocks').optional(),
    'IP addresses or CIDR blocks whose X-Forwarded-For is trusted',
  ),
  CORS_ORIGINS: setting(
    listOf(isOrigin, 'must be origins such as https://shop.example').optional(),
    'origins whose pages may ask from a browser',
  ),
};

const discovery = {
  DISCOVERY: setting(
    z.enum(['off', 'listed', 'anyone'], 'must be off, listed or anyone').optional(),
    'whose resources are listed at /discovery, if their offers declare it: listed (sellers named in SPONSOR_PAY_TO, or by ' +
      'the key that settles), anyone, or off: nobody’s, and there is no such route',
    'listed; development networks: anyone',
  ),
};

const store = {
  SETTLEMENT_STORE: setting(text.default('avm402-settlements.sqlite'), 'SQLite file, or :memory:'),
  SETTLEMENT_STORE_SYNC: setting(
    z.enum(['normal', 'full'], 'must be normal or full').default('normal'),
    'full: a commit survives a power failure as well',
  ),
  DATABASE_URL: setting(
    text
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
      .refine((url) => URL.canParse(url), 'is not a URL; special characters of a password must be percent-encoded')
      .optional(),
    'PostgreSQL instead of a file, for several replicas',
  ),
};

const settlements = {
  ...store,
  LOGIC_SIGNATURES: setting(
    flag,
    'false: payments by the scheme exact are signed by keys only, not by programs such as mandates',
    'true',
  ),
  SETTLE_TIMEOUT_MS: setting(
    integer(1, MAX_TIMEOUT_MS).default(FACILITATOR_DEFAULTS.settleTimeoutMs),
    'how long a settle call waits for the outcome',
  ),
  RETENTION_DAYS: setting(
    integer(1, 36_500).default(FACILITATOR_DEFAULTS.retentionDays),
    'how long final settlements can be looked up',
  ),
};

const program = {
  HOST: setting(text.default('127.0.0.1'), 'where the program listens'),
  PORT: setting(integer(0, 65_535).default(4022), 'its port; 0: any free one'),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
  ),
  DRAIN_TIMEOUT_MS: setting(
    integer(0, MAX_TIMEOUT_MS).default(10_000),
    'how long a shutdown waits for settle calls under way',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(httpUrl, 'URL of a collector that gets OpenTelemetry spans'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(httpUrl, 'the same, for a collector of spans only'),
  OTEL_SDK_DISABLED: setting(flag, 'true: sends no spans, even if a collector is named'),
};

interface SettingSection {
  readonly title: string;
  /** A note about all of them. */
  readonly note?: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
}

/** Every setting of the program, in reading order: help, documentation and `.env.example` follow it. */
export const SECTIONS: readonly SettingSection[] = [
  { title: 'The chain', settings: chain },
  {
    title: 'Sponsoring fees',
    note: 'On development networks a budget that is not set has no limit. Refused payments use up none.',
    settings: sponsoring,
  },
  {
    title: 'Channels',
    note: 'They are opened for the sellers and assets above; the sponsor lends each 0.2 ALGO.',
    settings: channels,
  },
  { title: 'Callers', settings: callers },
  { title: 'Discovery', settings: discovery },
  { title: 'Settlements', settings: settlements },
  { title: 'The program', settings: program },
];

/** The environment's settings as values. */
export const environment = z.object({
  ...chain,
  ...sponsoring,
  ...channels,
  ...callers,
  ...discovery,
  ...settlements,
  ...program,
});

export const storeEnvironment = z.object(store);

/** The description of a setting, with the schema's own default. */
export function wordsOf(schema: z.ZodType): SettingWords {
  const described = words.get(schema) ?? { help: '' };
  const { data } = schema.safeParse(undefined);
  const isValue = typeof data === 'string' || typeof data === 'number' || typeof data === 'bigint';
  return isValue ? { otherwise: `${data}`, ...described } : described;
}

function setting<Schema extends z.ZodType>(schema: Schema, help: string, otherwise?: string | number | bigint): Schema {
  // A copy, because several settings share one schema.
  const own = schema.clone();
  words.add(own, { help, ...(otherwise !== undefined && { otherwise: `${otherwise}` }) });
  return own;
}
