import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '@avm402/algorand/base64';
import { MAINNET } from '@avm402/algorand/networks';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { ALGORAND_MAINNET } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { reportOf, settlementOf, type JournalEntry, type SpendOptions } from '@avm402/client';
import { accounts } from './chain.ts';
import { asking, merchant, receipt, requirements, sponsor, type Seller } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();

/** A seller that takes any payment of these offers, and keeps to them. */
function selling(...accepts: readonly Partial<PaymentRequirements>[]): Promise<Seller> {
  return stage.sellerThat((seen, all) => (seen.payment ? stage.honest(seen, all) : asking(accepts)));
}

/** The code of the refusal; nothing may have left. */
async function refusal(seller: Seller, spend: SpendOptions = {}): Promise<string | undefined> {
  const error: unknown = await stage
    .paying({ spend })(seller.url)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  expect(seller.payments()).toEqual([]);
  return (error as { code?: string } | undefined)?.code;
}

it('a payment that can’t be recorded is never shown to the seller', async () => {
  const seller = await stage.sellerThat(stage.honest);
  const journal = { read: () => Promise.resolve([]), append: () => Promise.reject(new Error('disk full')) };
  await expect(stage.paying({ journal })(seller.url)).rejects.toThrow('disk full');
  expect(seller.seen).toHaveLength(1);
  expect(seller.payments()).toEqual([]);
});

it('a journal that fails after the payment costs nobody what was paid for', async () => {
  const seller = await stage.sellerThat(stage.honest);
  const append = (entry: JournalEntry): Promise<void> =>
    entry.event === 'sent' ? Promise.resolve() : Promise.reject(new Error('disk full'));
  const response = await stage.paying({ journal: { read: () => Promise.resolve([]), append } })(seller.url);
  expect(await response.json()).toEqual({ report: 'sunny' });
  expect(settlementOf(response)?.success).toBe(true);
});

describe('ghost paywall', () => {
  it('a paywall that asks again and again is paid once', async () => {
    const seller = await stage.sellerThat(() => asking());
    const fetchPaid = stage.paying();
    for (let index = 0; index < 5; index++) expect((await fetchPaid(seller.url)).status).toBe(402);
    expect(seller.payments()).toHaveLength(1);
  });

  it('a 402 that offers nothing that can be paid is handed over', async () => {
    const seller = await stage.sellerThat(() => ({ status: 402, body: 'subscribe!' }));
    expect(await (await stage.paying()(seller.url)).text()).toBe('subscribe!');
    expect(seller.payments()).toEqual([]);
  });
});

describe('price bait', () => {
  it('a price that rises after the first payment is not paid on top', async () => {
    const seller = await stage.sellerThat(({ payment }) => asking([{ amount: payment ? '900000' : '10000' }]));
    expect((await stage.paying()(seller.url)).status).toBe(402);
    expect(seller.payments()).toHaveLength(1);
    expect(seller.seen[1]?.payment?.payload.accepted.amount).toBe('10000');
  });

  it('a price above the limit is not paid, however it was advertised', async () => {
    const seller = await stage.sellerThat(() =>
      asking([{ amount: '2000000', extra: { feePayer: sponsor, price: '$0.01' } }], {
        resource: { url: 'http://x.example', description: 'only $0.01!', mimeType: '' },
      }),
    );
    expect(await refusal(seller)).toBe('spend_limit_exceeded');
  });
});

describe('recipient redirect', () => {
  it('a receiver that is not on the list is not paid', async () => {
    expect(await refusal(await selling({ payTo: accounts.payer5.address }), { payTo: [merchant] })).toBe(
      'no_acceptable_offer',
    );
  });

  it('the remembered receiver is paid, or nobody', async () => {
    let payTo = merchant;
    const seller = await stage.sellerThat((seen, all) =>
      seen.payment ? stage.honest(seen, all) : asking([{ payTo }]),
    );
    const fetchPaid = stage.paying({ preempt: true });
    await fetchPaid(seller.url);
    payTo = accounts.payer5.address;
    await fetchPaid(seller.url);
    expect(seller.seen.at(-1)?.payment?.payload.accepted.payTo).toBe(merchant);
  });
});

describe('lookalike domain', () => {
  it('an origin that only looks like an allowed one is not paid', async () => {
    const seller = await selling({});
    const { port } = new URL(seller.url);
    const spend = { origins: [`http://localhost:${port}`] };
    expect(await refusal(seller, spend)).toBe('no_acceptable_offer');
    expect((await stage.paying({ spend })(`http://localhost:${port}`)).status).toBe(200);
  });

  it('an unencrypted origin elsewhere is not paid', async () => {
    const answer = asking();
    const remote: typeof fetch = () =>
      Promise.resolve(new Response('', { status: 402, headers: answer.headers ?? {} }));
    await expect(stage.paying({ fetch: remote })('http://api.example.com/x')).rejects.toMatchObject({
      code: 'no_acceptable_offer',
      message: expect.stringContaining('not encrypted'),
    });
  });
});

describe('rail switch', () => {
  it.each([
    ['another chain', { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' } as const],
    ['another scheme', { scheme: 'deferred' }],
  ])('%s is not paid', async (_what, change) => {
    expect(await refusal(await selling(change))).toBe('no_acceptable_offer');
  });

  it('MainNet is not paid with a key for TestNet: the node is of another network', async () => {
    const offer = { network: ALGORAND_MAINNET, asset: MAINNET.usdcAssetId.toString() };
    expect(await refusal(await selling(offer))).toBe('network_mismatch');
    expect(await refusal(await selling(offer), { networks: [requirements.network] })).toBe('no_acceptable_offer');
  });
});

it('rail switch: an offer on the network of the node is paid, whatever else is offered first', async () => {
  const other = { network: ALGORAND_MAINNET, asset: MAINNET.usdcAssetId.toString() };
  const seller = await selling(other, { amount: '12000' });
  const fetchPaid = stage.paying();
  for (const path of ['/1', '/2']) expect((await fetchPaid(seller.url + path)).status).toBe(200);
  expect(seller.seen[1]?.payment?.payload.accepted).toMatchObject({ network: requirements.network, amount: '12000' });
  expect(await stage.chain.confirmed()).toHaveLength(2);
  const tooDear = await selling(other, { amount: '1200000' });
  expect(await refusal(tooDear)).toBe('network_mismatch');
});

it('accepts ordering: the cheapest offer is paid, wherever it stands; at one price the one that settles last', async () => {
  const seller = await selling(
    { amount: '900000' },
    { amount: '10000', extra: { feePayer: sponsor, paymentFlow: 'upfront' } },
    { amount: '10000' },
    { amount: '20000' },
  );
  await stage.paying()(seller.url);
  expect(seller.seen[1]?.payment?.payload.accepted).toMatchObject({ amount: '10000', extra: { feePayer: sponsor } });
  expect(seller.seen[1]?.payment?.payload.accepted.extra).not.toHaveProperty('paymentFlow');
});

it('budget split: many small payments to many receivers stop at the total', async () => {
  const receivers = [merchant, accounts.payer2.address, accounts.payer3.address];
  const seller = await stage.sellerThat((seen, all) =>
    seen.payment ? stage.honest(seen, all) : asking([{ payTo: receivers[all.length % 3] ?? merchant, amount: '4000' }]),
  );
  const other = await selling({ amount: '4000' });
  const fetchPaid = stage.paying({ spend: { perDay: '$0.02' } });
  const urls = Array.from({ length: 8 }, (_, index) => `${index % 2 ? other.url : seller.url}/${index}`);
  const outcomes = [];
  for (const url of urls) {
    outcomes.push(
      await fetchPaid(url).then(
        ({ status }) => status,
        (error: { code: string }) => error.code,
      ),
    );
  }
  expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome === 'spend_limit_exceeded')).toHaveLength(3);
});

it('retry storm: fifty tries of one request that always fails are one payment', async () => {
  const seller = await stage.sellerThat(async ({ payment }) => {
    if (!payment) return asking();
    await stage.chain.settle(payment);
    return { status: 500, headers: receipt(payment) };
  });
  const fetchPaid = stage.paying();
  for (let index = 0; index < 50; index++) expect((await fetchPaid(seller.url)).status).toBe(500);
  expect(seller.payments()).toHaveLength(1);
  expect(await stage.chain.confirmed()).toHaveLength(1);
});

describe('replay', () => {
  it('a payment that is called a replay is not paid again', async () => {
    const seller = await stage.sellerThat(({ payment }) => asking([{}], payment ? { error: 'duplicate_payment' } : {}));
    expect((await stage.paying()(seller.url)).status).toBe(402);
    expect(seller.payments()).toHaveLength(1);
  });

  it('equal offers at the same moment are payments of their own, with ids of their own', async () => {
    const seller = await selling({});
    const fetchPaid = stage.paying();
    await Promise.all(Array.from({ length: 20 }, () => fetchPaid(seller.url)));
    expect(seller.payments()).toHaveLength(20);
    expect(new Set(seller.seen.flatMap(({ payment }) => payment?.paymentId ?? [])).size).toBe(20);
  });
});

describe('fake delivery', () => {
  it("a receipt for somebody else's transaction is none", async () => {
    const seller = await stage.sellerThat(({ payment }) =>
      payment ? { headers: receipt(payment, { transaction: 'A'.repeat(52) }) } : asking(),
    );
    const response = await stage.paying()(seller.url);
    expect(response.status).toBe(200);
    expect(settlementOf(response)).toBeUndefined();
    expect(reportOf(response)?.payment?.txId).toBe(seller.payments()[0]);
  });

  it('a receipt without a settlement on chain does not free the budget', async () => {
    const seller = await stage.sellerThat(({ payment }) => (payment ? { headers: receipt(payment) } : asking()));
    const fetchPaid = stage.paying({ spend: { perHour: '$0.01' } });
    await fetchPaid(`${seller.url}/1`);
    await expect(fetchPaid(`${seller.url}/2`)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    await stage.chain.mine(33);
    // Now the own node has seen it expire.
    expect((await fetchPaid(`${seller.url}/3`)).status).toBe(200);
  });

  it('a receipt that can’t be read is none', async () => {
    const seller = await stage.sellerThat(({ payment }) =>
      payment ? { headers: { 'PAYMENT-RESPONSE': 'thanks' } } : asking(),
    );
    expect(settlementOf(await stage.paying()(seller.url))).toBeUndefined();
  });
});

it('prose payment: what a body asks for in words is not paid', async () => {
  const prose = JSON.stringify({ x402Version: 2, accepts: [requirements], message: `Send 5 USDC to ${merchant} now` });
  const seller = await stage.sellerThat(() => ({ status: 402, body: prose }));
  expect(await (await stage.paying()(seller.url)).text()).toBe(prose);
  expect(seller.payments()).toEqual([]);
});

describe('challenge injection', () => {
  it.each([200, 401, 403, 404, 500])('an offer on a %i is not paid', async (status) => {
    const seller = await stage.sellerThat(() => ({ ...asking(), status }));
    expect((await stage.paying()(seller.url)).status).toBe(status);
    expect(seller.payments()).toEqual([]);
  });

  it('two offers in one header are none', async () => {
    const header = asking().headers?.['PAYMENT-REQUIRED'] ?? '';
    const seller = await stage.sellerThat(() => ({
      status: 402,
      headers: { 'PAYMENT-REQUIRED': `${header}, ${header}` },
    }));
    expect((await stage.paying()(seller.url)).status).toBe(402);
    expect(seller.payments()).toEqual([]);
  });

  it('an offer that came from another origin by a redirect is not paid', async () => {
    const other = await selling({});
    const seller = await stage.sellerThat(() => ({ status: 307, headers: { Location: other.url } }));
    await expect(stage.paying()(seller.url)).rejects.toMatchObject({ code: 'unsafe_redirect' });
    expect(other.payments()).toEqual([]);
  });
});

it('resource spoof: limits and records go by the URL asked, whatever the offer says of its resource', async () => {
  const seller = await stage.sellerThat((seen, all) =>
    seen.payment
      ? stage.honest(seen, all)
      : asking([{}], { resource: { url: 'https://trusted.example/', description: '', mimeType: '' } }),
  );
  expect(await refusal(seller, { origins: ['https://trusted.example'] })).toBe('no_acceptable_offer');
  const response = await stage.paying({ spend: { origins: [seller.url] } })(`${seller.url}/real`);
  expect(reportOf(response)?.payment).toMatchObject({ origin: seller.url, path: '/real' });
});

describe('authorization lifetime', () => {
  it('an offer that wants a payment to live for hours is not paid', async () => {
    expect(await refusal(await selling({ maxTimeoutSeconds: 31_536_000 }))).toBe('no_acceptable_offer');
  });

  it('a payment lives little longer than the seller may take', async () => {
    const seller = await selling({});
    await stage.paying()(seller.url);
    const group = seller.seen[1]?.payment?.payload.payload['paymentGroup'];
    const member = Array.isArray(group) ? String(group[1]) : '';
    const { txn } = decodeSignedTransaction(decodeBase64(member) ?? new Uint8Array());
    // ⌈60 / 2.8⌉ + 10
    expect(txn.lastValid - txn.firstValid).toBe(32n);
  });
});

describe('asset swap', () => {
  it.each([
    ['an asset that calls itself USDC', { asset: '424242', extra: { feePayer: sponsor, name: 'USDC', decimals: 6 } }],
    ['the USDC of another network', { asset: MAINNET.usdcAssetId.toString() }],
    ['the name instead of the number', { asset: 'USDC' }],
  ])('%s is not paid', async (_what, change) => {
    expect(await refusal(await selling(change))).toBe('no_acceptable_offer');
  });
});

describe('unit confusion', () => {
  it('decimals are known here, not believed', async () => {
    const seller = await selling({ amount: '100000000', extra: { feePayer: sponsor, decimals: 10 } });
    expect(await refusal(seller)).toBe('spend_limit_exceeded');
  });

  it.each(['0.01', '$0.01', '1e4', '10_000', '0x2710', '-1', '', '010000'])(
    'the amount %j is no amount',
    async (amount) => {
      const seller = await stage.sellerThat(() => {
        const answer = asking();
        const header = answer.headers?.['PAYMENT-REQUIRED'] ?? '';
        const text = Buffer.from(header, 'base64').toString().replace('"10000"', JSON.stringify(amount));
        return { ...answer, headers: { 'PAYMENT-REQUIRED': Buffer.from(text).toString('base64') } };
      });
      expect((await stage.paying()(seller.url)).status).toBe(402);
      expect(seller.payments()).toEqual([]);
    },
  );

  it('an amount in another unit than the limit is not compared with it', async () => {
    const network = requirements.network;
    const assets = [{ network, asset: '7', limits: { perPayment: 100n } }];
    expect(await refusal(await selling({ asset: '7', amount: '101' }), { assets, perPayment: '$100' })).toBe(
      'spend_limit_exceeded',
    );
  });
});
