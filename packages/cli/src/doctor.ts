import { parseAddress } from '@avm402/algorand/address';
import type { AlgodClient } from '@avm402/algorand/algod';
import { algodOfNetworks } from '@avm402/client/diagnosis';
import { isX402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { command, parseUrl, valueOf } from './command/command.ts';
import { examineBursts } from './doctor/bursts.ts';
import { examineNode, examineOnChain } from './doctor/chain.ts';
import { examineAddress, examineCors, examineDate, examineOffer, examineTransport, reach } from './doctor/endpoint.ts';
import { examineFacilitator } from './doctor/facilitator.ts';
import { problem, skipped, type Finding } from './doctor/finding.ts';
import { examineOffers } from './doctor/offers.ts';
import { examinePayer } from './doctor/payer.ts';
import { accountOf, ENVIRONMENT_HELP, networksOf } from './options/environment.ts';
import { REQUEST_OPTIONS, requestHelp, requestInit } from './options/http-request.ts';
import type { Terminal } from './command/terminal.ts';
import { EXIT } from './words/exit-code.ts';
import { explain } from './words/explain.ts';

/** An endpoint that has not answered by then does not answer. */
const PATIENCE_SECONDS = '30';

const help = `Usage: avm402 doctor URL [options]

Checks a paid endpoint, and the account that would pay it, step by step; says what is wrong and how to fix it. Pays
nothing.

${requestHelp(PATIENCE_SECONDS)}

Also check
      --facilitator URL   the seller's facilitator (default: FACILITATOR_URL)
      --from ADDRESS      the account to pay from, if it is rekeyed to the key

Output
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}

Exit codes
  0  no problem found: a payment can succeed
  1  a problem makes payments fail
  2  wrong usage`;

/** What is examined, and from where. */
interface Examined {
  readonly url: string;
  readonly init: RequestInit;
  readonly facilitator: string | undefined;
  readonly from: string | undefined;
}

const MARKS = { ok: 'ok', warning: 'WARNING', problem: 'PROBLEM', skipped: 'skipped' } as const;

export const doctor = command({
  summary: 'explain what is wrong with a paid endpoint or an account',
  help,
  options: {
    ...REQUEST_OPTIONS,
    timeout: { type: 'string', default: PATIENCE_SECONDS },
    facilitator: { type: 'string' },
    from: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: ['URL'],
  async run(values, terminal, named) {
    const url = parseUrl(named);
    const { from } = values;
    if (from !== undefined) valueOf('--from', () => parseAddress(from));
    const facilitator = values.facilitator ?? terminal.environment['FACILITATOR_URL'];
    const init = await requestInit(values, terminal);
    const findings = await examine({ url, init, facilitator, from }, terminal);
    const healthy = findings.every(({ status }) => status !== 'problem');
    const exitCode = healthy ? EXIT.done : EXIT.failed;
    return { json: { url, healthy, findings }, lines: findings.flatMap(linesOf), exitCode };
  },
});

/** Does the checks one after another, as far as earlier findings allow. */
async function examine(examined: Examined, terminal: Terminal): Promise<Finding[]> {
  const { url, init } = examined;
  const response = await reach(url, init, terminal.fetch);
  if (!(response instanceof Response)) return [response];
  const asked = new URL(url);
  const { required, findings } = await examineOffer(response);
  if (!response.bodyUsed) await response.body?.cancel();
  const found = [...examineAddress(asked, response), ...examineDate(response, terminal.now()), ...findings];
  if (!required) return found;
  found.push(...examineTransport(asked, response, required));
  found.push(await examineCors(url, init, terminal.fetch));
  const algodOf = algodOfNetworks(networksOf(terminal.environment));
  const offers = examineOffers(required, asked, algodOf);
  found.push(...offers.findings);
  const { payable } = offers;
  return payable ? [...found, ...(await examineChosen(payable, examined, terminal))] : found;
}

/** Does the checks about the offer that would be paid: its facilitator, the node, the chain and the payer. */
async function examineChosen(offer: PaymentRequirements, examined: Examined, terminal: Terminal): Promise<Finding[]> {
  const facilitator = await examineFacilitator(examined.facilitator, offer, terminal.fetch);
  const algod = algodOfNetworks(networksOf(terminal.environment))(offer.network);
  if (!algod) {
    const fix = 'Set ALGOD_URL (and ALGOD_TOKEN) to a node of this network that you trust.';
    return [facilitator, problem('node', `no algod is configured for ${offer.network}`, fix)];
  }
  const node = await examineNode(algod, offer, terminal.now());
  if (node.some(({ status }) => status === 'problem')) return [facilitator, ...node];
  try {
    const payer = await examineAccount(algod, offer, examined, terminal);
    const bursts = await examineBursts(algod, terminal);
    return [facilitator, ...node, ...bursts, ...(await examineOnChain(algod, offer)), ...payer];
  } catch (error) {
    return [facilitator, ...node, problem('node', explain(error).message, 'Check the node, and run this again.')];
  }
}

/** Checks the account of the environment, if it names one. */
async function examineAccount(
  algod: AlgodClient,
  offer: PaymentRequirements,
  { from }: Examined,
  { environment }: Terminal,
): Promise<Finding[]> {
  try {
    const account = accountOf(environment, from);
    if (account) return await examinePayer(algod, account, offer);
    return [skipped('payer', 'set AVM_MNEMONIC or AVM_PRIVATE_KEY to check the payer')];
  } catch (error) {
    if (!isX402Error(error, 'environment_invalid')) throw error;
    return [problem('payer', error.message, 'Correct the variable.')];
  }
}

function linesOf({ check, status, message, fix }: Finding): string[] {
  const line = `${MARKS[status].padEnd(8)} ${check.padEnd(12)} ${message}`;
  return fix === undefined ? [line] : [line, `${' '.repeat(22)}→ ${fix}`];
}
