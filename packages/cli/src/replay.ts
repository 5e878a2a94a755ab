import { parseReplay, type Replay } from '@avm402/core/replay';
import { command } from './command/command.ts';
import { readInput } from './options/input-file.ts';
import { replayLines } from './replay/replay-lines.ts';
import type { ReplayResult } from './replay/run-again.ts';
import { EXIT } from './words/exit-code.ts';

const help = `Usage: avm402 replay FILE [options]

Runs once more a payment that the console exported. Shows what went over the wire and what was checked, repeats the
seller's checks, loads the ledger from before the payment into an embedded node, verifies the payment there as a
facilitator does, and runs its group with every step of its programs. Uses no network.

Output
      --json              one JSON object instead of text

Exit codes
  0  it ends as it did when it was recorded
  1  it ends differently, or FILE is not an exported payment
  2  wrong usage`;

export const replay = command({
  summary: 'run an exported payment again, offline',
  help,
  options: { json: { type: 'boolean' } },
  positionals: ['FILE'],
  async run(_values, _terminal, file) {
    const payment = parseReplay((await readInput(file)).toString());
    // Loaded here, because no other command needs a node.
    const { runAgain } = await import('./replay/run-again.ts');
    const ran = await runAgain(payment);
    return {
      json: { asked: payment.asked, recorded: payment.outcome, ...ran },
      lines: replayLines(payment, ran),
      exitCode: endsAsRecorded(payment, ran) ? EXIT.done : EXIT.failed,
    };
  },
});

/**
 * Whether a payment ends as it was recorded. Each check must end as it did. A payment that settled must pass again, in
 * the same transaction; any other must be refused, with the same code if a check gives one.
 */
function endsAsRecorded(payment: Replay, { checks, result, confirmed }: ReplayResult): boolean {
  const { outcome = 'settled', transaction = '' } = payment;
  const pairs = checks.map(({ check, outcome: again }) => ({
    again,
    recorded: payment.checks.findLast((one) => one.check === check)?.outcome ?? again,
  }));
  // If a check that refused it can't be done again, there is nothing to compare.
  if (pairs.some(({ again, recorded }) => again === undefined && (recorded ?? 'passed') !== 'passed')) return true;
  const isOther = pairs.some(({ again, recorded }) => again !== undefined && again !== recorded);
  if (isOther || (confirmed && !confirmed.transactions.includes(transaction))) return false;
  const refusal = checks.find((again) => (again.outcome ?? 'passed') !== 'passed')?.outcome;
  if (refusal !== undefined) return refusal === outcome;
  return result === 'not run' || (result === 'passes') === (outcome === 'settled');
}
