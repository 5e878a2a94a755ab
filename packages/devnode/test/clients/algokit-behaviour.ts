// What AlgoKit utils does with a LocalNet, against the node. Versions 9 and 10 share these calls; where they differ, the caller says how.
import type { AlgorandClient } from 'algokit-utils-9';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

export interface AlgokitVersion {
  readonly version: string;
  createClient(node: Devnode): AlgorandClient;
  /** A multisig account of these random accounts, two of which sign. */
  multisig(client: AlgorandClient, members: readonly RandomAccount[]): { readonly addr: { toString(): string } };
  microAlgos(amount: bigint): AlgoAmount;
}

type RandomAccount = ReturnType<AlgorandClient['account']['random']>;
export type AlgoAmount = Parameters<AlgorandClient['send']['payment']>[0]['amount'];

const USDC = 10_458_941n;

export function describeAlgokit(kit: AlgokitVersion): void {
  describe(`AlgoKit utils ${kit.version}`, () => {
    let node: Devnode;
    let client: AlgorandClient;
    let payer: string;
    let merchant: string;

    beforeAll(async () => {
      node = await startDevnode({ port: 0 });
      client = kit.createClient(node);
      payer = node.accounts.payer.address;
      merchant = node.accounts.merchant.address;
      client.account.fromMnemonic(node.accounts.payer.mnemonic);
      client.account.fromMnemonic(node.accounts.merchant.mnemonic);
    });
    afterAll(() => node.stop());

    const funded = async (microAlgos = 5_000_000n): Promise<RandomAccount> => {
      const account = client.account.random();
      await node.fund(account.addr.toString(), microAlgos);
      return account;
    };

    const createAsset = async (creator: RandomAccount): Promise<bigint> => {
      const roles = { manager: creator.addr, reserve: creator.addr, freeze: creator.addr, clawback: creator.addr };
      const created = await client.send.assetCreate({
        sender: creator.addr,
        total: 1000n,
        decimals: 2,
        assetName: 'Kit',
        unitName: 'KIT',
        ...roles,
      });
      return created.assetId;
    };

    test('takes the node for a LocalNet', async () => {
      expect(await client.client.network()).toMatchObject({ isLocalNet: true, genesisId: 'dockernet-v1' });
    });

    test('pays and reads the account back', async () => {
      const before = await client.account.getInformation(merchant);
      const { confirmation } = await client.send.payment({
        sender: payer,
        receiver: merchant,
        amount: kit.microAlgos(321n),
      });
      expect(confirmation.confirmedRound).toBeGreaterThan(0n);
      const after = await client.account.getInformation(merchant);
      expect(after.balance.microAlgo - before.balance.microAlgo).toBe(321n);
    });

    test('pays from the account of a program, as far as the program allows', async () => {
      // txn Amount; pushint 1000; <=
      const allowance = client.account.logicsig(Buffer.from('06310881e8070e', 'hex'));
      await node.fund(allowance.addr.toString(), 1_000_000n);
      const pay = (amount: bigint) =>
        client.send.payment({ sender: allowance.addr, receiver: merchant, amount: kit.microAlgos(amount) });
      const { confirmation } = await pay(1000n);
      expect(confirmation.confirmedRound).toBeGreaterThan(0n);
      await expect(pay(1001n)).rejects.toThrow('rejected by logic');
    });

    test('assembles a program, whose account then pays, and shows where its instructions come from', async () => {
      const source = '#pragma version 10\n// at most 1000\ntxn Amount\nint 1000\n<=\n';
      const compiled = await client.app.compileTeal(source);
      expect(Buffer.from(compiled.compiledBase64ToBytes).toString('hex')).toBe('0a310881e8070e');
      expect(compiled.sourceMap.getLocationForPc(3)).toMatchObject({ line: 3, column: 0 });
      const allowance = client.account.logicsig(compiled.compiledBase64ToBytes);
      expect(allowance.addr.toString()).toBe(compiled.compiledHash);
      await node.fund(allowance.addr.toString(), 1_000_000n);
      const payment = { sender: allowance.addr, receiver: merchant, amount: kit.microAlgos(999n) };
      expect((await client.send.payment(payment)).confirmation.confirmedRound).toBeGreaterThan(0n);
      await expect(client.app.compileTeal('foo')).rejects.toThrow('1: unknown opcode: foo');
    });

    test('funds an account up to what it must be able to spend', async () => {
      const account = client.account.random();
      await client.account.ensureFunded(account.addr, payer, kit.microAlgos(1_000_000n));
      expect((await client.account.getInformation(account.addr)).balance.microAlgo).toBe(1_100_000n);
    });

    test('creates an asset, opts in, transfers, freezes, claws back, opts out and destroys it', async () => {
      const creator = await funded();
      const holder = await funded();
      const assetId = await createAsset(creator);
      expect(await client.asset.getById(assetId)).toMatchObject({ total: 1000n, decimals: 2, assetName: 'Kit' });
      await client.send.assetOptIn({ sender: holder.addr, assetId });
      await client.send.assetTransfer({ sender: creator.addr, receiver: holder.addr, assetId, amount: 40n });
      await freeze(client, { sender: creator, assetId, holder, frozen: true });
      expect(await client.asset.getAccountInformation(holder.addr, assetId)).toMatchObject({
        balance: 40n,
        frozen: true,
      });
      const give = { sender: holder.addr, receiver: creator.addr, assetId, amount: 1n };
      await expect(client.send.assetTransfer(give)).rejects.toThrow('frozen');
      await client.send.assetTransfer({
        sender: creator.addr,
        receiver: creator.addr,
        assetId,
        amount: 40n,
        clawbackTarget: holder.addr,
      });
      await freeze(client, { sender: creator, assetId, holder, frozen: false });
      await client.send.assetOptOut({ sender: holder.addr, assetId, creator: creator.addr, ensureZeroBalance: true });
      await client.send.assetDestroy({ sender: creator.addr, assetId });
      await expect(client.asset.getById(assetId)).rejects.toThrow('asset does not exist');
    });

    test('opts in to several assets at once', async () => {
      const creator = await funded();
      const holder = await funded();
      const ids = [await createAsset(creator), USDC];
      const result = await client.asset.bulkOptIn(holder.addr, ids);
      expect(new Set(result.map(({ assetId }) => assetId))).toEqual(new Set(ids));
      expect(node.balance(holder.addr.toString()).assets.size).toBe(2);
    });

    test('closes an account', async () => {
      const account = await funded(1_000_000n);
      await client.send.payment({
        sender: account.addr,
        receiver: merchant,
        amount: kit.microAlgos(0n),
        closeRemainderTo: merchant,
      });
      expect(node.balance(account.addr.toString()).microAlgos).toBe(0n);
    });

    test('rekeys an account and pays with the new key', async () => {
      const account = await funded(1_000_000n);
      const signer = client.account.random();
      await client.account.rekeyAccount(account.addr, signer);
      const paid = await client.send.payment({
        sender: account.addr.toString(),
        receiver: merchant,
        amount: kit.microAlgos(1n),
        signer: signer.signer,
      });
      expect(paid.confirmation.confirmedRound).toBeGreaterThan(0n);
    });

    test('pays from a multisig account', async () => {
      const members = [client.account.random(), client.account.random(), client.account.random()];
      const account = kit.multisig(client, members);
      await node.fund(account.addr.toString(), 1_000_000n);
      const paid = await client.send.payment({
        sender: account.addr.toString(),
        receiver: merchant,
        amount: kit.microAlgos(9n),
      });
      expect(paid.confirmation.confirmedRound).toBeGreaterThan(0n);
    });

    test('simulates a group, then sends it', async () => {
      const before = node.balance(merchant).assets.get(USDC) ?? 0n;
      const group = (): ReturnType<AlgorandClient['newGroup']> =>
        client
          .newGroup()
          .addPayment({ sender: payer, receiver: merchant, amount: kit.microAlgos(1n), note: crypto.randomUUID() })
          .addAssetTransfer({ sender: payer, receiver: merchant, assetId: USDC, amount: 5n });
      const { simulateResponse } = await group().simulate({ skipSignatures: true });
      expect(simulateResponse.txnGroups[0]?.failureMessage).toBeUndefined();
      expect(node.balance(merchant).assets.get(USDC)).toBe(before);
      const { confirmations } = await group().send();
      expect(confirmations).toHaveLength(2);
      expect(node.balance(merchant).assets.get(USDC)).toBe(before + 5n);
    });

    test('tells why a group is refused', async () => {
      const poor = await funded(200_000n);
      const payment = client.send.payment({
        sender: poor.addr,
        receiver: merchant,
        amount: kit.microAlgos(500_000n),
      });
      await expect(payment).rejects.toThrow(/overspend/);
    });
  });
}

interface Freezing {
  readonly sender: RandomAccount;
  readonly holder: RandomAccount;
  readonly assetId: bigint;
  readonly frozen: boolean;
}

/** The holder's parameter is `account` in version 9 and `freezeTarget` in version 10. */
async function freeze(client: AlgorandClient, { sender, holder, assetId, frozen }: Freezing): Promise<void> {
  const target = { account: holder.addr, freezeTarget: holder.addr };
  await client.send.assetFreeze({ sender: sender.addr, assetId, frozen, ...target });
}
