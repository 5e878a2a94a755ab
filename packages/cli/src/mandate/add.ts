import { addToMandateGroup } from '@avm402/avm/mandate';
import { command, invalidArguments } from '../command/command.ts';
import { ENVIRONMENT_HELP } from '../options/environment.ts';
import { dollarValue } from '../options/spend-limits.ts';
import { type Change, CHANGE_OPTIONS, changed, changeMandate } from './change.ts';
import { readMandateFile } from './mandate-file.ts';
import { inMandate } from './mandate-words.ts';
import { OWNER_HELP } from './owner-group.ts';

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
    const round = await changeMandate(file, inFile, { unsigned, group, owner: config.owner, funded }, terminal);
    return changed(`${inMandate(config, amount)} added`, round, unsigned);
  },
});
