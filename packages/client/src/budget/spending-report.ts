/** What was spent, and what the limits still allow, of one unit. Amounts are in the unit. */
export interface UnitSpending {
  /** `usd`, whose amounts are millionths of a dollar, or `network/asset`, whose amounts are its atomic units. */
  readonly unit: string;
  /** The most that the next payment may cost now, by the limits on payments, hours and days. */
  readonly next: bigint;
  /** In the last 60 minutes. */
  readonly hour: SpentOf;
  /** In the last 24 hours. */
  readonly day: SpentOf;
  /** In the last 24 hours at each origin that got something. */
  readonly origins: readonly (SpentOf & { readonly origin: string })[];
}

/** Money that left and did not come back, of a limit. */
export interface SpentOf {
  readonly spent: bigint;
  /** Absent: there is no such limit. */
  readonly limit?: bigint;
  readonly left?: bigint;
}

export function spentOf(spent: bigint, limit: bigint | undefined): SpentOf {
  if (limit === undefined) return { spent };
  return { spent, limit, left: limit > spent ? limit - spent : 0n };
}

/** The least of a limit on payments and of what is left of the others. */
export function nextOf(perPayment: bigint, ...limits: readonly SpentOf[]): bigint {
  return limits.reduce((most, { left }) => (left !== undefined && left < most ? left : most), perPayment);
}
