import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { environment, node, stop } from './chain.ts';

const { PORT = '4026' } = process.env;
Object.assign(process.env, environment, { PORT });
const { listener } = await import('./seller.ts');

after(async () => {
  listener.close();
  await stop();
});

test('a joke costs a cent', async () => {
  const unpaid = await fetch(`http://127.0.0.1:${PORT}/joke`);
  assert.equal(unpaid.status, 402);
  const balance = () => node.balance(environment.AVM_ADDRESS).assets;
  const before = balance();
  const { joke, response } = await import('./buyer.ts');
  assert.equal(response.status, 200);
  assert.deepEqual(joke, { joke: 'to get to the other side' });
  assert.notDeepEqual(balance(), before);
});
