import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { environment, node, owner, stop, till } from './chain.ts';

// The seller listens at any free port, and the buyer learns which.
Object.assign(process.env, environment, { PORT: '0' });
const { listener } = await import('./seller.ts');
if (!listener.listening) await once(listener, 'listening');
const { port } = Object(listener.address());
process.env['PORT'] = String(port);

after(async () => {
  listener.close();
  await stop();
});

const CENT = 10_000n;
const usdc = (address = '') => node.balance(address).assets.get(10_458_941n) ?? 0n;

test('a joke costs a cent, which the contract keeps until its owner takes it', async () => {
  const unpaid = await fetch(`http://127.0.0.1:${port}/joke`);
  assert.equal(unpaid.status, 402);
  const { joke, response } = await import('./buyer.ts');
  assert.equal(response.status, 200);
  assert.deepEqual(joke, { joke: 'to get to the other side' });
  assert.equal(usdc(till.address), CENT);
  const before = usdc(owner.address);
  await assert.rejects(till.takeOut(CENT + 1n), /underflow/);
  await till.takeOut(CENT);
  assert.equal(usdc(till.address), 0n);
  assert.equal(usdc(owner.address), before + CENT);
});
