import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import {
  ANY_RECEIVER,
  encodeMandateConfig,
  endMandateGroup,
  type MandateConfig,
  mandateAddress,
  openMandateGroup,
  signByMandate,
} from '@avm402/avm/mandate';
import type { Mandate } from '@avm402/client/mandate';
import { developmentAccounts } from '@avm402/devnode';

/** Where the chain is. */
interface ChainAccess {
  readonly url: string;
  readonly token: string;
}

/** A mandate that the payer of the development node has funded. */
export interface OpenedMandate {
  readonly mandate: Mandate;
  readonly agentKey: Account;
  /** The owner's one transaction. Resolves to its round. */
  end(): Promise<bigint>;
}

export const AGENT_SEED = new Uint8Array(32).fill(42);
const owner = parseAccount(developmentAccounts().payer.privateKey);

/** Opens a mandate of $0.05 a payment that may pay anybody. */
export async function openMandate(
  access: ChainAccess,
  { slots, funds }: { readonly slots: bigint; readonly funds: bigint },
): Promise<OpenedMandate> {
  const algod = createAlgodClient(access);
  const agentKey = accountFromSeed(AGENT_SEED);
  const { genesisHash, lastRound } = await algod.params();
  const config: MandateConfig = {
    owner: owner.address,
    agent: agentKey.address,
    asset: TESTNET.usdcAssetId,
    cap: 50_000n,
    slots,
    expiry: lastRound + 100_000n,
    receivers: ANY_RECEIVER,
    genesisHash,
    salt: crypto.getRandomValues(new Uint8Array(16)),
  };
  await send(algod, config, openMandateGroup(config, { amount: funds }, await terms(algod)));
  return {
    mandate: { address: mandateAddress(config), config: encodeMandateConfig(config) },
    agentKey,
    end: async () => send(algod, config, endMandateGroup(config, await terms(algod))),
  };
}

async function send(algod: AlgodClient, config: MandateConfig, group: readonly Transaction[]): Promise<bigint> {
  const address = mandateAddress(config);
  const sign = (txn: Transaction): Uint8Array =>
    txn.sender === address ? signByMandate(config, txn) : owner.signTransaction(txn);
  await algod.sendRawTransaction(Buffer.concat(group.map(sign)));
  const [first] = group;
  return confirmedRound(algod, first === undefined ? '' : transactionId(first));
}

/** The round of a transaction that was sent, once it has one. */
export async function confirmedRound(algod: AlgodClient, txId: string): Promise<bigint> {
  for (;;) {
    const { lastRound } = await algod.status();
    const { confirmedRound: round } = (await algod.pendingTransaction(txId)) ?? {};
    if (round !== undefined) return round;
    await algod.waitForBlockAfter(lastRound);
  }
}

async function terms(algod: AlgodClient) {
  const { lastRound, genesisId, minFee } = await algod.params();
  return { firstValid: lastRound, lastValid: lastRound + 1_000n, genesisId, fee: minFee };
}
