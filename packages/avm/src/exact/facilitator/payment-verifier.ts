import { X402Error } from '@avm402/core/errors';
import { parsePaymentPayload } from '@avm402/core/payment-payload';
import { parsePaymentRequirements } from '@avm402/core/payment-requirements';
import { checkPaymentOffline } from '../check-payment-offline.ts';
import {
  checkFeeCap,
  checkFeeMargin,
  checkOwnAccounts,
  checkSponsorBudget,
  checkSponsored,
  type SponsorshipTerms,
} from '../checks/sponsorship.ts';
import { checkWindowLeft, checkWindowNow } from '../checks/transfer.ts';
import { askNode } from './ask-node.ts';
import { CurrentFees } from './current-fees.ts';
import type { FacilitatorNetwork, Sponsor } from './facilitator-network.ts';
import { requirementsDigest } from './requirements-digest.ts';
import { simulate } from './simulation.ts';
import { type Verdict, VerdictCache } from './verdict.ts';
import type { CheckedPayment, VerifiedPayment } from './verified-payment.ts';

export interface PaymentVerifierOptions {
  /** The network with this CAIP-2 id, in any spelling, if it is served. */
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  /** Milliseconds, of a clock that does not go back. */
  readonly now: () => number;
}

const NO_ACCOUNTS: Sponsor['accounts'] = new Map();

/** How long settle may rely on the simulation made for verify, and how many such verdicts are kept. */
const VERDICT_TTL_MS = 30_000;
const VERDICT_CAPACITY = 10_000;

/**
 * Verifies payments in two steps: `check` asks nobody, `verify` asks the chain. Nothing reaches a node before all
 * checks and signatures have passed.
 */
export class PaymentVerifier {
  readonly #networkOf: PaymentVerifierOptions['networkOf'];
  readonly #fees: CurrentFees;
  readonly #verdicts: VerdictCache;

  constructor({ networkOf, now }: PaymentVerifierOptions) {
    this.#networkOf = networkOf;
    this.#fees = new CurrentFees(now);
    this.#verdicts = new VerdictCache({ ttlMs: VERDICT_TTL_MS, capacity: VERDICT_CAPACITY, now });
  }

  /**
   * Parses and checks what can be checked without the chain. Takes outside data as it is.
   * @throws X402Error with a wire reason
   */
  check(payload: unknown, requirements: unknown): CheckedPayment {
    const parsed = parsePaymentRequirements(requirements);
    const network = this.#networkOf(parsed.network);
    if (network === undefined) {
      throw new X402Error('unsupported_network', { message: `network ${parsed.network} is not served here` });
    }
    const offline = checkPaymentOffline(parsePaymentPayload(payload), parsed);
    return { ...offline, requirements: parsed, requirementsDigest: requirementsDigest(parsed), network };
  }

  /**
   * Verifies a checked payment against the chain as it is now.
   * @throws X402Error with a wire reason, or with `algod_unreachable`
   */
  async verify(payment: CheckedPayment): Promise<VerifiedPayment> {
    const terms = await this.#sponsorship(payment);
    const verdict = await this.#simulate(payment);
    const verified = proven(payment, terms, verdict);
    checkWindowLeft(verified.exact, verified.verifiedRound);
    return verified;
  }

  /**
   * As `verify`, but a recent simulation of exactly these bytes for exactly these requirements is good enough, and any
   * round left is: the payment is about to be submitted.
   */
  async verifyToSettle(payment: CheckedPayment): Promise<VerifiedPayment> {
    const terms = await this.#sponsorship(payment);
    const verdict = this.#verdicts.recent(verdictKey(payment)) ?? (await this.#simulate(payment));
    return proven(payment, terms, verdict);
  }

  /** Forgets all simulations: a development node went back to an earlier round. */
  forgetSimulations(): void {
    this.#verdicts.clear();
  }

  /**
   * Forgets the simulations of a payer's payments: one of them was refused, so the account has changed since.
   */
  distrust(payer: string): void {
    this.#verdicts.forget(payer);
  }

  #simulate(payment: CheckedPayment): Promise<Verdict> {
    return this.#verdicts.share(verdictKey(payment), payment.payer, () => simulate(payment));
  }

  /** Everything about the fee. What it is allowed to be is compared with the network only when we pay it. */
  async #sponsorship({ exact, network, payer }: CheckedPayment): Promise<SponsorshipTerms | undefined> {
    const { sponsor } = network;
    checkOwnAccounts(exact, sponsor?.accounts ?? NO_ACCOUNTS);
    if (sponsor === undefined || exact.feePayer === undefined) return undefined;
    const terms = checkSponsored(exact, sponsor);
    checkFeeCap(exact, sponsor.maxFee);
    if (terms !== undefined) {
      const payTo = exact.transferTransaction.receiver;
      checkSponsorBudget(exact, await sponsor.budgetLeft({ terms, payTo, payer, advance: false }));
    }
    checkFeeMargin(exact, await askNode(() => this.#fees.of(network)));
    return terms;
  }
}

function verdictKey({ requirementsDigest: requirements, groupDigest }: CheckedPayment): string {
  return `${requirements}:${groupDigest}`;
}

function proven(payment: CheckedPayment, terms: SponsorshipTerms | undefined, verdict: Verdict): VerifiedPayment {
  const known = payment.network.lastRound();
  const verifiedRound = known > verdict.lastRound ? known : verdict.lastRound;
  checkWindowNow(payment.exact, verifiedRound);
  // The one constructor of the brand.
  return { ...payment, ...(terms !== undefined && { terms }), verifiedRound } as VerifiedPayment;
}
