import { accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { TESTNET } from '@avm402/algorand/networks';
import {
  encodeMandateConfig,
  type MandateConfig,
  mandateAddress,
  openMandateGroup,
  receiverTree,
  signByMandate,
} from '@avm402/avm/mandate';
import { createPayer, type Payer, type PayingFetchOptions } from '@avm402/client';
import type { Mandate } from '@avm402/client/mandate';
import { accounts, type Chain } from '../chain.ts';
import { type Answers, asking, receipt } from '../seller.ts';

const owner = parseAccount(accounts.payer.privateKey);
export const agentKey = accountFromSeed(new Uint8Array(32).fill(42));
const CAP = 50_000n;

interface Opening {
  readonly slots?: bigint;
  readonly funds?: bigint;
  readonly receivers?: readonly string[];
  readonly expiry?: bigint;
}

/** A mandate on the chain: $0.05 a payment, and by default two payments a window and one dollar. */
export async function openedMandate(chain: Chain, opening: Opening = {}): Promise<Mandate> {
  const { slots = 2n, funds = 1_000_000n, receivers, expiry } = opening;
  const { lastRound, genesisHash, genesisId, minFee } = await chain.algod.params();
  const config: MandateConfig = {
    owner: owner.address,
    agent: agentKey.address,
    asset: TESTNET.usdcAssetId,
    cap: CAP,
    slots,
    expiry: expiry ?? lastRound + 10_000n,
    receivers: receivers ? receiverTree(receivers).root : new Uint8Array(32),
    genesisHash,
    salt: crypto.getRandomValues(new Uint8Array(16)),
  };
  const terms = { firstValid: lastRound, lastValid: lastRound + 100n, genesisId, fee: minFee };
  const address = mandateAddress(config);
  const signed = openMandateGroup(config, { amount: funds }, terms).map((txn) =>
    txn.sender === address ? signByMandate(config, txn) : owner.signTransaction(txn),
  );
  await chain.algod.sendRawTransaction(Buffer.concat(signed));
  return { address, config: encodeMandateConfig(config), ...(receivers && { receivers }) };
}

type Options = Partial<Omit<PayingFetchOptions, 'account' | 'client' | 'mandate' | 'agentKey' | 'channels'>> & {
  readonly waitForSlotMs?: number;
};

export function payerBy(mandate: Mandate, chain: Chain, options: Options = {}): Payer {
  return createPayer({ mandate, agentKey, networks: { 'algorand:*': chain.algod }, recoverMs: 2_000, ...options });
}

/** Settles what the chain takes, and refuses what it does not, as a facilitator would. */
export function settling(chain: Chain, offer: Parameters<typeof asking>[0] = [{}]): Answers {
  return async ({ payment }) => {
    if (!payment) return asking(offer);
    try {
      await chain.settle(payment);
    } catch {
      return asking(offer, { error: 'settlement_rejected' });
    }
    return { headers: receipt(payment) };
  };
}

/** Makes blocks until the present window is over. */
export async function nextWindow(chain: Chain): Promise<void> {
  const { lastRound } = await chain.algod.status();
  await chain.mine(Number(500n - (lastRound % 500n)) + 1);
}
