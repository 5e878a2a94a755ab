import { isX402Error, X402Error } from '@avm402/core/errors';
import { canonicalNetwork } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { SupportedResponse } from '@avm402/core/supported-response';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { Network, SupportedKind } from '@x402/core/types';
import { answerOf, type Attempt, type FailedAttempt } from './attempt.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { FacilitatorEndpoint } from './facilitator-endpoint.ts';
import type { PaymentQuestion } from './payment-question.ts';
import { checkSameStore, kindFor, networksOf, signersFor, storeIdOf } from './supported-kinds.ts';

const SUPPORTED_TIMEOUT_MS = 10_000;
/** Age at which `/supported` is asked again, behind the requests that are served meanwhile. */
const REFRESH_MS = 5 * 60_000;
/** Pause between attempts while it can't be had. */
const RETRY_MS = 1_000;

/** What the facilitators say of one network. */
export interface NetworkSupport {
  readonly kind: SupportedKind;
  /** Fee payers that an offer may have named. */
  readonly signers: readonly string[];
  readonly extensions: readonly string[];
}

interface Member {
  readonly endpoint: FacilitatorEndpoint;
  readonly breaker: CircuitBreaker;
  supported?: SupportedResponse;
  /** Why it could not be asked what it supports, if it could not. */
  failure?: X402Error | undefined;
}

/** The endpoints of one facilitator: asked in turn, so that one that is down is not noticed. */
export class FacilitatorPool {
  readonly #members: readonly Member[];
  readonly #now: () => number;
  readonly #servingByNetwork = new Map<string, readonly Serving[]>();
  #nextRefresh = 0;
  #refreshing: Promise<void> | undefined;

  constructor(endpoints: readonly FacilitatorEndpoint[], now: () => number) {
    this.#members = endpoints.map((endpoint) => ({ endpoint, breaker: new CircuitBreaker(now) }));
    this.#now = now;
  }

  /**
   * What is supported on a network.
   * @throws X402Error `facilitator_unreachable`, `unsupported_network`, `facilitator_mismatch`
   */
  async support(network: Network): Promise<NetworkSupport> {
    await this.#refreshWhenDue();
    const [first] = this.#serving(network);
    if (first !== undefined) return first.support;
    const failures = this.#members.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
    if (failures.length > 0) {
      const [cause] = failures;
      const why = failures.map(({ message }) => message).join('; ');
      throw new X402Error('facilitator_unreachable', { message: `no offer can be made: ${why}`, cause });
    }
    throw new X402Error('unsupported_network', {
      message: `no facilitator supports exact on ${network}: ${this.#members.map(whatItSupports).join('; ')}`,
      details: { network },
    });
  }

  /**
   * The networks on which the facilitators serve `exact`, as they spell them.
   * @throws X402Error `facilitator_unreachable` if none of them could be asked
   */
  async networks(): Promise<readonly Network[]> {
    await this.#refreshWhenDue();
    const answers = this.#members.flatMap(({ supported }) => (supported === undefined ? [] : [supported]));
    if (answers.length > 0) return answers.flatMap(networksOf);
    const cause = this.#members[0]?.failure;
    throw new X402Error('facilitator_unreachable', { ...(cause && { message: cause.message }), cause });
  }

  /** Whether the facilitator answers a repeated settle with what it recorded (`Idempotency-Key`). */
  recordsAnswers(network: Network): boolean {
    try {
      return this.#serving(network).some(({ support }) => storeIdOf(support.kind) !== undefined);
    } catch (error) {
      // Another one may be asked next, which knows nothing of this one's answers.
      if (isX402Error(error, 'facilitator_mismatch')) return false;
      throw error;
    }
  }

  /** @throws X402Error `facilitator_unreachable`, `facilitator_bad_answer`, `facilitator_mismatch` */
  async verify(question: PaymentQuestion, timeoutMs: number): Promise<VerifyResponse> {
    const members = (await this.#inTurn(question.requirements.network)).filter(({ breaker }) => !breaker.isOpen);
    return answerOf(await firstAnswer(members, timeoutMs, (endpoint, share) => endpoint.verify(question, share)));
  }

  /** Asks for settlement. Endpoints of one network answer from one store, so a second one may be asked the same. */
  async settle(
    question: PaymentQuestion,
    { idempotencyKey, timeoutMs }: { readonly idempotencyKey: string; readonly timeoutMs: number },
  ): Promise<Attempt<SettleResponse>> {
    let members: readonly Member[];
    try {
      members = await this.#inTurn(question.requirements.network);
    } catch (error) {
      if (!isX402Error(error)) throw error;
      return { kind: 'unsent', error };
    }
    return firstAnswer(members, timeoutMs, (endpoint, share) => endpoint.settle(question, share, idempotencyKey));
  }

  /**
   * What an endpoint says became of a settlement; undefined if none has a record of it.
   * @throws X402Error `facilitator_unreachable`, `facilitator_bad_answer`, `facilitator_mismatch`
   */
  async settlement(txId: string, network: Network, timeoutMs: number): Promise<unknown> {
    const members = await this.#inTurn(network);
    return answerOf(await firstAnswer(members, timeoutMs, (endpoint, share) => endpoint.settlement(txId, share)));
  }

  /** The members for a network; those that keep failing come last. A payment may come back before anybody saw an offer. */
  async #inTurn(network: string): Promise<readonly Member[]> {
    if (this.#serving(network).length === 0) await this.#refreshWhenDue();
    const members = this.#serving(network).map(({ member }) => member);
    return members.toSorted((one, other) => Number(one.breaker.isOpen) - Number(other.breaker.isOpen));
  }

  /** The members that serve a network; looked up once for what they last said. */
  #serving(network: string): readonly Serving[] {
    const known = this.#servingByNetwork.get(network) ?? this.#servingByNetwork.get(canonicalNetwork(network));
    if (known !== undefined) return known;
    const serving = this.#members.flatMap((member) => {
      const kind = member.supported && kindFor(member.supported, network);
      return kind && member.supported ? [{ member, support: supportOf(kind, member.supported) }] : [];
    });
    checkSameStore(serving.map(({ member, support }) => ({ name: member.endpoint.name, kind: support.kind })));
    this.#servingByNetwork.set(canonicalNetwork(network), serving);
    return serving;
  }

  async #refreshWhenDue(): Promise<void> {
    const untilDue = this.#nextRefresh - this.#now();
    // Further away than any pause: the clock was set back.
    if (untilDue <= 0 || untilDue > REFRESH_MS) {
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
    this.#servingByNetwork.clear();
    const isComplete = this.#members.every(({ failure }) => failure === undefined);
    this.#nextRefresh = this.#now() + (isComplete ? REFRESH_MS : RETRY_MS);
  }
}

function whatItSupports({ endpoint, supported }: Member): string {
  const networks = new Set(supported?.kinds.map(({ network }) => network));
  return `${endpoint.name} (${networks.size === 0 ? 'nothing' : [...networks].join(', ')})`;
}

interface Serving {
  readonly member: Member;
  readonly support: NetworkSupport;
}

function supportOf(kind: SupportedKind, supported: SupportedResponse): NetworkSupport {
  return { kind, signers: signersFor(supported, kind.network), extensions: supported.extensions };
}

/** Each member has its share of the time, so that one that hangs leaves some to the next. */
async function firstAnswer<T>(
  members: readonly Member[],
  timeoutMs: number,
  ask: (endpoint: FacilitatorEndpoint, timeoutMs: number) => Promise<Attempt<T>>,
): Promise<Attempt<T>> {
  const message = 'no facilitator is available at the moment';
  let failure: FailedAttempt = { kind: 'unsent', error: new X402Error('facilitator_unreachable', { message }) };
  for (const { endpoint, breaker } of members) {
    const attempt = await ask(endpoint, Math.ceil(timeoutMs / members.length));
    if (attempt.kind === 'answer') {
      breaker.succeeded();
      return attempt;
    }
    // Whoever answers is there: a request that it refuses must not keep others out.
    if (isX402Error(attempt.error, 'facilitator_unreachable')) breaker.failed();
    // If any of them may have got the request, the outcome is unknown, whatever the others say.
    if (failure.kind === 'unsent') failure = attempt;
  }
  return failure;
}
