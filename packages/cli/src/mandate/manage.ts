import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from '@avm402/algorand/transaction';
import { addToMandateGroup, endMandateGroup, type GroupTerms } from '@avm402/avm/mandate';
import { MandateWatch } from '@avm402/client/mandate';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { command, invalidArguments, type Result } from '../command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../environment.ts';
import { accessible } from '../options/input-file.ts';
import { dollarValue } from '../options/spend-limits.ts';
import type { Terminal } from '../terminal.ts';
import { type MandateInFile, readMandateFile, writeMandateFile } from './mandate-file.ts';
import { inMandate, ruleLines, statusLines } from './mandate-words.ts';
import { OWNER_HELP, OWNER_OPTIONS, ownerAccount, settleOwnerGroup, termsNow, wasRefused } from './owner-group.ts';

const READ_OPTIONS = { json: { type: 'boolean' } } as const;
const CHANGE_OPTIONS = { ...OWNER_OPTIONS, json: { type: 'boolean' } } as const;

export const mandateShow = command({
  summary: 'show a mandate: spent, free slots, expiry',
  help: `Usage: avm402 mandate show FILE [options]

Shows a mandate's rules, what it holds, what was spent, and what the chain will allow its agent now.

      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`,
  options: READ_OPTIONS,
  positionals: ['FILE'],
  async run(_values, { environment, now }, file) {
    const { mandate, record, funded } = await readMandateFile(file);
    const { config, address } = mandate;
    const algod = algodOf(environment);
    const status = await new MandateWatch(mandate, algod).status();
    const isFunded = (await algod.accountAsset(address, config.asset)) !== undefined;
    const lines = [
      `mandate   ${address} (${status.state})`,
      ...ruleLines(config, record.receivers),
      isFunded ? heldLine(mandate, status.held, funded) : NOT_FUNDED,
      ...statusLines(config, status, now()),
    ];
    return { json: { ...record, ...status }, lines };
  },
});

const NOT_FUNDED = 'holds     nothing: its owner has not funded it yet, or has ended it';

function heldLine({ config }: MandateInFile['mandate'], held: bigint, funded: bigint | undefined): string {
  if (funded === undefined || funded < held) return `holds     ${inMandate(config, held)}`;
  const [has, spent, all] = [held, funded - held, funded].map((amount) => inMandate(config, amount));
  return `holds     ${has}; ${spent} spent of ${all}`;
}

export const mandateAdd = command({
  summary: "add to a mandate's funds",
  help: `Usage: avm402 mandate add FILE --funds PRICE [options]

Adds to what a mandate holds, from its owner's account.

      --funds PRICE       how much
${OWNER_HELP}
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`,
  options: { ...CHANGE_OPTIONS, funds: { type: 'string' } },
  positionals: ['FILE'],
  async run({ funds, unsigned }, terminal, file) {
    if (funds === undefined) throw invalidArguments('--funds is missing');
    const amount = dollarValue('--funds', funds);
    const inFile = await readMandateFile(file);
    const { config } = inFile.mandate;
    const group: Change['group'] = (terms) => addToMandateGroup(config, { amount }, terms);
    const funded = inFile.funded === undefined ? undefined : inFile.funded + amount;
    const round = await change(file, inFile, { unsigned, group, owner: config.owner, funded }, terminal);
    return changed(`${inMandate(config, amount)} added`, round, unsigned);
  },
});

export const mandateEnd = command({
  summary: 'end a mandate: everything goes back to its owner',
  help: `Usage: avm402 mandate end FILE [options]

Ends a mandate: from then on nothing settles, and everything that it holds goes back to its owner. Before its expiry only
the owner can; afterwards anybody can, and pays the fee.

${OWNER_HELP}
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`,
  options: CHANGE_OPTIONS,
  positionals: ['FILE'],
  async run({ unsigned }, terminal, file) {
    const inFile = await readMandateFile(file);
    const { config } = inFile.mandate;
    const { lastRound } = await algodOf(terminal.environment).status();
    const owner = lastRound > config.expiry ? undefined : config.owner;
    const group: Change['group'] = (terms, by) => endMandateGroup(config, terms, by);
    const { funded } = inFile;
    const round = await change(file, inFile, { unsigned, group, owner, funded }, terminal);
    return changed(round === undefined ? 'to end' : `ended; everything is back at ${config.owner}`, round, unsigned);
  },
});

interface Change {
  readonly unsigned: string | undefined;
  readonly group: (terms: GroupTerms, by: string) => readonly Transaction[];
  /** Who must sign; undefined: anybody may. */
  readonly owner: string | undefined;
  /** Atomic units that the mandate has got in all, once it is confirmed; undefined: that is not known then. */
  readonly funded: bigint | undefined;
}

/**
 * Settles a group about a mandate, and counts what the mandate got once that is confirmed. Resolves to its round, or to
 * undefined if a wallet signs it: then nobody here knows what becomes of it.
 */
async function change(file: string, { mandate, record }: MandateInFile, wanted: Change, terminal: Terminal) {
  const { unsigned, group, owner, funded } = wanted;
  const { config } = mandate;
  const algod = algodOf(terminal.environment);
  const account = await ownerAccount(terminal, { unsigned });
  if (account && owner !== undefined && account.address !== owner) {
    const message = `only the owner ${owner} can do this; the key here belongs to ${account.address}`;
    throw new X402Error('environment_invalid', { message });
  }
  const members = group(await termsNow(algod), account?.address ?? config.owner);
  const { funded: _, ...uncounted } = record;
  await writeMandateFile(file, uncounted, 'w');
  try {
    const round = await settleOwnerGroup(algod, { config, group: members, account, unsigned });
    if (round !== undefined && funded !== undefined)
      await writeMandateFile(file, { ...uncounted, funded: String(funded) }, 'w');
    return round;
  } catch (error) {
    if (wasRefused(error)) await writeMandateFile(file, record, 'w');
    throw error;
  }
}

/** What became of a change: it is in a round, or in a file for a wallet. */
function changed(words: string, round: bigint | undefined, unsigned: string | undefined): Result {
  const line =
    round === undefined
      ? `${words}: ${unsigned ?? ''} is for a wallet of the owner, which signs and sends it`
      : `${words} (round ${round})`;
  return { json: { round, unsigned }, lines: [line] };
}

export const mandateList = command({
  summary: 'list the mandates in a folder',
  help: `Usage: avm402 mandate list [FOLDER] [options]

Lists the files of mandates in a folder (default: the current one), with what each holds.

      --json              JSON instead of text

${ENVIRONMENT_HELP}`,
  options: READ_OPTIONS,
  positionals: ['[FOLDER]'],
  async run(_values, { environment }, folder = '.') {
    const algod = algodOf(environment);
    const json = [];
    const lines = [];
    for (const file of await filesIn(folder)) {
      const inFile = await readMandateFile(file).catch(unlessNoMandate);
      if (!inFile) continue;
      const { address, config } = inFile.mandate;
      const held = (await algod.accountAsset(address, config.asset))?.amount ?? 0n;
      json.push({ file, address, held });
      lines.push(`${file}  ${inMandate(config, held)}  ${address}`);
    }
    return { json, lines: lines.length === 0 ? [`there is no mandate file in ${folder}`] : lines };
  },
});

async function filesIn(folder: string): Promise<string[]> {
  const names = await accessible('read', folder, () => readdir(folder));
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

function unlessNoMandate(error: unknown): undefined {
  if (isX402Error(error, 'invalid_mandate') || isX402Error(error, 'invalid_arguments')) return undefined;
  throw error;
}
