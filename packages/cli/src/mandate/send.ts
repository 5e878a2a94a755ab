import { decodeBase64 } from '@avm402/algorand/base64';
import { MAX_GROUP_SIZE } from '@avm402/algorand/group';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId } from '@avm402/algorand/transaction';
import { confirmedRound } from '../node/confirmed-round.ts';
import { invalidArguments, parseArguments, type Command } from '../command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../environment.ts';
import { EXIT } from '../words/exit-code.ts';
import { readInput } from '../options/input-file.ts';

const OPTIONS = { json: { type: 'boolean' } } as const;

export const mandateSend: Command = {
  summary: 'send a group of a mandate that a wallet has signed',
  help: `Usage: avm402 mandate send GROUP SIGNED [options]

Sends a group that --unsigned wrote to the file GROUP, with what a wallet signed of it. SIGNED is the wallet's answer, as
ARC-1 has it: a JSON list of signed transactions in base64, and null for each member that it did not sign. Nothing is
sent unless each of them is the transaction that the group has in its place.

      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`,
  async run(args, terminal) {
    const { values, positionals } = parseArguments(args, OPTIONS, ['GROUP', 'SIGNED']);
    const [groupFile = '', signedFile = ''] = positionals;
    const [group, signed] = [await listIn(groupFile), await listIn(signedFile)];
    const members = group.map((member, index) => memberOf(member, signed[index], index));
    const algod = algodOf(terminal.environment);
    await algod.sendRawTransaction(Buffer.concat(members));
    const [first = new Uint8Array()] = members;
    const { txn } = decodeSignedTransaction(first);
    const round = await confirmedRound(algod, transactionId(txn), txn.lastValid);
    if (values.json === true) terminal.printJson({ round });
    else terminal.print(`confirmed (round ${round})`);
    return EXIT.done;
  },
};

async function listIn(file: string): Promise<unknown[]> {
  const value: unknown = jsonOf((await readInput(file)).toString());
  if (Array.isArray(value) && value.length > 0 && value.length <= MAX_GROUP_SIZE) return value;
  throw invalidArguments(`${file} is not a JSON list of a group's members`);
}

/** The signed member: the mandate's own is in the group already, and the wallet has signed the others. */
function memberOf(member: unknown, answer: unknown, index: number): Uint8Array {
  const { txn, stxn }: { readonly txn?: unknown; readonly stxn?: unknown } = Object(member);
  const signed = bytesOf(stxn ?? answer);
  const unsigned = bytesOf(txn);
  if (unsigned === undefined) throw invalidArguments(`member ${index} of the group is not a transaction`);
  if (signed === undefined) throw invalidArguments(`the wallet did not sign member ${index} of the group`);
  if (signedId(signed) === transactionId(unsigned)) return signed;
  throw invalidArguments(`what the wallet signed is not member ${index} of the group`);
}

function bytesOf(text: unknown): Uint8Array | undefined {
  return typeof text === 'string' ? decodeBase64(text) : undefined;
}

function signedId(signed: Uint8Array): string | undefined {
  try {
    return transactionId(decodeSignedTransaction(signed).txn);
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
