import { decodeBase64 } from '@avm402/algorand/base64';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { parseWalletGroup, signedGroup } from '@avm402/client/mandate';
import { command, invalidArguments } from '../command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../options/environment.ts';
import { settleGroup } from '../node/settle-group.ts';
import { readJsonInput } from '../options/input-file.ts';

export const mandateSend = command({
  summary: 'send a group of a mandate that a wallet has signed',
  help: `Usage: avm402 mandate send GROUP SIGNED [options]

Sends a group that --unsigned wrote to the file GROUP and a wallet has signed. SIGNED is the wallet's answer, as ARC-1
has it: a JSON list of signed transactions in base64, with null for each member that it did not sign. Nothing is sent
unless each of them is the transaction that the group has in its place.

      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`,
  options: { json: { type: 'boolean' } },
  positionals: ['GROUP', 'SIGNED'],
  async run(_values, { environment, interrupted }, groupFile, signedFile) {
    const members = signedGroup(parseWalletGroup(await listIn(groupFile)), await listIn(signedFile)).map(
      (member) => decodeBase64(member) ?? new Uint8Array(),
    );
    const algod = algodOf(environment);
    const [first = new Uint8Array()] = members;
    const { txn } = decodeSignedTransaction(first);
    const round = await settleGroup(algod, Buffer.concat(members), txn, interrupted());
    return { json: { round }, lines: [`confirmed (round ${round})`] };
  },
});

async function listIn(file: string): Promise<unknown[]> {
  const value = await readJsonInput(file);
  if (Array.isArray(value)) return value;
  throw invalidArguments(`${file} is not a JSON list of a group's members`);
}
