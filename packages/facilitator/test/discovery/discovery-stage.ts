import { createHash } from 'node:crypto';
import { BAZAAR, declareDiscovery } from '@avm402/core/discovery';
import type { DevnodeOptions } from '@avm402/devnode';
import type { PaymentRequirements, ResourceInfo } from '@x402/core/types';
import {
  Callers,
  createFacilitatorApp,
  Discovery,
  type DiscoveryOptions,
  createMemorySettlementStore,
  type SettlementStore,
} from '../../src/index.ts';
import { type Log, silentLog } from '../../src/log/log.ts';
import { DevnodeHarness, twoSponsors } from '../devnode-harness.ts';

export const SHOP_KEY = 'shop-key-0123456789abcdef';
export const ANY_KEY = 'any-key-0123456789abcdef';
export const URL_SOLD = 'https://shop.example/weather';

/** What a test says of a sale. */
export interface Sale {
  readonly resource?: Partial<ResourceInfo>;
  /** The extension `bazaar`; absent: a good one; `undefined`: none. */
  readonly bazaar?: unknown;
  readonly requirements?: Partial<PaymentRequirements>;
  readonly key?: string;
  /** The header `Prefer`. */
  readonly prefer?: string;
}

/** What became of it. */
export interface SaleOutcome {
  readonly success: boolean;
  /** What the header `EXTENSION-RESPONSES` says of the extension. */
  readonly listing: unknown;
}

interface StageOptions extends Partial<DiscoveryOptions> {
  readonly withCallers?: boolean;
  readonly store?: SettlementStore;
  readonly log?: Log;
  readonly node?: DevnodeOptions;
}

/** A facilitator with a catalogue, over HTTP, at which payments are settled. */
export class DiscoveryStage implements AsyncDisposable {
  readonly harness: DevnodeHarness;
  readonly url: string;
  readonly #app: ReturnType<typeof createFacilitatorApp>;

  private constructor(harness: DevnodeHarness, url: string, app: ReturnType<typeof createFacilitatorApp>) {
    this.harness = harness;
    this.url = url;
    this.#app = app;
  }

  static async start({
    withCallers,
    store = createMemorySettlementStore(),
    log = silentLog,
    node = {},
    ...options
  }: StageOptions = {}) {
    const harness = await DevnodeHarness.start({ node, facilitator: { sponsorship: twoSponsors } });
    const { facilitator } = harness;
    const listed = harness.account('merchant').address;
    const callers = withCallers === true ? callersFor(listed) : undefined;
    const discovery = new Discovery({
      catalogue: store.catalogue,
      isListed: (payTo, caller) =>
        callers === undefined ? payTo === listed : caller?.receivers?.includes(payTo) === true,
      isDevelopment: (network) => facilitator.isDevelopment(network),
      log,
      ...options,
    });
    const app = createFacilitatorApp(facilitator, { discovery, ...(callers && { callers }) });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    return new DiscoveryStage(harness, url, app);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
    await this.harness.stop();
  }

  /** Settles a payment that carries its own fee, and tells what became of its listing. */
  async sell({ resource, requirements = {}, key, prefer, ...sale }: Sale = {}): Promise<SaleOutcome> {
    const paymentRequirements = this.harness.requirements({ extra: {}, ...requirements });
    const bazaar = 'bazaar' in sale ? sale.bazaar : goodDeclaration();
    const paymentPayload = {
      ...(await this.harness.pay(paymentRequirements)),
      resource: { url: URL_SOLD, description: 'Tomorrow’s weather', mimeType: 'application/json', ...resource },
      ...(bazaar !== undefined && { extensions: { [BAZAAR]: bazaar } }),
    };
    const headers = { ...(key && { Authorization: `Bearer ${key}` }), ...(prefer && { Prefer: prefer }) };
    return this.settle(paymentPayload, paymentRequirements, headers);
  }

  async settle(paymentPayload: object, paymentRequirements: object, headers = {}): Promise<SaleOutcome> {
    const response = await fetch(`${this.url}/settle`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements }),
    });
    const { success } = (await response.json()) as { readonly success: boolean };
    return { success, listing: listingIn(response.headers.get('EXTENSION-RESPONSES')) };
  }

  /** What `GET /discovery/…` answers. */
  async get<Answer>(path: string, parameters: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${this.url}/discovery/${path}?${new URLSearchParams(parameters).toString()}`);
    return { status: response.status, answer: (await response.json()) as Answer };
  }

  /** What is listed, by its URL and receiver. */
  async listed(): Promise<{ readonly resource: string; readonly payTo: string; readonly description?: string }[]> {
    type Answer = { readonly items: { resource: string; payTo: string; description?: string }[] };
    return (await this.get<Answer>('resources')).answer.items;
  }

  async why(url: string): Promise<object> {
    return (await this.get<object>('why', { url })).answer;
  }
}

export function goodDeclaration(input: object = { city: 'Oslo' }): Record<string, unknown> {
  return { ...declareDiscovery({ method: 'GET', input, output: { example: { sky: 'clear' } } })[BAZAAR] };
}

function callersFor(merchant: string): Callers {
  const keySha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
  return Callers.parse(
    JSON.stringify([
      { name: 'shop', keySha256: keySha256(SHOP_KEY), receivers: [merchant] },
      { name: 'anybody', keySha256: keySha256(ANY_KEY) },
    ]),
  );
}

function listingIn(header: string | null): unknown {
  if (header === null) return undefined;
  const told = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
  return told[BAZAAR];
}
