import { expect, test } from 'vitest';
import { type Contract, describeContract } from './stage.ts';

/** A box costs 2,500 microAlgos and 400 for each byte of its name and value. */
const boxCost = (name: string, text: string) =>
  2500n + 400n * BigInt('e_'.length + name.length + 32 + 8 + 2 + 2 + text.length);

describeContract('a register', (stage) => {
  const register = async (contract: Contract, name: string, text: string, deposit = boxCost(name, text)) =>
    contract.send.call({
      ...stage().call(stage().caller),
      method: 'register',
      args: [await stage().payment(contract, deposit), name, text],
    });
  const opened = () => stage().created('Register', 100_000n);

  test('keeps an entry in a box, which the client names for the call', async () => {
    const contract = await opened();
    const { return: entry } = await register(contract, 'ada', 'analyst');
    expect(entry).toMatchObject({ owner: stage().caller, text: 'analyst' });
    expect(Buffer.from(await contract.getBoxValue('e_ada')).toString('latin1')).toMatch(/analyst$/);
    const names = await contract.getBoxNames();
    expect(names.map(({ nameRaw }) => Buffer.from(nameRaw).toString('latin1'))).toEqual(['e_ada']);
    expect(await contract.state.global.getAll()).toMatchObject({ count: 1n });
  });

  test('takes exactly what the box costs', async () => {
    const contract = await opened();
    const cost = boxCost('bob', 'builder');
    await expect(register(contract, 'bob', 'builder', cost - 1n)).rejects.toThrow('does not cover the box');
    await register(contract, 'bob', 'builder', cost);
    await expect(register(contract, 'bob', 'again')).rejects.toThrow('the name is taken');
  });

  test('resizes a box, and gives its deposit back', async () => {
    const contract = await opened();
    await register(contract, 'eve', 'listener');
    await stage().fund(contract, 10_000n);
    await contract.send.call({
      ...stage().call(stage().caller),
      method: 'change',
      args: ['eve', 'a much longer text'],
    });
    const theft = contract.send.call({ ...stage().call(stage().other), method: 'change', args: ['eve', 'x'] });
    await expect(theft).rejects.toThrow('only its owner changes an entry');
    const before = stage().algos(stage().caller);
    const released = await contract.send.call({ ...stage().call(stage().caller, 1), method: 'release', args: ['eve'] });
    expect(released.return).toBe(boxCost('eve', 'a much longer text'));
    expect(stage().algos(stage().caller)).toBe(before + boxCost('eve', 'a much longer text') - 2000n);
    expect(await contract.getBoxNames()).toEqual([]);
  });

  test('finds both boxes of a call, and an account that only an argument names', async () => {
    const contract = await opened();
    await register(contract, 'one', 'text');
    await stage().fund(contract, 100_000n);
    await contract.send.call({ ...stage().call(stage().caller), method: 'copy_entry', args: ['one', 'two'] });
    const values = await contract.state.box.getMap('entries');
    expect(new Set(values.keys())).toEqual(new Set(['one', 'two']));
    const isOwner = await contract.send.call({ method: 'is_owner', args: [stage().caller, 'two'] });
    expect(isOwner.return).toBe(true);
    await expect(contract.send.call({ method: 'entry', args: ['nobody'] })).rejects.toThrow('no such name');
  });

  test('reads a box larger than one reference allows, as the client adds references', async () => {
    const contract = await opened();
    await stage().fund(contract, 3_000_000n);
    const kept = await contract.send.call({ ...stage().call(stage().caller), method: 'keep', args: [6000n] });
    expect(kept.return).toBe(6000n);
    const value = await contract.getBoxValue('log');
    expect(value).toHaveLength(6000);
    expect(Buffer.from(value).subarray(0, 5).toString()).toBe('begin');
  });

  test('needs references where the client is told to add none', async () => {
    const contract = await opened();
    const call = contract.send.call({
      ...stage().call(stage().caller),
      method: 'register',
      args: [await stage().payment(contract, 100_000n), 'mallory', 'x'],
      populateAppCallResources: false,
    });
    await expect(call).rejects.toThrow('invalid Box reference');
  });
});
