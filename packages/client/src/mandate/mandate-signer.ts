import type { AlgodClient } from '@avm402/algorand/algod';
import type { TransactionWallet } from '@avm402/avm/exact/client';
import { sleep } from '../http/waiting.ts';
import { type AgentKey, MandateAgent, signerOf } from './mandate-agent.ts';
import { type Mandate, readMandate } from './mandate.ts';

export type { AgentKey } from './mandate-agent.ts';
export { findMandate } from './found-mandate.ts';
export { type KnownMandate, type Mandate, readMandate } from './mandate.ts';
export { type MandatePayment, type MandateStatus, MandateWatch } from './mandate-watch.ts';
export { roundsIn, timeOfRound } from './round-time.ts';
export { parseWalletGroup, signedGroup, type WalletMember } from './wallet-group.ts';

export interface MandateSignerOptions {
  readonly mandate: Mandate;
  /** The key that the mandate names, for example by `parseAccount`. */
  readonly agentKey: AgentKey;
  /** Your own node, on the mandate's network. */
  readonly algod: AlgodClient;
}

/**
 * A signer with which a client of the stock packages pays from a mandate.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { createAlgodClient } from '@avm402/algorand/algod';
 * import { parseAccount } from '@avm402/client';
 * import { mandateSigner } from '@avm402/client/mandate';
 *
 * const signer = mandateSigner({
 *   mandate: JSON.parse(readFileSync('mandate.json', 'utf8')),
 *   agentKey: parseAccount(process.env['AVM_PRIVATE_KEY'] ?? ''),
 *   algod: createAlgodClient({ url: 'http://127.0.0.1:4001', token: 'a'.repeat(64) }),
 * });
 * // new x402Client().register('algorand:*', new ExactAvmScheme(signer))
 * ```
 *
 * @throws X402Error `invalid_mandate`
 */
export function mandateSigner({ mandate, agentKey, algod }: MandateSignerOptions): TransactionWallet {
  const known = readMandate(mandate);
  return signerOf(new MandateAgent({ mandate: known, agentKey, algod, waitForSlotMs: 0, now: Date.now, sleep }));
}
