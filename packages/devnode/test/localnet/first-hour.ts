// What one does with a LocalNet in the first hour, by AlgoKit utils alone: nothing in here knows of this node. Run with the module of a
// version and of its test fixtures as arguments; prints what came of each step as JSON.
import type * as Kit9 from 'algokit-utils-9';
import type * as Testing9 from 'algokit-utils-9/testing';

const [, , kitName = '', testingName = ''] = process.argv;
const kit = (await import(kitName)) as typeof Kit9;
const testing = (await import(testingName)) as typeof Testing9;
const { AlgorandClient, algo, microAlgo } = kit;
kit.Config.configure({ logger: kit.Config.getLogger(true) });

const algorand =
  process.env['ALGOD_SERVER'] === undefined ? AlgorandClient.defaultLocalNet() : AlgorandClient.fromEnvironment();
const { account, send, asset, client } = algorand;

const results: Record<string, unknown> = {};
const spendable = async (address: string): Promise<bigint> => (await account.getInformation(address)).balance.microAlgo;

await clients();
const dispenser = await dispensers();
const { alice, bob } = await accounts();
await payments();
await assets();
await groups();
await fixtures();
console.log(JSON.stringify(results, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));

async function clients(): Promise<void> {
  results['is LocalNet'] = await client.isLocalNet();
  results['genesis id'] = (await client.network()).genesisId;
}

async function dispensers() {
  const found = await account.localNetDispenser();
  const others = [
    await account.dispenserFromEnvironment(),
    await account.kmd.getLocalNetDispenserAccount(),
    await account.fromKmd(
      'unencrypted-default-wallet',
      ({ status, amount, balance }) => status !== 'Offline' && (amount ?? balance.microAlgo) > 1_000_000_000,
    ),
  ];
  results['dispenser'] = String(found.addr);
  results['dispenser by other ways'] = others.map(({ addr }) => String(addr));
  results['unknown wallet'] = (await account.kmd.getWalletAccount('nobody'))?.addr ?? 'none';
  return found;
}

async function accounts() {
  const first = await account.fromEnvironment('ALICE');
  const again = await account.fromEnvironment('ALICE');
  const second = await account.kmd.getOrCreateWalletAccount('BOB', algo(50));
  account.setSignerFromAccount(second);
  results['an account of the environment has'] = await spendable(String(first.addr));
  results['is found again'] = String(again.addr) === String(first.addr);
  results['a wallet account has'] = await spendable(String(second.addr));
  const random = account.random();
  await account.ensureFunded(random.addr, dispenser.addr, algo(2));
  results['a funded random account has'] = await spendable(String(random.addr));
  await account.ensureFundedFromEnvironment(random.addr, algo(3));
  results['and then'] = await spendable(String(random.addr));
  return { alice: first, bob: second };
}

async function payments(): Promise<void> {
  const before = await spendable(String(bob.addr));
  const { txIds } = await send.payment({ sender: alice.addr, receiver: bob.addr, amount: algo(1), note: 'first' });
  results['a payment brings'] = (await spendable(String(bob.addr))) - before;
  results['payments'] = txIds.length;
  const rekeyed = account.random();
  await account.ensureFunded(rekeyed.addr, dispenser.addr, algo(1));
  await account.rekeyAccount(String(rekeyed.addr), alice);
  const { confirmation } = await send.payment({
    sender: String(rekeyed.addr),
    receiver: bob.addr,
    amount: microAlgo(1),
  });
  results['a rekeyed account pays'] = (confirmation.confirmedRound ?? 0n) > 0n;
}

async function assets(): Promise<void> {
  const roles = { manager: alice.addr, reserve: alice.addr, freeze: alice.addr, clawback: alice.addr };
  const made = { total: 1000n, decimals: 0, assetName: 'First hour', unitName: 'HOUR' };
  const { assetId } = await send.assetCreate({ sender: alice.addr, ...made, ...roles });
  await send.assetOptIn({ sender: bob.addr, assetId });
  await send.assetTransfer({ sender: alice.addr, receiver: bob.addr, assetId, amount: 40n });
  const target = { account: bob.addr, freezeTarget: bob.addr };
  await send.assetFreeze({ sender: alice.addr, assetId, frozen: true, ...target });
  const { balance, frozen } = await asset.getAccountInformation(String(bob.addr), assetId);
  results['a holding'] = { balance, frozen };
  results['an asset'] = (await asset.getById(assetId)).assetName;
  const other = await send.assetCreate({ sender: alice.addr, ...made, ...roles, note: 'another' });
  await asset.bulkOptIn(String(bob.addr), [other.assetId]);
  await asset.bulkOptOut(String(bob.addr), [other.assetId]);
  await send.assetDestroy({ sender: alice.addr, assetId: other.assetId });
  results['a destroyed asset'] = await asset.getById(other.assetId).catch(() => 'is gone');
}

async function groups(): Promise<void> {
  const pay = (amount: number) => ({ sender: alice.addr, receiver: bob.addr, amount: microAlgo(amount) });
  const { txIds } = await algorand.newGroup().addPayment(pay(11)).addPayment(pay(12)).send();
  results['members of a group'] = txIds.length;
  const simulated = await algorand.newGroup().addPayment(pay(13)).simulate({ skipSignatures: true });
  results['simulated'] = simulated.confirmations.length;
  results['a refusal'] = await send
    .payment(pay(10 ** 15))
    .catch((error: unknown) => /overspend/.exec(String(error))?.[0]);
}

async function fixtures(): Promise<void> {
  const fixture = testing.algorandFixture();
  await fixture.newScope();
  const { testAccount, generateAccount, waitForIndexer, waitForIndexerTransaction } = fixture.context;
  const generated = await generateAccount({ initialFunds: algo(5), suppressLog: true });
  const { txIds } = await fixture.algorand.send.payment({
    sender: testAccount.addr,
    receiver: generated.addr,
    amount: algo(1),
  });
  await waitForIndexer();
  const { transaction } = await waitForIndexerTransaction(txIds[0] ?? '');
  results['found by the indexer'] = transaction.id === txIds[0];
  results['a generated account has'] = await spendable(String(generated.addr));
}
