/** A line of the facilitator's ledger. Amounts are text, because JSON's numbers can't hold them exactly. */
export interface Settlement {
  readonly recordedAt: string;
  readonly transaction: string;
  readonly state: string;
  readonly asset: string;
  readonly amount: string;
  readonly payer: string;
  readonly payTo: string;
  readonly sponsoredFee?: string;
  readonly confirmedRound?: string;
  readonly errorReason?: string;
  /** Of a channel: its address, and what the settlement did to it. */
  readonly channel?: string;
  readonly channelMove?: string;
}

export interface LedgerPage {
  readonly settlements: readonly Settlement[];
  readonly cursor?: string;
}
