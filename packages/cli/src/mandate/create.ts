import { rm } from 'node:fs/promises';
import { createAccount, encodePrivateKey, type NewAccount } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import type { AlgodClient } from '@avm402/algorand/algod';
import {
  ANY_RECEIVER,
  encodeMandateConfig,
  mandateAddress,
  type MandateConfig,
  openMandateGroup,
  parseMandateConfig,
  receiverTree,
  windowEnd,
} from '@avm402/avm/mandate';
import { roundsIn } from '@avm402/client/mandate';
import { DAY_MS, HOUR_MS } from '@avm402/core/durations';
import { parseAtomicAmount } from '@avm402/core/price';
import { command, invalidArguments, type OptionValues, valueOf } from '../command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../options/environment.ts';
import { networkOf } from '../node/node-network.ts';
import { readInput } from '../options/input-file.ts';
import { dollarValue } from '../options/spend-limits.ts';
import type { Terminal } from '../command/terminal.ts';
import { createMandateFile, type MandateRecord } from './mandate-file.ts';
import { inMandate, ruleLines, timeOf } from './mandate-words.ts';
import { OWNER_HELP, OWNER_OPTIONS, ownerSigner, settleOwnerGroup, termsNow, hasNotLeft } from './owner-group.ts';

const help = `Usage: avm402 mandate create --per-payment PRICE --funds PRICE [options]

Makes a mandate: an account that an agent's key may pay from, within limits that the chain enforces, and that its owner
can end at any time. Funds it from the owner's account with USDC and 0.2 ALGO, which come back when it ends. The agent's
key is made here and printed once.

      --per-payment PRICE the most that one payment moves
      --slots N           the most payments in 500 rounds, about 23 minutes (default 6)
      --funds PRICE       what the mandate gets; it can never pay more
      --until TIME        how long it may pay, such as 30d or 12h, up to the end of a window (default 30d)
      --receivers FILE    the only addresses that it may pay, one per line (default: anybody)
      --owner ADDRESS     the account that funds and ends it (default: the account of the environment)
      --agent ADDRESS     the agent's key, if it has one already
      --file FILE         the file to make (default mandate.json); nothing in it is secret
${OWNER_HELP}
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`;

const OPTIONS = {
  ...OWNER_OPTIONS,
  'per-payment': { type: 'string' },
  slots: { type: 'string', default: '6' },
  funds: { type: 'string' },
  until: { type: 'string', default: '30d' },
  receivers: { type: 'string' },
  owner: { type: 'string' },
  agent: { type: 'string' },
  file: { type: 'string', default: 'mandate.json' },
  json: { type: 'boolean' },
} as const;

const SALT_BYTES = 16;

type Values = OptionValues<typeof OPTIONS>;

export const mandateCreate = command({
  summary: "make an agent's budget that the chain enforces",
  help,
  options: OPTIONS,
  positionals: [],
  async run(values, terminal) {
    const made = await make(values, terminal);
    const { record, round, key } = made;
    const json = { ...record, round, ...(key !== undefined && { agentKey: encodeKey(key) }) };
    return { json, lines: madeLines(made, values) };
  },
});

interface Made {
  readonly record: MandateRecord;
  readonly config: MandateConfig;
  readonly funds: bigint;
  /** When it was funded; undefined if a wallet signs for that. */
  readonly round: bigint | undefined;
  /** The agent's key, if it was made here. */
  readonly key: NewAccount | undefined;
  /** The expiry's time as far as it is known. */
  readonly expires: string;
}

async function make(values: Values, terminal: Terminal): Promise<Made> {
  const wanted = await wantedOf(values);
  const algod = algodOf(terminal.environment);
  const { owner, file } = values;
  const signer = await ownerSigner(terminal, values.unsigned, { from: owner, wallet: owner, mandate: file });
  const { agent, key } = agentOf(values.agent, terminal);
  const config = await configOf(algod, terminal, { ...wanted, owner: signer.address, agent });
  const { receivers, funds } = wanted;
  const address = mandateAddress(config);
  const record = {
    address,
    config: encodeMandateConfig(config),
    ...(receivers && { receivers }),
    funded: funds.toString(),
  };
  const terms = await termsNow(algod);
  // Before the money leaves: without its file nobody finds the mandate again.
  await createMandateFile(file, record);
  const group = openMandateGroup(config, { amount: funds }, terms);
  const owned = { config, group, signer };
  const round = await settleOwnerGroup(algod, owned, terminal.interrupted()).catch(async (error: unknown) => {
    // If it may have left, the mandate may be funded, and its key is nowhere else.
    if (hasNotLeft(error)) await rm(file);
    else if (key !== undefined) terminal.error(...keyLines(key));
    throw error;
  });
  const expires = timeOf(config.expiry, { round: terms.firstValid }, terminal.now());
  return { record, config, funds, round, key, expires };
}

function madeLines({ record, config, funds, round, key, expires }: Made, { unsigned, file }: Values): string[] {
  const when = round === undefined ? ', when the owner has signed' : ` in round ${round}`;
  return [
    `mandate   ${record.address}`,
    ...ruleLines(config, record.receivers),
    `expires   after round ${config.expiry}, about ${expires}`,
    `funds     ${inMandate(config, funds)}${when}`,
    ...(unsigned === undefined ? [] : [`to sign   ${unsigned}: a wallet of the owner signs and sends it`]),
    `file      ${file}`,
    ...(key === undefined ? [] : keyLines(key)),
    `next      AVM_PRIVATE_KEY=… avm402 mcp --mandate ${file} --journal payments.jsonl`,
  ];
}

/** The agent's address; without one, a new key's. */
function agentOf(address: string | undefined, { random }: Terminal): { agent: string; key: NewAccount | undefined } {
  if (address !== undefined) return { agent: address, key: undefined };
  const key = createAccount(random);
  return { agent: key.address, key };
}

function encodeKey(key: NewAccount): string {
  return encodePrivateKey(key.exportSeed());
}

function keyLines(key: NewAccount): string[] {
  return [
    `agent     its key, shown only here; it holds nothing, and can pay only from this mandate`,
    `AVM_PRIVATE_KEY  ${encodeKey(key)}`,
  ];
}

interface Wanted {
  readonly cap: bigint;
  readonly slots: bigint;
  readonly funds: bigint;
  readonly rounds: bigint;
  readonly receivers: readonly string[] | undefined;
}

/** @throws X402Error `invalid_arguments` */
async function wantedOf(values: Values): Promise<Wanted> {
  const { 'per-payment': perPayment, funds, slots, until, receivers, owner, agent } = values;
  if (perPayment === undefined || funds === undefined) {
    throw invalidArguments('--per-payment and --funds are needed: what may it pay?');
  }
  if (owner !== undefined) valueOf('--owner', () => parseAddress(owner));
  if (agent !== undefined) valueOf('--agent', () => parseAddress(agent));
  return {
    cap: dollarValue('--per-payment', perPayment),
    slots: valueOf('--slots', () => parseAtomicAmount(slots)),
    funds: dollarValue('--funds', funds),
    rounds: roundsIn(parseDuration(until)),
    receivers: receivers === undefined ? undefined : await receiversIn(receivers),
  };
}

/** The milliseconds of a time such as `30d` or `12h`. */
function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  if (count === undefined) throw invalidArguments('--until: write days or hours, such as 30d or 12h');
  return Number(count) * (unit === 'd' ? DAY_MS : HOUR_MS);
}

async function receiversIn(file: string): Promise<string[]> {
  const receivers = (await readInput(file))
    .toString()
    .split(/\s+/)
    .filter((word) => word !== '');
  valueOf('--receivers', () => receiverTree(receivers));
  return receivers;
}

async function configOf(
  algod: AlgodClient,
  { random }: Terminal,
  { owner, agent, cap, slots, rounds, receivers }: Wanted & { readonly owner: string; readonly agent: string },
): Promise<MandateConfig> {
  const [{ usdc, network }, { lastRound, genesisHash }] = await Promise.all([networkOf(algod), algod.params()]);
  if (usdc === undefined) {
    throw invalidArguments(`no USDC is known on ${network}`);
  }
  const config: MandateConfig = {
    owner,
    agent,
    asset: usdc,
    cap,
    slots,
    // A payment ends with a window, and so does the last one.
    expiry: windowEnd(lastRound + rounds),
    receivers: receivers ? receiverTree(receivers).root : ANY_RECEIVER,
    genesisHash,
    salt: random(SALT_BYTES),
  };
  return valueOf('mandate', () => parseMandateConfig(encodeMandateConfig(config)));
}
