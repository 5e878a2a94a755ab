import { parseAccount } from '@avm402/algorand/account';
import { fetchExchange } from '@avm402/algorand/http-exchange';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { decodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { developmentAccounts, startDevnode, type Devnode, type DevnodeOptions } from '@avm402/devnode';
import type { SeenPayment } from './seller.ts';

export const accounts = developmentAccounts();
const sponsor = parseAccount(accounts.facilitator.privateKey);

/** The embedded node, and what a facilitator does on it. */
export interface Chain extends Pick<Devnode, 'url' | 'token' | 'mine' | 'stop' | 'fund' | 'deal'> {
  readonly algod: AlgodClient;
  /** Requests to the node's REST interface by clients that `access` was given to. */
  calls(): number;
  /** How the buyer reaches the node. */
  readonly access: { readonly url: string; readonly token: string };
  /** Signs for the sponsor and submits, as a facilitator does; a payment that is on chain stays as it is. */
  settle(payment: SeenPayment): Promise<void>;
  /** TxIDs of the payments confirmed on chain, in order. */
  confirmed(): Promise<string[]>;
}

/** A node that presents TestNet's genesis, so that payments have short windows, in blocks by the second. */
export async function startChain(options: DevnodeOptions = {}): Promise<Chain> {
  const node = await startDevnode({ port: 0, network: 'testnet', ...options });
  const access = { url: node.url, token: node.token };
  let calls = 0;
  const exchange = fetchExchange(fetch);
  const algod = createAlgodClient({
    ...access,
    exchange: (request) => {
      calls++;
      return exchange(request);
    },
  });
  const own = createAlgodClient(access);
  const since = node.latestRound;
  return {
    ...node,
    algod,
    access,
    calls: () => calls,
    settle: async ({ payload }) => {
      const { paymentGroup } = payload.payload as { paymentGroup: string[] };
      const members = paymentGroup.map((member) => decodeBase64(member) ?? new Uint8Array());
      const [first] = members;
      if (first && members.length > 1) members[0] = sponsor.signTransaction(decodeTransaction(first));
      await own.sendRawTransaction(Buffer.concat(members)).catch((error: unknown) => {
        if (!isAlgorandError(error, 'algod_refused') || !/already in ledger/.test(error.reason ?? '')) throw error;
      });
    },
    confirmed: () => paymentsSince(own, since),
  };
}

/** The asset transfers in the blocks after a round: what was really debited. */
async function paymentsSince(algod: AlgodClient, round: bigint): Promise<string[]> {
  const { lastRound } = await algod.status();
  const found: string[] = [];
  for (let at = round + 1n; at <= lastRound; at++) {
    const ids = await algod.blockTransactionIds(at);
    if (ids.length > 0) found.push(...(await transfersIn(algod, at, ids)));
  }
  return found;
}

async function transfersIn(algod: AlgodClient, round: bigint, ids: readonly string[]): Promise<string[]> {
  const block = (await algod.block(round)).get('block') as Map<string, Map<string, Map<string, string>>[]>;
  const types = (block.get('txns') ?? []).map((member) => member.get('txn')?.get('type'));
  return ids.filter((_id, index) => types[index] === 'axfer');
}
