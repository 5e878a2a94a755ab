import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { environment, node, stop } from './chain.ts';

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

test('a joke costs a cent', async () => {
  const unpaid = await fetch(`http://127.0.0.1:${port}/joke`);
  assert.equal(unpaid.status, 402);
  const usdc = () => node.balance(environment.AVM_ADDRESS).assets.get(10_458_941n) ?? 0n;
  const before = usdc();
  const { joke, response } = await import('./buyer.ts');
  assert.equal(response.status, 200);
  assert.deepEqual(joke, { joke: 'to get to the other side' });
  assert.equal(usdc(), before + 10_000n);
});
