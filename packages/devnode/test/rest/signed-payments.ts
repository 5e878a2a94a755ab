import { parseAccount } from '@avm402/algorand/account';
import type { Devnode } from '../../src/start-devnode.ts';

let made = 0;

/** A signed payment of the development payer, never twice the same. Its bytes are one group for either submission route. */
export function signedPayment(node: Devnode, options: { microAlgos?: bigint; firstValid?: bigint } = {}): Uint8Array {
  const payer = parseAccount(node.accounts.payer.privateKey);
  const firstValid = options.firstValid ?? 1n;
  return payer.signTransaction({
    type: 'pay',
    sender: payer.address,
    receiver: node.accounts.merchant.address,
    amount: options.microAlgos ?? 1n,
    fee: 1000n,
    firstValid,
    lastValid: firstValid + 999n,
    genesisId: node.genesisId,
    genesisHash: Buffer.from(node.genesisHash, 'base64'),
    note: Buffer.from(`payment ${made++}`),
  });
}

/** Posts a group to one of the submission routes. */
export function post(node: Devnode, path: string, group: Uint8Array): Promise<Response> {
  return fetch(node.url + path, {
    method: 'POST',
    headers: { 'X-Algo-API-Token': node.token },
    body: Buffer.from(group),
  });
}
