import { createAccount, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import type { Transaction } from '@avm402/algorand/transaction';
import {
  encodeMandateConfig,
  endMandateGroup,
  type MandateConfig,
  mandateAddress,
  openMandateGroup,
  signByMandate,
} from '@avm402/avm/mandate';
import { createPayer } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { usdc } from './balances.ts';
import { NODE_TOKEN } from './programs.ts';
import type { Stack } from './stack.ts';

const USDC = 10_458_941n;
const PRICE = 10_000n;
const SLOTS = 10n;
const FUNDS = 500_000n;

/**
 * An agent pays from a mandate that allows $0.10 a window. An attacker with the agent's key tries more and is stopped by the
 * chain; the owner takes the rest back with one signature.
 */
export async function demonstrateMandate(stack: Stack): Promise<void> {
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const algod = createAlgodClient(access);
  const owner = parseAccount(stack.accounts.payer.privateKey);
  const agentKey = createAccount();
  const { genesisHash, lastRound } = await algod.params();
  const config: MandateConfig = {
    owner: owner.address,
    agent: agentKey.address,
    asset: USDC,
    cap: PRICE,
    slots: SLOTS,
    expiry: lastRound + 10_000n,
    receivers: new Uint8Array(32),
    genesisHash,
    salt: crypto.getRandomValues(new Uint8Array(16)),
  };
  const address = mandateAddress(config);
  const sign = (txn: Transaction): Uint8Array =>
    txn.sender === address ? signByMandate(config, txn) : owner.signTransaction(txn);
  const send = async (group: readonly Transaction[]) => algod.sendRawTransaction(Buffer.concat(group.map(sign)));
  await send(openMandateGroup(config, { amount: FUNDS }, await terms(algod)));
  console.log(
    `the owner funds a mandate with ${usdc(FUNDS)}: at most ${SLOTS} payments of ${usdc(PRICE)} in 500 rounds`,
  );
  const mandate = { address, config: encodeMandateConfig(config) };
  const payer = () => createPayer({ mandate, agentKey, networks: { 'algorand:*': access } });
  const url = `${stack.weather.url}/weather`;
  const agent = payer();
  for (let paid = 0n; paid < SLOTS; paid += 1n) await bought(agent.fetch, url);
  console.log(`its agent pays ${SLOTS} × ${usdc(PRICE)} with a key that holds nothing`);
  // A thief has the key, and none of the agent's own limits.
  const stopped = await bought(payer().fetch, url).catch((error: unknown) => error);
  if (!isX402Error(stopped, 'mandate_exhausted')) throw new Error('the chain let the agent’s key pay more');
  console.log(`who steals that key is stopped by the chain: ${stopped.code}`);
  const rest = (await algod.accountAsset(address, USDC))?.amount ?? 0n;
  await send(endMandateGroup(config, await terms(algod)));
  console.log(`the owner takes ${usdc(rest)} back with one signature`);
}

async function terms(algod: AlgodClient) {
  const { lastRound, genesisId, minFee } = await algod.params();
  return { firstValid: lastRound, lastValid: lastRound + 1000n, genesisId, fee: minFee };
}

async function bought(fetchPaid: typeof fetch, url: string): Promise<void> {
  const response = await fetchPaid(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
