import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { type FacilitatorClient, HTTPFacilitatorClient, type x402ResourceServer } from '@x402/core/server';

/** The public methods of stock's resource server that this package calls. Other patch versions have them as well. */
export type ResourceServer = Pick<
  x402ResourceServer,
  'getRegisteredScheme' | 'getExtensions' | 'enrichExtensions' | 'createPaymentRequiredResponse'
>;

/** Settings of a stock HTTP client. Requests of our own replace its `verify` and `settle`. */
export interface HttpFacilitatorSettings {
  readonly url: string;
  readonly timeoutMs: number;
  createAuthHeaders(path: string): Promise<{ headers: Record<string, string> }>;
}

/** A facilitator client that keeps a record, such as a facilitator in this process. It settles by key. */
export interface RecordingClient extends FacilitatorClient {
  settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    options?: { readonly idempotencyKey?: string; readonly respondAsync?: boolean },
  ): Promise<SettleResponse>;
  /** The id of the store, which its replicas share. */
  storeId(): Promise<string>;
  /** The record of a settlement, as `GET /settlements/{txid}` answers it; undefined if there is none. */
  settlement(txId: string, options?: { readonly waitMs?: number }): Promise<unknown>;
}

const HOOKS = [
  'beforeVerifyHooks',
  'afterVerifyHooks',
  'onVerifyFailureHooks',
  'beforeSettleHooks',
  'afterSettleHooks',
  'onSettleFailureHooks',
  'onVerifiedPaymentCanceledHooks',
];

/**
 * The facilitator clients of a stock resource server. They are private at type level (as of @x402/core 2.26), so only
 * this file reads them, and throws if they are not where it expects them.
 * @throws X402Error `incompatible_resource_server`
 */
export function facilitatorClientsOf(server: ResourceServer): readonly FacilitatorClient[] {
  const clients = privateMember(server, 'facilitatorClients');
  if (Array.isArray(clients) && clients.length > 0 && clients.every(isFacilitatorClient)) return clients;
  throw new X402Error('incompatible_resource_server', {
    message: 'this x402ResourceServer does not keep its facilitator clients where @x402/core 2.26 does',
  });
}

/**
 * Checks that this is a resource server without hooks. Hooks may be guards, and this package does not run them. A
 * server that has any is refused, because it would lose its guard unnoticed.
 * @throws X402Error `incompatible_resource_server`, `resource_server_hooks`
 */
export function checkResourceServer(server: unknown): asserts server is ResourceServer {
  if (!isResourceServer(server)) {
    throw new X402Error('incompatible_resource_server', {
      message:
        'the server is missing, or is not an x402ResourceServer: paymentMiddleware(routes, server), paid(route, server)',
    });
  }
  const used = HOOKS.filter((name) => {
    const hooks = privateMember(server, name);
    return Array.isArray(hooks) && hooks.length > 0;
  });
  const extensions = server.getExtensions().filter(({ hooks, transportHooks }) => hooks ?? transportHooks);
  const names = [...used, ...extensions.map(({ key }) => `extension "${key}"`)];
  if (names.length === 0) return;
  throw new X402Error('resource_server_hooks', {
    message: `the resource server has hooks that this middleware does not run (${names.join(', ')}): use its options beforePayment and onEvent`,
  });
}

function isResourceServer(server: unknown): server is ResourceServer {
  if (typeof server !== 'object' || server === null) return false;
  return ['getRegisteredScheme', 'getExtensions'].every((name) => typeof privateMember(server, name) === 'function');
}

/**
 * The settings of a stock HTTP client. Undefined for any other client, including subclasses and instances with their
 * own `verify` or `settle`, which are called as they are.
 */
export function httpSettingsOf(client: FacilitatorClient): HttpFacilitatorSettings | undefined {
  const isOverridden = ['verify', 'settle', 'getSupported'].some((method) => Object.hasOwn(client, method));
  return isHttpClient(client) && !isOverridden ? client : undefined;
}

/** Whether to call a client object as a facilitator that keeps a record, which can be asked for it. */
export function isRecordingClient(client: FacilitatorClient): client is RecordingClient {
  return ['settlement', 'storeId'].every((method) => typeof privateMember(client, method) === 'function');
}

/** Also recognizes the client of another installed copy of @x402/core: a class of that name that extends nothing. */
function isHttpClient(client: FacilitatorClient): client is HTTPFacilitatorClient {
  const prototype: unknown = Object.getPrototypeOf(client);
  if (prototype === HTTPFacilitatorClient.prototype) return true;
  return (
    client.constructor.name === HTTPFacilitatorClient.name &&
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === Object.prototype &&
    typeof privateMember(client, 'url') === 'string' &&
    typeof privateMember(client, 'createAuthHeaders') === 'function'
  );
}

function isFacilitatorClient(value: unknown): value is FacilitatorClient {
  if (typeof value !== 'object' || value === null) return false;
  return ['verify', 'settle', 'getSupported'].every((method) => typeof privateMember(value, method) === 'function');
}

function privateMember(object: object, name: string): unknown {
  return Reflect.get(object, name);
}
