import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isX402Error } from '@avm402/core/errors';
import { command } from '../command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../options/environment.ts';
import { accessible } from '../options/input-file.ts';
import { readMandateFile } from './mandate-file.ts';
import { inMandate } from './mandate-words.ts';

export const mandateList = command({
  summary: 'list the mandates in a folder',
  help: `Usage: avm402 mandate list [FOLDER] [options]

Lists the files of mandates in a folder (default: the current one), with what each holds.

      --json              JSON instead of text

${ENVIRONMENT_HELP}`,
  options: { json: { type: 'boolean' } },
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
