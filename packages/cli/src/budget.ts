import { createPayer, type SpentOf, type UnitSpending } from '@avm402/client';
import { costInWords } from '@avm402/client/diagnosis';
import { command } from './command/command.ts';
import { ENVIRONMENT_HELP } from './options/environment.ts';
import { JOURNAL_TO_READ_HELP, journalToRead } from './options/journal-option.ts';
import { LIMIT_HELP, LIMIT_OPTIONS, spendBudgets, spendLimits, TIME_OPTIONS } from './options/spend-limits.ts';
import { GRACE_MS, NO_PAYER, payerWorld } from './options/payer-world.ts';

const help = `Usage: avm402 budget --journal FILE [options]

Says what was spent in the last 60 minutes and in the last 24 hours, where, and what the limits still allow. Pass the
limits that you give "pay" or "mcp".

${JOURNAL_TO_READ_HELP}
      --per-hour PRICE, --per-day PRICE, --per-origin PRICE
                          the limits across runs (default: none)

${LIMIT_HELP}

Output
      --json              JSON, with amounts in millionths of a dollar or in atomic units

${ENVIRONMENT_HELP}`;

export const budget = command({
  summary: 'say what was spent and what is left',
  help,
  options: { ...LIMIT_OPTIONS, ...TIME_OPTIONS, journal: { type: 'string' }, json: { type: 'boolean' } },
  positionals: [],
  async run(values, terminal) {
    const payer = createPayer({
      client: NO_PAYER,
      journal: journalToRead(values.journal),
      spend: { ...spendLimits(values), ...spendBudgets(values) },
      ...payerWorld(terminal),
    });
    const spending = await payer.spending();
    await payer.finish(GRACE_MS);
    return { json: spending, lines: spending.flatMap(budgetLines) };
  },
});

/** What was spent of one unit, for a person. */
function budgetLines({ unit, next, hour, day, origins }: UnitSpending): string[] {
  const words = (amount: bigint): string => costInWords({ unit, amount });
  const line = (name: string, { spent, limit, left }: SpentOf): string => {
    const rest = limit === undefined || left === undefined ? 'no limit' : `${words(left)} of ${words(limit)} left`;
    return `${name.padEnd(12)} ${words(spent)} spent, ${rest}`;
  };
  return [
    line('60 minutes', hour),
    line('24 hours', day),
    ...origins.map(({ origin, ...spent }) => `  ${line(origin, spent)}`),
    `${'next payment'.padEnd(12)} at most ${words(next)}`,
  ];
}
