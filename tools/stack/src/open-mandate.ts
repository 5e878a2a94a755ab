import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { MAX_WINDOW_ROUNDS, type Transaction, transactionId } from '@avm402/algorand/transaction';
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
import { USDC } from './balances.ts';

/** Where the chain is. */
interface ChainAccess {
  readonly url: string;
  readonly token: string;
}

/** A mandate that its owner has funded. */
export interface OpenedMandate {
  readonly config: MandateConfig;
  readonly mandate: Mandate;
  readonly agentKey: Account;
  /** The owner's one transaction. Resolves to its round. */
  readonly end: () => Promise<bigint>;
}

export const AGENT_SEED = new Uint8Array(32).fill(42);
const payer = parseAccount(developmentAccounts().payer.privateKey);

interface MandateTerms {
  readonly slots: bigint;
  /** Atomic units of USDC. */
  readonly funds: bigint;
  /** The most that one payment moves. Default: $0.05. */
  readonly cap?: bigint;
  /** Funds and ends it. Default: the payer of the development node. */
  readonly owner?: Account;
}

/** Opens a mandate that may pay anybody. */
export async function openMandate(
  access: ChainAccess,
  { slots, funds, cap = 50_000n, owner = payer }: MandateTerms,
): Promise<OpenedMandate> {
  const algod = createAlgodClient(access);
  const agentKey = accountFromSeed(AGENT_SEED);
  const { genesisHash, lastRound } = await algod.params();
  const config: MandateConfig = {
    owner: owner.address,
    agent: agentKey.address,
    asset: USDC,
    cap,
    slots,
    expiry: lastRound + 100_000n,
    receivers: ANY_RECEIVER,
    genesisHash,
    salt: crypto.getRandomValues(new Uint8Array(16)),
  };
  const address = mandateAddress(config);
  const sign = (txn: Transaction): Uint8Array =>
    txn.sender === address ? signByMandate(config, txn) : owner.signTransaction(txn);
  const send = async (group: readonly Transaction[]): Promise<bigint> => {
    await algod.sendRawTransaction(Buffer.concat(group.map(sign)));
    const [first] = group;
    return confirmedRound(algod, first === undefined ? '' : transactionId(first));
  };
  await send(openMandateGroup(config, { amount: funds }, await terms(algod)));
  return {
    config,
    mandate: { address, config: encodeMandateConfig(config) },
    agentKey,
    end: async () => send(endMandateGroup(config, await terms(algod))),
  };
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
  return { firstValid: lastRound, lastValid: lastRound + MAX_WINDOW_ROUNDS, genesisId, fee: minFee };
}
