import { inspect } from 'node:util';
import { seedToMnemonic } from '@avm402/algorand/mnemonic';
import { x402Facilitator } from '@x402/core/facilitator';
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { Harness } from './harness.ts';
import { modelPayment } from './model-payment.ts';
import { sponsor, sponsorship } from './model-sponsor.ts';

const h = new Harness();

describe('in process', () => {
  it('is a facilitator client of a stock resource server', async () => {
    const facilitator = h.create({ sponsorship });
    const server = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
    await server.initialize();
    const payment = modelPayment(h.chain);
    expect(server.getSupportedKind(2, payment.requirements.network, 'exact')).toMatchObject({
      extra: { feePayer: sponsor.address },
    });
    expect(await server.verifyPayment(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await server.settlePayment(payment.payload, payment.requirements)).toMatchObject({
      success: true,
      transaction: payment.txId,
    });
  });

  it('collects, through the one retry of a stock resource server, what was pending', async () => {
    h.chain.instant = false;
    const facilitator = h.create({ settleTimeoutMs: 100 });
    let calls = 0;
    const client: FacilitatorClient = {
      getSupported: () => facilitator.getSupported(),
      verify: (...parameters) => facilitator.verify(...parameters),
      settle: (...parameters) => {
        calls++;
        return facilitator.settle(...parameters);
      },
    };
    const server = new x402ResourceServer(client).register('algorand:*', new ExactAvmServer());
    await server.initialize();
    const payment = modelPayment(h.chain);
    const settled = server.settlePayment(payment.payload, payment.requirements);
    await eventually(() => calls === 2);
    h.chain.mine();
    expect(await settled).toMatchObject({ success: true, transaction: payment.txId });
  });

  it.each(['account', 'moreAccounts'])('refuses a secret as %s without showing it', (name) => {
    const secret = seedToMnemonic(new Uint8Array(32).fill(7));
    const given = { ...sponsorship, [name]: name === 'account' ? secret : [secret] };
    const error: unknown = (() => {
      try {
        return h.create({ sponsorship: given });
      } catch (refused) {
        return refused;
      }
    })();
    expect(error).toMatchObject({ code: 'invalid_key' });
    expect(inspect(error, { depth: 9 })).not.toContain(secret.slice(0, 20));
  });

  it('registers as a scheme of a stock facilitator, with the store in the path', async () => {
    const facilitator = h.create({ sponsorship });
    await facilitator.start();
    const stock = new x402Facilitator().register([...facilitator.networks], facilitator.scheme);
    const { kinds, ...others } = await facilitator.getSupported();
    const exact = kinds.filter(({ scheme }) => scheme === 'exact');
    expect({ kinds: exact, ...others }).toMatchObject(stock.getSupported());
    const payment = modelPayment(h.chain);
    expect(await stock.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await stock.settle(payment.payload, payment.requirements)).toMatchObject({ success: true });
    expect(await stock.settle(payment.payload, payment.requirements)).toMatchObject({
      errorReason: 'duplicate_settlement',
    });
    expect(await h.store.find(payment.txId)).toMatchObject({ state: 'confirmed' });
  });
});
