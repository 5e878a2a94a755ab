import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { createSeller } from '../src/index.ts';
import { merchant, pay, withPayment } from './support/payments.ts';
import { facilitator, listen, offerAt, offerIn, resources, route } from './support/shop.ts';

const LONG = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';
const OTHER_SPELLING = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9_cOUJOiI=';
const terms = { price: '$0.01', payTo: merchant };

async function sellerOn(...networks: string[]) {
  return createSeller({ server: resources(await facilitator({ networks })), onEvent: () => undefined });
}

describe('a seller', () => {
  it('knows a payment in each of its handlers, however they were made', async () => {
    const stub = await facilitator();
    const seller = createSeller({ server: resources(stub), onEvent: () => undefined });
    const app = express().use(seller.middleware({ 'GET /table': route }));
    app.get('/single', seller.paid(route));
    app.use((_request, response) => void response.send('goods'));
    const url = await listen(app);
    const headers = withPayment(pay(await offerAt(`${url}/table`)));
    const answers = [await fetch(`${url}/table`, { headers }), await fetch(`${url}/single`, { headers })];
    expect(answers.map(({ status }) => status)).toEqual([200, 402]);
    expect(answers[1] && offerIn(answers[1]).error).toBe('duplicate_payment');
    expect([stub.verifies().length, stub.settles().length]).toEqual([1, 1]);
  });

  it('offers the one network that the facilitator serves, in each of its spellings, the long one first', async () => {
    const offers = await (await sellerOn(ALGORAND_TESTNET, LONG, 'eip155:84532')).accepts(terms);
    expect(offers).toEqual([LONG, ALGORAND_TESTNET].map((network) => ({ ...terms, scheme: 'exact', network })));
  });

  it.each([
    ['long', LONG],
    ['short', ALGORAND_TESTNET],
  ] as const)('offers the network in its %s spelling alone, if it is told to', async (spelling, network) => {
    const offers = await (await sellerOn(ALGORAND_TESTNET, LONG)).accepts({ ...terms, spelling });
    expect(offers).toEqual([{ ...terms, scheme: 'exact', network }]);
  });

  it('offers the network that it is told, as the facilitator spells it', async () => {
    const seller = await sellerOn(ALGORAND_MAINNET, ALGORAND_TESTNET);
    const offers = await seller.accepts({ ...terms, network: OTHER_SPELLING });
    expect(offers.map(({ network }) => network)).toEqual([ALGORAND_TESTNET]);
  });

  it.each([
    ['serves several networks', [ALGORAND_MAINNET, ALGORAND_TESTNET], undefined, ALGORAND_MAINNET],
    ['serves none of Algorand’s', ['eip155:84532'], undefined, 'no Algorand network'],
    ['does not serve the one that is named', [ALGORAND_MAINNET], LONG, LONG],
  ] as const)('says so when the facilitator %s', async (_what, networks, network, told) => {
    const seller = await sellerOn(...networks);
    await expect(seller.accepts({ ...terms, network })).rejects.toMatchObject({
      code: 'unsupported_network',
      message: expect.stringContaining(told),
    });
  });

  it('offers the schemes that it is told, as far as the facilitator serves them; channels in the short spelling alone', async () => {
    const stub = await facilitator();
    const kind = (scheme: string, network: string) => ({ x402Version: 2, scheme, network, extra: {} });
    const schemes = ['exact', 'batch-settlement'] as const;
    const offered = async (kinds: readonly object[]) => {
      stub.onSupported = () => ({ status: 200, body: { kinds, extensions: [], signers: {} } });
      const seller = createSeller({ server: resources(stub), onEvent: () => undefined });
      return (await seller.accepts({ ...terms, schemes })).map(({ scheme, network }) => [scheme, network]);
    };
    const exact = [kind('exact', LONG), kind('exact', ALGORAND_TESTNET)];
    const channels = [kind('batch-settlement', LONG), kind('batch-settlement', ALGORAND_TESTNET)];
    expect(await offered([...exact, ...channels])).toEqual([
      ['exact', LONG],
      ['exact', ALGORAND_TESTNET],
      ['batch-settlement', ALGORAND_TESTNET],
    ]);
    expect(await offered(exact)).toEqual([
      ['exact', LONG],
      ['exact', ALGORAND_TESTNET],
    ]);
  });

  it('waits a while for a facilitator that is just being started', async () => {
    const stub = await facilitator();
    let asked = 0;
    stub.onSupported = () => (++asked < 2 ? { status: 503, body: {} } : undefined);
    const seller = createSeller({ server: resources(stub), onEvent: () => undefined });
    expect((await seller.accepts(terms)).map(({ network }) => network)).toEqual([ALGORAND_TESTNET]);
    expect(asked).toBe(2);
  });
});
