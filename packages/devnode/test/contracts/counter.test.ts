import { expect, test } from 'vitest';
import { appSpec, describeContract } from './stage.ts';

/** The source that a client shows for a failure: the client's pc tables do not fit programs with template variables. */
const stoppedAt = (line: string) => ({ stack: expect.stringMatching(new RegExp(`${line} <-+ Error`)) });

describeContract('a counter', (stage) => {
  const counter = (options = {}) =>
    stage().factory('Counter', { deployTimeParams: { STEP: 1 }, updatable: true, deletable: true, ...options });
  const created = async (limit: bigint, options = {}) => {
    const { appClient } = await counter(options).send.create({
      ...stage().call(stage().creator),
      method: 'create',
      args: [limit],
    });
    return appClient;
  };

  test('counts for all, and for who opted in', async () => {
    const { caller, other } = stage();
    const contract = await created(10n);
    const first = await contract.send.optIn({ ...stage().call(caller), method: 'increase', args: [2n] });
    expect(first.return).toBe(2n);
    const second = await contract.send.call({ ...stage().call(other), method: 'increase', args: [3n] });
    expect(second.return).toBe(5n);
    expect(await contract.state.global.getAll()).toMatchObject({ total: 5n, limit: 10n });
    expect(await contract.state.local(caller).getAll()).toMatchObject({ mine: 2n });
    const left = await contract.send.closeOut({ ...stage().call(caller), method: 'leave', args: [] });
    expect(left.return).toBe(2n);
    await expect(contract.state.local(caller).getAll()).rejects.toThrow();
  });

  test('logs an event and the return value of each call', async () => {
    const contract = await created(10n);
    const { confirmation } = await contract.send.call({
      ...stage().call(stage().caller),
      method: 'increase',
      args: [7n],
    });
    const logs = confirmation.logs?.map((log) => Buffer.from(log).toString('hex'));
    expect(logs).toEqual([expect.stringMatching(/^[0-9a-f]{88}$/), '151f7c750000000000000007']);
  });

  test('answers a method that only reads by simulation, without a block', async () => {
    const contract = await created(10n);
    const { round } = await stage().node.state();
    const greeting = await contract.send.call({ method: 'greeting', args: ['Ada'] });
    expect(greeting.return).toBe('Hello, Ada');
    expect(await stage().node.state()).toMatchObject({ round });
  });

  test('tells a failure by the line of the source', async () => {
    const contract = await created(10n);
    const beyond = contract.send.call({ ...stage().call(stage().caller), method: 'increase', args: [11n] });
    await expect(beyond).rejects.toMatchObject(stoppedAt('the counter is at its limit'));
  });

  test('deploys once, updates what changed, and replaces where that is asked', async () => {
    const name = `counter ${crypto.randomUUID()}`;
    const deploy = (step: number, options = {}) =>
      counter({ appName: name, deployTimeParams: { STEP: step } }).deploy({
        createParams: { method: 'create', args: [100n] },
        ...options,
      });
    const { result: first } = await deploy(1);
    expect(first.operationPerformed).toBe('create');
    const { result: same } = await deploy(1);
    expect(same.operationPerformed).toBe('nothing');
    await expect(deploy(2)).rejects.toThrow('onUpdate=Fail');
    const { result: updated, appClient } = await deploy(2, { onUpdate: 'update' });
    expect(updated.operationPerformed).toBe('update');
    expect(appClient.appId).toBe(first.appId);
    const double = await appClient.send.call({ ...stage().call(stage().caller), method: 'increase', args: [4n] });
    expect(double.return).toBe(8n);
    const { result: replaced } = await deploy(3, { onUpdate: 'replace' });
    expect(replaced.operationPerformed).toBe('replace');
    expect(replaced.appId).toBeGreaterThan(first.appId);
    const { result: appended } = await deploy(4, { onUpdate: 'append' });
    expect(appended.operationPerformed).toBe('create');
    expect(appended.appId).toBeGreaterThan(replaced.appId);
  });

  test('replaces a contract whose schema changes', async () => {
    const name = `counter ${crypto.randomUUID()}`;
    const deploy = (globalInts: number) =>
      counter({ appName: name }).deploy({
        createParams: {
          method: 'create',
          args: [100n],
          schema: { globalInts, globalByteSlices: 0, localInts: 1, localByteSlices: 0 },
        },
        onSchemaBreak: 'replace',
      });
    const { result: first } = await deploy(2);
    const { result: second } = await deploy(5);
    expect([first.operationPerformed, second.operationPerformed]).toEqual(['create', 'replace']);
  });

  test('neither changes nor goes away if it was deployed so', async () => {
    const contract = await created(10n, { updatable: false, deletable: false });
    const update = { deployTimeParams: { STEP: 2 }, updatable: true, deletable: true };
    await expect(contract.send.bare.update(update)).rejects.toMatchObject(stoppedAt('this counter stays as it is'));
    await expect(contract.send.bare.delete()).rejects.toMatchObject(stoppedAt('this counter stays'));
    const open = await created(10n);
    const theft = open.send.bare.delete(stage().call(stage().caller));
    await expect(theft).rejects.toMatchObject(stoppedAt('only its creator deletes a counter'));
    await open.send.bare.delete();
    await expect(open.state.global.getAll()).rejects.toThrow('application does not exist');
  });

  test('is found by its creator and name', async () => {
    const name = `counter ${crypto.randomUUID()}`;
    await counter({ appName: name }).deploy({ createParams: { method: 'create', args: [3n] } });
    const found = await stage().client.client.getAppClientByCreatorAndName({
      appSpec: appSpec('Counter'),
      creatorAddress: stage().creator,
      appName: name,
    });
    expect(await found.state.global.getAll()).toMatchObject({ limit: 3n });
  });
});
