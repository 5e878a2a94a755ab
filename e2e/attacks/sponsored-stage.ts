import { type Account, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { algorandNetwork } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type DevelopmentAccountName, type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp, type FacilitatorOptions } from '@avm402/facilitator';
import { USDC } from '@avm402/stack/balances';
import { signPayment } from '../payment.ts';
import { askFacilitator, refusalIn } from '../ask-facilitator.ts';
import { sendFrom } from '../send-from.ts';

/**
 * A facilitator that answers over HTTP, on a node that presents TestNet's genesis: what holds on development networks
 * only does not hold here.
 */
export class SponsoredStage {
  readonly node: Devnode;
  readonly algod: AlgodClient;
  readonly url: string;
  readonly #running: AsyncDisposableStack;

  private constructor(node: Devnode, algod: AlgodClient, { url, running }: Served) {
    this.node = node;
    this.algod = algod;
    this.url = url;
    this.#running = running;
  }

  static async start(
    options: (stage: { readonly account: (name: DevelopmentAccountName) => Account }) => Partial<FacilitatorOptions>,
  ) {
    await using started = new AsyncDisposableStack();
    const node = await startDevnode({ port: 0, network: 'testnet' });
    started.defer(() => node.stop());
    const algod = createAlgodClient(node);
    const account = (name: DevelopmentAccountName): Account => parseAccount(node.accounts[name].privateKey);
    const facilitator = createFacilitator({ networks: [{ algods: [algod] }], ...options({ account }) });
    started.defer(() => facilitator.close());
    const app = createFacilitatorApp(facilitator);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    started.defer(() => app.close());
    return new SponsoredStage(node, algod, { url, running: started.move() });
  }

  account(name: DevelopmentAccountName): Account {
    return parseAccount(this.node.accounts[name].privateKey);
  }

  requirements(changes: Partial<PaymentRequirements> = {}): PaymentRequirements {
    return {
      scheme: 'exact',
      network: algorandNetwork(this.node.genesisHash),
      asset: String(USDC),
      amount: '10000',
      payTo: this.account('merchant').address,
      maxTimeoutSeconds: 60,
      extra: { feePayer: this.account('facilitator').address },
      ...changes,
    };
  }

  pay(requirements = this.requirements(), payer = this.account('payer')): Promise<PaymentPayload> {
    return signPayment(requirements, payer, this.algod);
  }

  payments(count: number, requirements = this.requirements()): Promise<PaymentPayload[]> {
    return Promise.all(Array.from({ length: count }, () => this.pay(requirements)));
  }

  /** The reason of a verify or settle call's refusal, or `ok`. */
  async ask(route: 'verify' | 'settle', payment: PaymentPayload): Promise<string> {
    return refusalIn(await askFacilitator(this.url, route, payment));
  }

  /** Asks for all of them, some at a time, and counts the answers. */
  async askAll(route: 'verify' | 'settle', payments: readonly PaymentPayload[], atOnce = 10) {
    const counts: Record<string, number> = {};
    const waiting = payments.values();
    const askRest = async (): Promise<void> => {
      for (const payment of waiting) {
        const answer = await this.ask(route, payment);
        counts[answer] = (counts[answer] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, askRest));
    return counts;
  }

  /** µAlgo that the sponsor has. */
  get sponsorHas(): bigint {
    return this.node.balance(this.account('facilitator').address).microAlgos;
  }

  /** Leaves a payer with this much USDC. */
  async leave(payer: DevelopmentAccountName, amount: bigint): Promise<void> {
    const owner = this.account(payer);
    const has = this.node.balance(owner.address).assets.get(USDC) ?? 0n;
    if (has < amount) {
      await this.node.deal(owner.address, USDC, amount - has);
      return;
    }
    const receiver = this.account('payer3').address;
    await sendFrom(this.algod, owner, { type: 'axfer', receiver, assetId: USDC, amount: has - amount });
  }

  stop(): Promise<void> {
    return this.#running.disposeAsync();
  }
}

interface Served {
  readonly url: string;
  readonly running: AsyncDisposableStack;
}
