import { DevnodeError } from '../errors.ts';

/** The developer controls of a node in another process, over HTTP. */
export interface DevControls {
  /** Makes blocks of what is in the pool, the later ones empty; resolves with the last round. Default 1. */
  mine(rounds?: number): Promise<bigint>;
  /** Gives µAlgo out of nothing; resolves with the account's new balance in µAlgo. */
  fund(address: string, microAlgos: bigint): Promise<bigint>;
  /** Gives units of any asset, opting the account in if need be; resolves with what it then holds. */
  deal(address: string, assetId: bigint, amount: bigint): Promise<bigint>;
}

export interface DevControlsOptions {
  /** Origin of the node. */
  readonly url: string;
  /** API token; default 64 × `a`. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

/**
 * A client of a node's developer controls, for programs on the machine that the node runs on: a web page is refused.
 * @throws DevnodeError from every call: `refused` with the node's message, `unreachable` when no node answers at the URL
 * @example
 * ```ts
 * import { createDevControls } from '@avm402/devnode';
 *
 * const controls = createDevControls({ url: 'http://127.0.0.1:4001' });
 * const round = await controls.mine(10);
 * console.log(round);
 * ```
 */
export function createDevControls({
  url,
  token = 'a'.repeat(64),
  fetch = globalThis.fetch,
}: DevControlsOptions): DevControls {
  const call = async (
    path: string,
    query: Readonly<Record<string, bigint | number>>,
    member: string,
  ): Promise<bigint> => {
    const target = new URL(path, url);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
    const request = { method: 'POST', headers: { 'X-Algo-API-Token': token } };
    const response = await fetch(target, request).catch((cause: unknown) => {
      throw new DevnodeError('unreachable', `no node answers at ${url}`, { cause });
    });
    return integerMember(response, member);
  };
  return {
    mine: (rounds = 1) => call('/dev/mine', { rounds }, 'last-round'),
    fund: (address, amount) => call(`/dev/fund/${encodeURIComponent(address)}`, { amount }, 'amount'),
    deal: (address, assetId, amount) =>
      call(`/dev/deal/${encodeURIComponent(address)}`, { 'asset-id': assetId, amount }, 'amount'),
  };
}

/** One integer of an answer, exact beyond 2^53. */
async function integerMember(response: Response, member: string): Promise<bigint> {
  const text = await response.text();
  const digits = new RegExp(`"${member}":(\\d+)`).exec(text)?.[1];
  if (response.ok && digits !== undefined) return BigInt(digits);
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const reason = message === undefined ? `status ${response.status}` : String(JSON.parse(message));
  throw new DevnodeError('refused', `the node refused: ${reason}`, { status: response.status });
}
