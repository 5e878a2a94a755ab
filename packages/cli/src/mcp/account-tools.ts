import type { Payer, PaymentJournal, UnitSpending } from '@avm402/client';
import { amountAsText, costAsText } from '@avm402/client/diagnosis';
import type { MandateStatus } from '@avm402/client/mandate';
import { formatAmount } from '@avm402/core/price';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod/mini';
import type { Balance } from '../balance.ts';
import { paymentHistory } from '../history.ts';
import { ALGO_DECIMALS, holdingAsText } from '../words/node-amount.ts';
import { answering, data, READS } from './results.ts';

/** The parts that these tools need. */
export interface AccountTools {
  readonly payer: Payer;
  readonly journal: PaymentJournal;
  readonly balance: () => Promise<Balance>;
  /** What the chain allows now, if a mandate pays. */
  readonly mandate?: () => Promise<MandateAllowance>;
}

/** What the chain allows a mandate's agent now, and its amounts as texts. */
export interface MandateAllowance {
  readonly status: MandateStatus;
  readonly asText: (amount: bigint) => string;
  readonly timeOf: (round: bigint) => string;
  /** The most that the chain allows the next payment, in millionths of a dollar; absent for a mandate of another asset. */
  readonly nextInDollars?: bigint;
}

const DEFAULT_HISTORY = 20;

const HISTORY = {
  limit: z.optional(
    z.int().check(z.gte(1), z.lte(1000), z.describe('how many payments, the newest first; default 20')),
  ),
};

const SPENT = z.object({ spent: z.string(), limit: z.optional(z.string()), left: z.optional(z.string()) });
const BUDGET = {
  nextPaymentAtMost: z.string().check(z.describe('the most that the next payment may cost now')),
  last60Minutes: SPENT,
  last24Hours: SPENT,
  origins: z.array(z.object({ origin: z.string(), ...SPENT.shape })),
  chain: z.optional(
    z.object({
      state: z.string(),
      payableNow: z.string(),
      until: z.string(),
      perPayment: z.string(),
      freeSlots: z.string(),
      slots: z.string(),
      nextSlotAfter: z.optional(z.string()),
      held: z.string(),
    }),
  ),
};

const BALANCE = {
  address: z.string(),
  network: z.string(),
  algo: z.string(),
  asset: z.optional(z.object({ name: z.string(), amount: z.string(), isOptedIn: z.boolean(), isFrozen: z.boolean() })),
};

const PAST = z.object({
  at: z.string(),
  price: z.string(),
  state: z.string(),
  method: z.string(),
  url: z.string(),
  payTo: z.string(),
  txId: z.string(),
});

/** Gives an MCP server the tools that say what was paid and what is left: `balance`, `budget`, `history`. */
export function registerAccountTools(server: McpServer, { payer, journal, balance, mandate }: AccountTools): void {
  server.registerTool(
    'balance',
    { description: 'Says what the paying account holds.', annotations: READS, outputSchema: BALANCE },
    answering(async () => data(shownBalance(await balance()))),
  );
  server.registerTool(
    'budget',
    { description: BUDGET_OF, annotations: READS, outputSchema: BUDGET },
    answering(async () => {
      const [[dollars], allowance] = await Promise.all([payer.spending(), mandate?.()]);
      return data(shownBudget(dollars, allowance));
    }),
  );
  server.registerTool(
    'history',
    { description: HISTORY_OF, inputSchema: HISTORY, annotations: READS, outputSchema: { payments: z.array(PAST) } },
    answering(async ({ limit = DEFAULT_HISTORY }: { readonly limit?: number | undefined }) => {
      const payments = paymentHistory(await journal.read()).slice(0, limit);
      return data({
        payments: payments.map(({ origin, path, amount, asset, network, ...past }) => ({
          ...past,
          price: amountAsText({ network, asset, amount }),
          url: origin + path,
        })),
      });
    }),
  );
}

const BUDGET_OF = `Says what was spent and what the next payment may cost now: by the limits of this server and, if a mandate \
pays, by the chain, whose limits nobody can change. Ask before a series of payments.`;

const HISTORY_OF = `Lists payments and what became of them: "confirmed" is on chain, "expired" never will be, "settled" and \
"refused" are what the seller said; of "sent" nothing else is known.`;

function shownBalance({ address, network, microAlgos, asset }: Balance): Record<string, unknown> {
  return {
    address,
    network,
    algo: formatAmount(microAlgos, ALGO_DECIMALS),
    ...(asset && {
      asset: {
        name: asset.name,
        amount: holdingAsText({ ...asset, network, amount: asset.amount ?? 0n }),
        isOptedIn: asset.amount !== undefined,
        isFrozen: asset.isFrozen,
      },
    }),
  };
}

function shownBudget(spending: UnitSpending | undefined, allowance: MandateAllowance | undefined) {
  const { unit, next, hour, day, origins } = spending ?? NOTHING;
  const words = (amount: bigint | undefined): string | undefined =>
    amount === undefined ? undefined : costAsText({ unit, amount });
  const shown = ({ spent, limit, left }: UnitSpending['day']) => ({
    spent: words(spent),
    limit: words(limit),
    left: words(left),
  });
  return {
    nextPaymentAtMost: words(lesser(next, allowance?.nextInDollars)),
    last60Minutes: shown(hour),
    last24Hours: shown(day),
    origins: origins.map(({ origin, ...spent }) => ({ origin, ...shown(spent) })),
    ...(allowance && { chain: shownAllowance(allowance) }),
  };
}

function lesser(limit: bigint | undefined, allowed: bigint | undefined): bigint | undefined {
  if (limit === undefined || allowed === undefined) return limit ?? allowed;
  return limit < allowed ? limit : allowed;
}

const NOTHING: UnitSpending = { unit: 'usd', next: 0n, hour: { spent: 0n }, day: { spent: 0n }, origins: [] };

function shownAllowance({ status, asText, timeOf }: MandateAllowance): Record<string, unknown> {
  const { state, payable, windowEnd, cap, freeSlots, slots, nextFreeAfter, held } = status;
  return {
    state,
    payableNow: asText(payable),
    until: timeOf(windowEnd),
    perPayment: asText(cap),
    freeSlots,
    slots,
    ...(freeSlots === 0n && nextFreeAfter !== undefined && { nextSlotAfter: timeOf(nextFreeAfter) }),
    held: asText(held),
  };
}
