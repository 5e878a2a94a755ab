import { moneyText } from '../../go/money-text.ts';
import { OpcodeFailure } from '../program-error.ts';

/** Fees are calculated exactly, in 10⁻¹² µAlgo. */
const SCALE = 1_000_000n;
const WHOLE = SCALE * SCALE;

/** The amount that a group has paid beyond its fee, and the fractions of µAlgo that were rounded up. */
export class FeePool {
  /** µAlgo that inner transactions may use. */
  credit: bigint;
  /** The fraction of a µAlgo, in 10⁻¹², that earlier groups overpaid by rounding up. */
  residue: bigint;
  readonly #minFee: bigint;

  constructor(minFee: bigint, credit: bigint, residue: bigint) {
    this.#minFee = minFee;
    this.credit = credit;
    this.residue = residue;
  }

  /** The fee for a usage, in millionths of an ordinary transaction, and the residue that is left after it. */
  needFor(usage: bigint): { readonly fee: bigint; readonly residue: bigint } {
    const exact = this.#minFee * usage * SCALE;
    const [whole, rest] = [exact / WHOLE, exact % WHOLE];
    if (rest === 0n) return { fee: whole, residue: this.residue };
    if (rest <= this.residue) return { fee: whole, residue: this.residue - rest };
    return { fee: whole + 1n, residue: WHOLE - (rest - this.residue) };
  }

  /**
   * Takes the amount that an inner group lacks from the credit, or adds its surplus.
   * @throws OpcodeFailure
   */
  settle(usage: bigint, paid: bigint): void {
    const { fee, residue } = this.needFor(usage);
    this.residue = residue;
    const lack = fee - paid;
    if (lack > this.credit) {
      const more = moneyText(lack - this.credit);
      throw new OpcodeFailure(`group fee ${moneyText(paid)} too small (needs ${more} more) []`);
    }
    this.credit -= lack;
  }
}
