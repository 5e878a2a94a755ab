import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Account } from '@avm402/algorand/account';
import type { AlgodClient, SuggestedParams } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isDevelopmentGenesisId } from '@avm402/algorand/networks';
import { isX402Error } from '@avm402/core/errors';
import { algorandNetwork, canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import { reasonOf } from '../reason.ts';
import { type ChannelOptions, channelPolicyOn } from '../schemes/channel-options.ts';
import { type FacilitatorConfig, parseConfig, parseStoreConfig, type StoreConfig } from './config.ts';
import { fundsOf } from '../sponsor/fee-payers.ts';
import { sponsorAccounts, type SponsorshipOptions, sponsorOn } from '../sponsor/sponsorship.ts';
import { missingMigrations } from '../stores/postgres-schema.ts';
import { openSqliteLedger } from '../stores/sqlite-ledger.ts';
import type { Variables } from './variables.ts';

/** The result of checking a configuration: what it would do, or everything that is wrong with it. */
export interface ConfigCheck {
  /** One line for each problem; it starts with the variable to change. */
  readonly problems: readonly string[];
  /** One line, for people, for each thing that is right. */
  readonly found: readonly string[];
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Without these variables no algod can be asked. */
const CHAIN = ['ALGOD_URL', 'ALGOD_TOKEN', 'AVM_NETWORK'];

/**
 * Checks a configuration without serving: the variables, every algod, the sponsor's account and its assets, and the
 * store. It changes nothing. A facilitator may be running with the same configuration.
 */
export async function checkConfig(variables: Variables): Promise<ConfigCheck> {
  const problems: string[] = [];
  const found: string[] = [];
  const config = attempt(() => parseConfig(variables), problems);
  const chain = config ?? attempt(() => parseConfig(only(variables, CHAIN)), []);
  const store = config?.store ?? attempt(() => parseStoreConfig(variables), []);
  if (chain !== undefined) await checkChain(chain, config, { problems, found });
  if (store !== undefined) await checkStore(store, { problems, found });
  return { problems: [...new Set(problems)], found };
}

type Findings = { readonly problems: string[]; readonly found: string[] };

/** The settings that `parse` returns, or nothing; then the problems are added to `problems`. */
export function attempt<T>(parse: () => T, problems: string[]): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!isX402Error(error, 'environment_invalid')) throw error;
    problems.push(...error.message.split('\n'));
    return undefined;
  }
}

function only(variables: Variables, names: readonly string[]): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));
}

async function checkChain(
  { algods, network }: FacilitatorConfig,
  { sponsorship, channels }: Partial<FacilitatorConfig> = {},
  { problems, found }: Findings,
): Promise<void> {
  const answers = await Promise.all(algods.map(async (algod) => ({ algod, params: await ask(algod, problems) })));
  const present = answers.flatMap(({ algod, params }) => (params === undefined ? [] : [{ algod, params }]));
  const [first] = present;
  if (first === undefined) return;
  const expected =
    network !== undefined && isAlgorandNetwork(network) ? canonicalNetwork(network) : networkOf(first.params);
  for (const { algod, params } of present) {
    const served = networkOf(params);
    if (served === expected) found.push(`${hostOf(algod)}: ${served}, ${params.genesisId}, round ${params.lastRound}`);
    else problems.push(`AVM_NETWORK: the algod at ${hostOf(algod)} is of ${served}, not of ${expected}`);
  }
  if (sponsorship === undefined) return;
  attempt(() => assertSponsor(first.params, sponsorship, channels), problems);
  await checkSponsor(first, sponsorship, { problems, found }).catch((error: unknown) => {
    problems.push(`ALGOD_URL: ${reasonOf(error)}`);
  });
}

/** @throws X402Error `environment_invalid` if this network needs other settings */
function assertSponsor(params: SuggestedParams, sponsorship: SponsorshipOptions, channels: ChannelOptions = {}): void {
  const genesisHash = encodeBase64(params.genesisHash);
  const development = isDevelopmentGenesisId(params.genesisId);
  const network = algorandNetwork(genesisHash);
  const sponsor = sponsorOn({ network, genesisHash, development }, sponsorship, {
    left: async (_, upTo) => upTo,
    feePayer: () => sponsorship.account.address,
    uptoFeePayer: () => sponsorship.moreAccounts?.[0]?.address,
    now: Date.now,
  });
  if (sponsor !== undefined) channelPolicyOn({ development }, channels, sponsor);
}

async function ask(algod: AlgodClient, problems: string[]): Promise<SuggestedParams | undefined> {
  try {
    return await algod.params();
  } catch (error) {
    if (!isAlgorandError(error)) throw error;
    const isToken = error.code === 'algod_refused' && (error.status === 401 || error.status === 403);
    problems.push(isToken ? `ALGOD_TOKEN: the algod at ${hostOf(algod)} refuses it` : `ALGOD_URL: ${error.message}`);
    return undefined;
  }
}

/** A node that has answered. */
interface Node {
  readonly algod: AlgodClient;
  readonly params: SuggestedParams;
}

async function checkSponsor(node: Node, sponsorship: SponsorshipOptions, findings: Findings): Promise<void> {
  for (const account of sponsorAccounts(sponsorship).values()) await checkFeePayer(account, node, findings);
  for (const asset of sponsorship.assets ?? []) {
    if ((await node.algod.asset(BigInt(asset))) === undefined)
      findings.problems.push(`SPONSOR_ASSETS: there is no asset ${asset}`);
  }
}

async function checkFeePayer(account: Account, { algod, params }: Node, { problems, found }: Findings): Promise<void> {
  const { address, signerAddress } = account;
  const information = await algod.account(address);
  const { paymentsLeft, isRekeyed } = fundsOf(account, information, params);
  if (isRekeyed) {
    const { authAddress = address } = information;
    problems.push(`SPONSOR_PRIVATE_KEY: signs as ${signerAddress}, but ${address} is signed for by ${authAddress}`);
  } else if (paymentsLeft === 0n)
    problems.push(`SPONSOR_PRIVATE_KEY: the sponsor ${address} can't pay for a single payment`);
  else found.push(`sponsor ${address}: ${paymentsLeft} payments left`);
}

async function checkStore(config: StoreConfig, { problems, found }: Findings): Promise<void> {
  const name = config.kind === 'postgres' ? 'DATABASE_URL' : 'SETTLEMENT_STORE';
  try {
    found.push(config.kind === 'postgres' ? await checkPostgres(config.url) : await checkFile(config.path));
  } catch (error) {
    problems.push(`${name}: ${reasonOf(error)}`);
  }
}

async function checkPostgres(url: string): Promise<string> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    const place = `PostgreSQL at ${new URL(url).host}`;
    const missing = await missingMigrations(async (text, values) => (await client.query(text, values)).rows);
    return missing.length === 0 ? place : `${place}, which the next start brings up to date`;
  } finally {
    await client.end().catch(() => {});
  }
}

async function checkFile(path: string): Promise<string> {
  if (path === ':memory:') return 'settlements in memory: they are lost with the process';
  await access(dirname(path), constants.W_OK);
  if (!existsSync(path)) return `settlements in ${path}, which is made at the first start`;
  await access(path, constants.W_OK);
  const ledger = openSqliteLedger(path);
  try {
    if (ledger.isOutdated) return `settlements in ${path}, which the next start brings up to date`;
    await ledger.list({ limit: 1 });
    return `settlements in ${path}`;
  } finally {
    ledger.close();
  }
}

function networkOf({ genesisHash }: SuggestedParams): string {
  return algorandNetwork(encodeBase64(genesisHash));
}

function hostOf({ url }: AlgodClient): string {
  return new URL(url).host;
}
