import { expect, test } from 'vitest';
import { appSpec, type Contract, describeContract } from './stage.ts';

describeContract('a factory of counters', (stage) => {
  const opened = () => stage().created('Factory', 2_000_000n);
  const call = async (factory: Contract, method: string, args: readonly (bigint | string)[], inner = 1) =>
    factory.send.call({ ...stage().call(stage().caller, inner), method, args: [...args] });
  const counterOf = (appId: bigint): Contract =>
    stage().client.client.getAppClientById({ appSpec: appSpec('Counter'), appId, defaultSender: stage().caller });

  test('creates an application by an inner transaction, which others call then', async () => {
    const factory = await opened();
    const made = await call(factory, 'make', [7n]);
    const appId = made.return as bigint;
    expect(made.confirmation.innerTxns).toHaveLength(1);
    const counter = counterOf(appId);
    const counted = await counter.send.call({ ...stage().call(stage().other), method: 'increase', args: [5n] });
    expect(counted.return).toBe(5n);
    expect(await counter.state.global.getAll()).toMatchObject({ total: 5n, limit: 7n });
    const { creator } = await stage().client.app.getById(appId);
    expect(creator.toString()).toBe(factory.appAddress.toString());
  });

  test('creates one and calls it twice in the same call', async () => {
    const factory = await opened();
    const counted = await call(factory, 'make_and_count', [3n], 3);
    expect(counted.return).toBe(6n);
    expect(counted.confirmation.innerTxns).toHaveLength(3);
    expect(counted.confirmation.innerTxns?.[2]?.logs).toHaveLength(2);
  });

  test('calls an application that is named by an argument only', async () => {
    const factory = await opened();
    const { return: appId } = await call(factory, 'make', [7n]);
    expect((await call(factory, 'count', [appId as bigint, 2n])).return).toBe(2n);
    const maker = await factory.send.call({ method: 'maker', args: [appId] });
    expect(maker.return).toBe(factory.appAddress.toString());
  });

  test('passes an inner failure on, and nothing of the call remains', async () => {
    const factory = await opened();
    const { return: appId } = await call(factory, 'make', [7n]);
    await expect(call(factory, 'count', [appId as bigint, 8n])).rejects.toThrow(
      /inner tx 0 failed: logic eval error: assert failed/,
    );
    expect(await counterOf(appId as bigint).state.global.getAll()).toMatchObject({ total: 0n });
    await expect(call(factory, 'make_and_count', [3n], 1)).rejects.toThrow(/group fee .* too small/);
  });

  test('deletes what it created', async () => {
    const factory = await opened();
    const { return: appId } = await call(factory, 'make', [7n]);
    const before = await stage().client.account.getInformation(factory.appAddress);
    await call(factory, 'delete', [appId as bigint]);
    const after = await stage().client.account.getInformation(factory.appAddress);
    expect(before.minBalance.microAlgo - after.minBalance.microAlgo).toBe(100_000n + 2n * 28_500n);
    await expect(counterOf(appId as bigint).state.global.getAll()).rejects.toThrow('application does not exist');
  });

  test('needs the deposit of what it creates', async () => {
    const poor = await stage().created('Factory', 100_000n);
    await expect(call(poor, 'make', [7n])).rejects.toThrow(/balance 100000 below min 257000/);
  });
});
