// The functions of AlgoKit utils 9 that came before its client, which older programs and tests still call.
import algosdk from 'algosdk';
import * as kit from 'algokit-utils-9';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

kit.Config.configure({ logger: kit.Config.getLogger(true) });

describe('the older functions of AlgoKit utils 9', () => {
  let node: Devnode;
  let algod: algosdk.Algodv2;
  let kmd: algosdk.Kmd;

  beforeAll(async () => {
    node = await startDevnode({ port: 0, kmdPort: 0 });
    const at = (url: string) => [node.token, new URL(url).origin.replace(/:\d+$/, ''), new URL(url).port] as const;
    algod = new algosdk.Algodv2(...at(node.url));
    kmd = new algosdk.Kmd(...at(node.kmdUrl ?? ''));
  });
  afterAll(() => node.stop());

  test('take the node for a LocalNet and find its dispenser', async () => {
    expect(await kit.isLocalNet(algod)).toBe(true);
    const { dispenser } = node.accounts;
    expect(String((await kit.getLocalNetDispenserAccount(algod, kmd)).addr)).toBe(dispenser.address);
    expect(String((await kit.getDispenserAccount(algod, kmd)).addr)).toBe(dispenser.address);
  });

  test('make an account in KMD, fund it, and find it again', async () => {
    const made = await kit.getOrCreateKmdWalletAccount({ name: 'OLD', fundWith: kit.algos(7) }, algod, kmd);
    expect(node.balance(String(made.addr)).microAlgos).toBe(7_000_000n);
    const found = await kit.mnemonicAccountFromEnvironment('OLD', algod, kmd);
    expect(String(found.addr)).toBe(String(made.addr));
    await kit.ensureFunded({ accountToFund: made, minSpendingBalance: kit.algos(9) }, algod, kmd);
    expect(node.balance(String(made.addr)).microAlgos).toBe(9_100_000n);
  });
});
