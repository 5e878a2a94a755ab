import { MandateWatch } from '@avm402/client/mandate';
import { command } from '../command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../options/environment.ts';
import { type MandateInFile, readMandateFile } from './mandate-file.ts';
import { inMandate, ruleLines, statusLines } from './mandate-words.ts';

export const mandateShow = command({
  summary: 'show a mandate: spent, free slots, expiry',
  help: `Usage: avm402 mandate show FILE [options]

Shows a mandate's rules, what it holds, what was spent, and what the chain will allow its agent now.

      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`,
  options: { json: { type: 'boolean' } },
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
