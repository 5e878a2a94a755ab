import { constants, existsSync } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { openFileJournal } from '@avm402/client/file-journal';
import { command, parseUrl } from './command/command.ts';
import { ENVIRONMENT_HELP } from './options/environment.ts';
import { CHANNEL_FILE_HELP, CHANNEL_FILE_OPTION, withChannelFile } from './options/channel-file.ts';
import { withHeldFile } from './options/held-file.ts';
import { REQUEST_OPTIONS, requestHelp, requestInit } from './options/http-request.ts';
import { accessible } from './options/input-file.ts';
import {
  BUDGET_HELP,
  BUDGET_OPTIONS,
  LIMIT_HELP,
  LIMIT_OPTIONS,
  spendBudgets,
  spendLimits,
} from './options/spend-limits.ts';
import { payAndShow } from './pay/purchase.ts';
import { MANDATE_HELP, MANDATE_OPTION, payingParty } from './pay/paying-party.ts';
import { EXIT_CODES_HELP } from './words/exit-code.ts';

const help = `Usage: avm402 pay URL [options]

Requests URL, pays its price within the limits, and writes the body to stdout. The offer, the payment and the settlement
go to stderr, so that | and > get the body alone, byte for byte.

${requestHelp()}

${LIMIT_HELP}

${BUDGET_HELP}

Payment
      --channel           pay through a channel, if offered: one deposit, then one signature for each request
${CHANNEL_FILE_HELP}
${MANDATE_HELP}
      --from ADDRESS      the account to pay from, if it is rekeyed to the key

Output
  -o, --output FILE       write the body to FILE, except an error that cost nothing
      --json              one JSON object on stdout, with all of it

${ENVIRONMENT_HELP}

${EXIT_CODES_HELP}`;

export const pay = command({
  summary: 'request a URL and pay its price',
  help,
  options: {
    ...REQUEST_OPTIONS,
    ...LIMIT_OPTIONS,
    ...BUDGET_OPTIONS,
    ...CHANNEL_FILE_OPTION,
    ...MANDATE_OPTION,
    channel: { type: 'boolean' },
    from: { type: 'string' },
    output: { type: 'string', short: 'o' },
    json: { type: 'boolean' },
  },
  positionals: ['URL'],
  async run(values, terminal, named) {
    const url = parseUrl(named);
    const spend = { ...spendLimits(values), ...spendBudgets(values) };
    const init = await requestInit(values, terminal);
    const { output, json = false } = values;
    if (output !== undefined) await requireWritable(output);
    const party = await payingParty(terminal, values);
    const journal =
      values.journal === undefined
        ? undefined
        : await openFileJournal(values.journal, { keepProofs: values['no-proofs'] !== true });
    const purchase = { url, init, party, journal, spend, output, json };
    const exitCode = await withHeldFile(journal, terminal, () =>
      values.channel === true
        ? withChannelFile(values.channels, terminal, (store) =>
            payAndShow({ ...purchase, channels: { store } }, terminal),
          )
        : payAndShow(purchase, terminal),
    );
    return { exitCode };
  },
});

/**
 * Checks a path before anything is paid, without creating a file.
 * @throws X402Error `invalid_arguments`
 */
async function requireWritable(path: string): Promise<void> {
  await accessible('write', path, async () => {
    if (existsSync(path)) await (await open(path, 'r+')).close();
    else await access(dirname(resolve(path)), constants.W_OK);
  });
}
