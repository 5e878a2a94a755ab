import { endMandateGroup } from '@avm402/avm/mandate';
import { command } from '../command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from '../options/environment.ts';
import { type Change, CHANGE_OPTIONS, changed, changeMandate } from './change.ts';
import { readMandateFile } from './mandate-file.ts';
import { OWNER_HELP } from './owner-group.ts';

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
    const round = await changeMandate(file, inFile, { unsigned, group, owner, funded }, terminal);
    return changed(round === undefined ? 'to end' : `ended; everything is back at ${config.owner}`, round, unsigned);
  },
});
