import { isX402Error, X402Error } from '@avm402/core/errors';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { SponsoredOffers } from '@avm402/core/supported-response';
import type { Trace } from '@avm402/core/trace';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { Network, SupportedKind } from '@x402/core/types';
import { type Attempt, type FailedAttempt, repeated } from './attempt.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { type FacilitatorSupport, isSponsorsTrouble } from './facilitator-answer.ts';
import type { FacilitatorEndpoint, LookUp, SettleRequest } from './facilitator-endpoint.ts';
import type { PaymentQuestion } from './payment-question.ts';
import {
  checkSameStore,
  kindFor,
  algorandKindsOf,
  type SchemeOnNetwork,
  signersFor,
  sponsoredFor,
} from './supported-kinds.ts';

const SUPPORTED_TIMEOUT_MS = 10_000;
/** Age at which `/supported` is fetched again, in the background. */
const REFRESH_MS = 5 * 60_000;
/** Pause between attempts while `/supported` can't be fetched, or while its last answer no longer holds. */
const RETRY_MS = 1_000;
/** Advice for the person who starts a seller. */
const HOW_TO_START = 'Start one, or correct its URL; "npx @avm402/facilitator --help" says how to start one.';

export interface NetworkSupport {
  readonly kind: SupportedKind;
  /** Fee payers that an earlier offer may have named. */
  readonly signers: readonly string[];
  readonly extensions: readonly string[];
  /** The offers that may name the fee payer, if the facilitator reports them. */
  readonly sponsored?: SponsoredOffers;
}

interface Timed {
  /** For all members together. */
  readonly timeoutMs: number;
}

interface Member {
  readonly endpoint: FacilitatorEndpoint;
  readonly breaker: CircuitBreaker;
  supported?: FacilitatorSupport;
  /** Why `/supported` could not be fetched the last time, if so. */
  failure?: X402Error | undefined;
}

/** The endpoints of one facilitator. If one fails, the next is called, so that buyers don't notice one that is down. */
export class FacilitatorPool {
  readonly #members: readonly Member[];
  readonly #now: () => number;
  readonly #servingByKind = new Map<string, readonly ServingMember[]>();
  #nextRefresh = -Infinity;
  #refreshing: Promise<void> | undefined;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(endpoints: readonly FacilitatorEndpoint[], now: () => number) {
    this.#members = endpoints.map((endpoint) => ({ endpoint, breaker: new CircuitBreaker(now) }));
    this.#now = now;
  }

  /**
   * What is supported for a scheme on a network.
   * @throws X402Error `facilitator_unreachable`, `unsupported_network`, `facilitator_mismatch`
   */
  async support({ scheme, network }: SchemeOnNetwork): Promise<NetworkSupport> {
    await this.#refreshWhenDue();
    const [first] = this.#serving({ scheme, network });
    if (first !== undefined) return first.support;
    const failures = this.#members.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
    if (failures.length > 0) {
      const [cause] = failures;
      const why = failures.map(({ message }) => message).join('; ');
      throw new X402Error('facilitator_unreachable', { message: `no offer can be made: ${why}`, cause });
    }
    throw new X402Error('unsupported_network', {
      message: `no facilitator supports ${scheme} on ${network}: ${this.#members.map(whatItSupports).join('; ')}`,
      details: { network },
    });
  }

  /**
   * What the facilitators serve on Algorand networks, as they spell them.
   * @throws X402Error `facilitator_unreachable` if none of them could be asked
   */
  async algorandKinds(): Promise<readonly SchemeOnNetwork[]> {
    await this.#refreshWhenDue();
    const answers = this.#members.flatMap(({ supported }) => (supported === undefined ? [] : [supported]));
    if (answers.length > 0) return answers.flatMap(algorandKindsOf);
    const failure = this.#members[0]?.failure;
    // The failure itself says nothing more: its own cause is the only one worth a stack.
    const told = failure && { message: failure.message, cause: failure.cause };
    throw new X402Error('facilitator_unreachable', { ...told, remedy: HOW_TO_START });
  }

  /** Whether the facilitator repeats its recorded answer when settle is repeated (`Idempotency-Key`). */
  recordsAnswers(kind: SchemeOnNetwork): boolean {
    try {
      return this.#serving(kind).some(({ member }) => member.supported?.storeId !== undefined);
    } catch (error) {
      // The next call may go to another facilitator, which knows nothing of this one's answers.
      if (isX402Error(error, 'facilitator_mismatch')) return false;
      throw error;
    }
  }

  /**
   * Whether settle can be asked without verify: the facilitator says whether it has submitted anything, and is not
   * failing at the moment.
   */
  settlesAlone(kind: SchemeOnNetwork): boolean {
    return this.recordsAnswers(kind) && this.#serving(kind).some(({ member }) => !member.breaker.isOpen);
  }

  /** @throws X402Error `facilitator_unreachable`, `facilitator_bad_answer`, `facilitator_mismatch` */
  async verify(question: PaymentQuestion, timeoutMs: number, trace?: Trace): Promise<VerifyResponse> {
    const members = (await this.#inTurn(question.requirements)).filter(({ breaker }) => !breaker.isOpen);
    const attempt = await this.#ask(members, timeoutMs, (endpoint, share) => endpoint.verify(question, share, trace));
    if (attempt.kind !== 'answer') throw attempt.error;
    return attempt.answer;
  }

  /** Settles. Endpoints of one network share a store, so it is safe to ask another one after a failure. */
  async settle(
    question: PaymentQuestion,
    { timeoutMs, ...request }: SettleRequest & Timed,
  ): Promise<Attempt<SettleResponse>> {
    let members: readonly Member[];
    try {
      members = await this.#inTurn(question.requirements);
    } catch (error) {
      if (!isX402Error(error)) throw error;
      return { kind: 'unsent', error };
    }
    return this.#ask(members, timeoutMs, (endpoint, share) => endpoint.settle(question, share, request));
  }

  /**
   * The record of a settlement; undefined if there is none.
   * @throws X402Error `facilitator_unreachable`, `facilitator_bad_answer`, `facilitator_mismatch`
   */
  async settlement(txId: string, network: Network, { timeoutMs, ...look }: LookUp & Timed): Promise<unknown> {
    const members = await this.#inTurn({ scheme: 'exact', network });
    const attempt = await this.#ask(members, timeoutMs, (endpoint, share) => endpoint.settlement(txId, share, look));
    if (attempt.kind !== 'answer') throw attempt.error;
    return attempt.answer;
  }

  /**
   * Asks one member after the other for an answer. Divides the time between them, so that one that hangs leaves some time
   * for the next.
   */
  async #ask<T>(
    members: readonly Member[],
    timeoutMs: number,
    ask: (endpoint: FacilitatorEndpoint, timeoutMs: number) => Promise<Attempt<T>>,
  ): Promise<Attempt<T>> {
    let failure: FailedAttempt | undefined;
    for (const { endpoint, breaker } of members) {
      const attempt = await ask(endpoint, Math.ceil(timeoutMs / members.length));
      if (attempt.kind === 'answer') {
        breaker.succeeded();
        return failure?.kind === 'unknown' ? repeated(attempt) : attempt;
      }
      if (isDown(attempt.error)) breaker.failed();
      // The facilitator names another fee payer now, if it has one, and offers should do the same.
      if (isSponsorsTrouble(attempt.error)) this.#refreshSoon();
      // If any member may have worked on the request, the outcome is unknown, whatever the others say.
      if (failure?.kind !== 'unknown') failure = attempt;
    }
    return failure ?? noneAvailable();
  }

  #refreshSoon(): void {
    this.#nextRefresh = Math.min(this.#nextRefresh, this.#now() + RETRY_MS);
  }

  /**
   * The members for a scheme, with those that keep failing last. After a start, a payment may come before any offer.
   */
  async #inTurn(kind: SchemeOnNetwork): Promise<readonly Member[]> {
    if (this.#serving(kind).length === 0) await this.#refreshWhenDue();
    const members = this.#serving(kind).map(({ member }) => member);
    return members.toSorted((one, other) => Number(one.breaker.isOpen) - Number(other.breaker.isOpen));
  }

  /** The members that serve a scheme on a network, cached until `/supported` is fetched again. */
  #serving({ scheme, network }: SchemeOnNetwork): readonly ServingMember[] {
    const key = (id: string): string => `${scheme} ${id}`;
    const known = this.#servingByKind.get(key(network)) ?? this.#servingByKind.get(key(canonicalNetwork(network)));
    if (known !== undefined) return known;
    const serving = this.#members.flatMap((member) => {
      const kind = member.supported && kindFor(member.supported, { scheme, network });
      return kind && member.supported ? [{ member, support: supportOf(kind, member.supported) }] : [];
    });
    const stores = serving.map(({ member }) => ({ name: member.endpoint.name, storeId: member.supported?.storeId }));
    checkSameStore(network, stores);
    this.#servingByKind.set(key(canonicalNetwork(network)), serving);
    return serving;
  }

  async #refreshWhenDue(): Promise<void> {
    if (this.#now() >= this.#nextRefresh) {
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
    }
    if (this.#members.every(({ supported }) => supported === undefined)) await this.#refreshing;
  }

  async #refresh(): Promise<void> {
    await Promise.all(
      this.#members.map(async (member) => {
        const attempt = await member.endpoint.supported(SUPPORTED_TIMEOUT_MS);
        if (attempt.kind === 'answer') member.supported = attempt.answer;
        member.failure = attempt.kind === 'answer' ? undefined : attempt.error;
      }),
    );
    this.#servingByKind.clear();
    const isComplete = this.#members.every(({ failure }) => failure === undefined);
    this.#nextRefresh = this.#now() + (isComplete ? REFRESH_MS : RETRY_MS);
  }
}

function whatItSupports({ endpoint, supported }: Member): string {
  const networks = new Set(supported?.kinds.map(({ network }) => network));
  return `${endpoint.name} (${networks.size === 0 ? 'nothing' : [...networks].join(', ')})`;
}

interface ServingMember {
  readonly member: Member;
  readonly support: NetworkSupport;
}

function supportOf(kind: SupportedKind, supported: FacilitatorSupport): NetworkSupport {
  const sponsored = sponsoredFor(supported, kind);
  const { extensions } = supported;
  return { kind, signers: signersFor(supported, kind.network), extensions, ...(sponsored && { sponsored }) };
}

function noneAvailable(): FailedAttempt {
  const message = 'no facilitator is available at the moment';
  return { kind: 'unsent', error: new X402Error('facilitator_unreachable', { message }) };
}

/** Whether a member should be skipped for a while. One that rejects a request, or asks for patience, still works. */
function isDown(error: X402Error): boolean {
  return isX402Error(error, 'facilitator_unreachable') && error.details['status'] !== 429;
}
