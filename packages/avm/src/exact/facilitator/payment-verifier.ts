import { X402Error } from '@avm402/core/errors';
import { parsePaymentPayload } from '@avm402/core/payment-payload';
import { parsePaymentRequirements, type PaymentRequirements } from '@avm402/core/payment-requirements';
import { checkPaymentOffline, type OfflinePayment } from '../check-payment-offline.ts';
import { checkWindowLeft, checkWindowNow } from '../checks/transfer.ts';
import { simulateGroup, type Verdict } from '../../node/ask-node.ts';
import { chainRefusal } from '../../node/chain-refusal.ts';
import { CurrentFees } from '../../node/network-fees.ts';
import { requirementsDigest } from '../../sponsorship/requirements-digest.ts';
import { type FacilitatorNetwork, sponsorshipTerms } from '../../sponsorship/sponsor.ts';
import { type ProposedGroup, unsigned, type VerifiedGroup, verifyGroup } from '../../sponsorship/sponsored-group.ts';
import { VerdictCache } from './verdict-cache.ts';

/** A payment that passed all offline checks, for requirements on a network that this facilitator serves. */
export interface CheckedPayment extends OfflinePayment {
  readonly requirements: PaymentRequirements;
  /** Hex SHA-256 of the requirements. */
  readonly requirementsDigest: string;
  readonly network: FacilitatorNetwork;
}

/** A payment that the chain would accept, and whose fee this facilitator pays if the payment asks for it. */
export interface VerifiedPayment extends CheckedPayment {
  readonly group: VerifiedGroup;
}

export interface PaymentVerifierOptions {
  /** The network with this CAIP-2 id, in any spelling, if the facilitator serves it. */
  readonly networkOf: (network: string) => FacilitatorNetwork | undefined;
  /** Milliseconds; the clock may be set back. */
  readonly now: () => number;
  /** Whether programs (logic signatures) pay; default true. */
  readonly takesPrograms?: boolean;
}

/** How long settling may rely on the simulation made for verification, and how many such verdicts are kept. */
const VERDICT_TTL_MS = 30_000;
const VERDICT_CAPACITY = 10_000;

/**
 * Verifies payments in two steps: `check` makes no network call, `verify` asks the chain. Nothing reaches a node before
 * all checks and signatures have passed.
 */
export class PaymentVerifier {
  readonly #networkOf: PaymentVerifierOptions['networkOf'];
  readonly #takesPrograms: boolean;
  readonly #fees: CurrentFees;
  readonly #verdicts: VerdictCache;

  constructor({ networkOf, now, takesPrograms = true }: PaymentVerifierOptions) {
    this.#networkOf = networkOf;
    this.#takesPrograms = takesPrograms;
    this.#fees = new CurrentFees(now);
    this.#verdicts = new VerdictCache({ ttlMs: VERDICT_TTL_MS, capacity: VERDICT_CAPACITY, now });
  }

  /**
   * Parses outside data and runs the checks that do not need the chain.
   * @throws X402Error with a wire reason
   */
  check(payload: unknown, requirements: unknown): CheckedPayment {
    const parsed = parsePaymentRequirements(requirements);
    const network = this.#networkOf(parsed.network);
    if (network === undefined) {
      throw new X402Error('unsupported_network', { message: `network ${parsed.network} is not served here` });
    }
    const offline = checkPaymentOffline(parsePaymentPayload(payload), parsed);
    if (!this.#takesPrograms && offline.exact.transfer.signed.logicSignature !== undefined) {
      throw new X402Error('invalid_exact_avm_logic_signature', {
        message: 'only payments signed by keys are accepted here',
      });
    }
    return { ...offline, requirements: parsed, requirementsDigest: requirementsDigest(parsed), network };
  }

  /**
   * Verifies a checked payment against the current state of the chain.
   * @throws X402Error with a wire reason, or with `algod_unreachable`
   */
  async verify(payment: CheckedPayment): Promise<VerifiedPayment> {
    const verified = await this.#verified(payment, () => undefined);
    checkWindowLeft(verified.exact, verified.group.round);
    return verified;
  }

  /**
   * Like `verify`, but accepts a recent simulation of exactly these bytes for exactly these requirements, and the fees
   * that the network asked for then, and any number of rounds left: a handler has worked since, and the payment is about
   * to be submitted.
   */
  async verifyToSettle(payment: CheckedPayment): Promise<VerifiedPayment> {
    return this.#verified(payment, () => this.#verdicts.recent(verdictKey(payment)));
  }

  /** Forgets all simulations, because a development node went back to an earlier round. */
  forgetSimulations(): void {
    this.#verdicts.clear();
  }

  /** Forgets the simulations of a payer's payments, because one of them was refused: the account has changed since. */
  distrust(payer: string): void {
    this.#verdicts.forget(payer);
  }

  async #verified(payment: CheckedPayment, recent: () => Verdict | undefined): Promise<VerifiedPayment> {
    const { exact, network, payer } = payment;
    const { fees, ...proposed } = this.#proposed(payment);
    const group = await verifyGroup(
      recent() === undefined && fees !== undefined ? { ...proposed, fees } : proposed,
      network,
      async (...asked) => recent() ?? this.#verdicts.share(verdictKey(payment), payer, () => simulateGroup(...asked)),
    );
    if ('refusal' in group) {
      throw chainRefusal(group.refusal, network.sponsor?.accounts, 'exact');
    }
    checkWindowNow(exact, group.round);
    return { ...payment, group };
  }

  /** The fee and who pays it. The fee is compared with the network's only if this facilitator pays it. */
  #proposed({ exact, network, payer }: CheckedPayment): ProposedGroup {
    const { feePayer, transfer, transferTransaction: txn } = exact;
    const { sponsor } = network;
    const paid = { txn, bytes: transfer.bytes };
    if (feePayer === undefined) return { scheme: 'exact', members: [paid], ours: [], mostFee: 0n };
    const group = { scheme: 'exact', members: [unsigned(feePayer.transaction), paid], ours: [0] } as const;
    if (sponsor === undefined) return { ...group, mostFee: 0n };
    const parties = { terms: sponsorshipTerms(txn, sponsor, 'exact'), payTo: txn.receiver, payer, advance: false };
    return { ...group, parties, mostFee: sponsor.maxFee, fees: () => this.#fees.of(network) };
  }
}

function verdictKey({ requirementsDigest: requirements, groupDigest }: CheckedPayment): string {
  return `${requirements}:${groupDigest}`;
}
