import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import {
  ANY_RECEIVER,
  endMandateGroup,
  type MandateConfig,
  mandateAddress,
  mandateWallet,
  openMandateGroup,
  signByMandate,
} from '@avm402/avm/mandate';
import { networkOfGenesis } from '@avm402/core/network';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

// The stock facilitator settles what a mandate pays: it need not know of mandates.
let node: Devnode;
let algod: AlgodClient;
let stock: ExactAvmScheme;
let mandate: MandateConfig;
let requirements: PaymentRequirements;
const agent = accountFromSeed(new Uint8Array(32).fill(42));

beforeAll(async () => {
  node = await startDevnode({ port: 0, network: 'testnet' });
  algod = createAlgodClient({ url: node.url, token: node.token });
  const { facilitator, payer, merchant } = node.accounts;
  stock = new ExactAvmScheme(
    toFacilitatorAvmSigner(facilitator.privateKey, { testnetUrl: node.url, algodToken: node.token }),
  );
  const { genesisHash, lastRound } = await algod.params();
  const asset = 10_458_941n;
  mandate = {
    owner: payer.address,
    agent: agent.address,
    asset,
    cap: 50_000n,
    slots: 2n,
    expiry: lastRound + 10_000n,
    receivers: ANY_RECEIVER,
    genesisHash,
    salt: new Uint8Array(16).fill(1),
  };
  requirements = {
    scheme: 'exact',
    network: networkOfGenesis(genesisHash),
    asset: asset.toString(),
    amount: '10000',
    payTo: merchant.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: facilitator.address },
  };
  await send(openMandateGroup(mandate, { amount: 1_000_000n }, await terms()));
});
afterAll(() => node.stop());

async function terms() {
  const { lastRound, genesisId } = await algod.params();
  return { firstValid: lastRound, lastValid: lastRound + 100n, genesisId, fee: 1000n };
}

async function send(group: ReturnType<typeof openMandateGroup>): Promise<void> {
  const owner = parseAccount(node.accounts.payer.privateKey);
  const sign = (txn: (typeof group)[number]) =>
    txn.sender === owner.address ? owner.signTransaction(txn) : signByMandate(mandate, txn);
  await algod.sendRawTransaction(Buffer.concat(group.map(sign)));
}

async function payIn(slot: bigint, amount = '10000'): Promise<PaymentPayload> {
  const accepted = { ...requirements, amount };
  const account = mandateWallet({ mandate, agent, takeSlot: () => slot });
  const client = new ExactAvmClient({ account, algod: () => algod });
  return { ...(await client.createPaymentPayload(2, accepted)), accepted };
}

it('stock settles payments of a mandate, refuses a taken slot, and settles nothing after the owner’s one transaction', async () => {
  const first = await payIn(1n);
  expect(await stock.verify(first, first.accepted)).toMatchObject({ isValid: true, payer: mandateAddress(mandate) });
  expect(await stock.settle(first, first.accepted)).toMatchObject({ success: true });
  const again = await payIn(1n);
  expect(await stock.verify(again, again.accepted)).toMatchObject({
    isValid: false,
    invalidMessage: expect.stringContaining('overlapping lease'),
  });
  const outside = await payIn(3n);
  expect(await stock.verify(outside, outside.accepted)).toMatchObject({ isValid: false });
  const late = await payIn(2n);
  expect(await stock.verify(late, late.accepted)).toMatchObject({ isValid: true });
  await send(endMandateGroup(mandate, await terms()));
  expect(await stock.settle(late, late.accepted)).toMatchObject({ success: false });
  expect(node.balance(mandateAddress(mandate)).assets.size).toBe(0);
});
