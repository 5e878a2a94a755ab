import type { Replay } from '@avm402/core/replay';
import type { CheckedAgain } from './check-as-seller.ts';
import type { ReplayResult } from './run-again.ts';

/** A payment that was run again, step by step. */
export function replayLines(payment: Replay, ran: ReplayResult): string[] {
  const { asked, outcome = 'unknown', transaction = '', messages, checks, group, ledger } = payment;
  return [
    `recorded    ${asked}: ${outcome} ${transaction}`.trimEnd(),
    ...messages.flatMap(({ direction, line, headers }) => [
      `${direction.padEnd(11)} ${line}`,
      ...Object.entries(headers).map(([header, message]) => `            ${header}: ${message}`),
    ]),
    ...checks.map(({ check, outcome: verdict }) => `checked     ${check}: ${verdict}`),
    ledger === undefined ? 'ledger      not in the file' : `ledger      as it was after round ${ledger.round}`,
    `group       ${group.length} transactions`,
    ...ran.checks.map(lineOf),
    ...programLines(ran),
    `again       ${endOf(ran)}`,
  ];
}

function lineOf({ by, check, outcome = 'not in the file' }: CheckedAgain): string {
  return `${by.padEnd(11)} ${check}: ${outcome}`;
}

function programLines({ programs }: ReplayResult): string[] {
  return programs.flatMap(({ index, cost, steps }) => [
    `program     of transaction ${index + 1}: ${steps.length} instructions, cost ${cost}`,
    ...steps.map(({ pc, line, pushed }) =>
      `  ${String(pc).padStart(8)}  ${line.padEnd(40)} ${pushed.join(' ')}`.trimEnd(),
    ),
  ]);
}

function endOf({ result, reason, confirmed }: ReplayResult): string {
  if (result === 'not run') return 'not run: the file has no group or no ledger';
  if (result === 'refused') return `refused: ${reason ?? ''}`;
  if (confirmed === undefined) return 'the ledger takes it (simulated: its signatures are not in the file)';
  return `confirmed in round ${confirmed.round}: ${confirmed.transactions.join(' ')}`;
}
