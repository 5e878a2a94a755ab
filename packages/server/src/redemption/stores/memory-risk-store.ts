import { BoundedMap } from '@avm402/core/bounded-map';
import { LOSS_COUNTS_MS, MAX_LOSSES, type Risk, type RiskBounds, type RiskStore } from '../risk-store.ts';

interface Loss extends Risk {
  readonly lostAt: number;
}

/** Keeps in this process what is at risk. */
export class MemoryRiskStore implements RiskStore {
  readonly #open = new Map<string, Risk>();
  readonly #ofPayer = new Map<string, bigint>();
  #total = 0n;
  /** From the first to the last. */
  #losses: Loss[] = [];
  readonly #untrusted = new BoundedMap<string, number>(MAX_LOSSES);

  async take(risk: Risk, bounds: RiskBounds): Promise<boolean> {
    const { txId, payer, amount, since } = risk;
    if (this.#open.has(txId) || this.#untrusted.has(payer) || amount > bounds.perPayment) return false;
    const ofPayer = (this.#ofPayer.get(payer) ?? 0n) + amount;
    const total = this.#total + amount;
    if (ofPayer > bounds.perPayer || total > bounds.total) return false;
    if (total + this.#lostAbout(since) > bounds.lossPerHour) return false;
    this.#open.set(txId, risk);
    this.#count(payer, amount);
    return true;
  }

  async confirmed({ txId, payer }: Pick<Risk, 'txId' | 'payer'>): Promise<void> {
    this.#untrusted.delete(payer);
    await this.dropped(txId);
  }

  async dropped(txId: string): Promise<void> {
    this.#remove(txId);
  }

  async lost(txId: string, now: number): Promise<boolean> {
    const risk = this.#remove(txId);
    if (risk === undefined) return false;
    this.#losses = this.#losses.filter(({ lostAt }) => lostAt > now - LOSS_COUNTS_MS);
    this.#losses.push({ ...risk, lostAt: now });
    this.#untrusted.set(risk.payer, now);
    return true;
  }

  async open(): Promise<readonly Risk[]> {
    return [...this.#open.values()];
  }

  /** A clock that was set back must not make a loss count for longer. */
  #lostAbout(time: number): bigint {
    const counted = this.#losses.filter(({ lostAt }) => Math.abs(lostAt - time) < LOSS_COUNTS_MS);
    return counted.reduce((sum, { amount }) => sum + amount, 0n);
  }

  #remove(txId: string): Risk | undefined {
    const risk = this.#open.get(txId);
    if (risk === undefined) return undefined;
    this.#open.delete(txId);
    this.#count(risk.payer, -risk.amount);
    return risk;
  }

  #count(payer: string, amount: bigint): void {
    this.#total += amount;
    const ofPayer = (this.#ofPayer.get(payer) ?? 0n) + amount;
    if (ofPayer === 0n) this.#ofPayer.delete(payer);
    else this.#ofPayer.set(payer, ofPayer);
  }
}
