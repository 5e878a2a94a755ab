import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChannelSeller } from '../../client/test/channels/channel-seller.ts';
import { openedMandate, settling } from '../../client/test/mandate/mandate-stage.ts';
import { asking, merchant } from '../../client/test/seller.ts';
import { payer, useStage } from '../../client/test/stage.ts';
import { call, useHosts } from './mcp-host.ts';
import { environmentOn } from './pay-on.ts';

const stage = useStage();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-mcp-'));
});
// Hooks after a test run in reverse order: the hosts have ended by then.
afterEach(() => rm(folder, { recursive: true }));

const startHost = useHosts(environmentOn(stage));

describe('the tools of avm402 mcp', () => {
  it('answer with objects of the schemas that they name, amounts as money', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const host = await startHost(['--per-day', '$0.05']);
    const { tools } = await host.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
    const request = { url: `${seller.url}/weather` };
    expect((await call(host, 'quote', request)).data).toMatchObject({
      chosen: { price: '$0.01', scheme: 'exact', payTo: merchant },
      others: [],
      refused: [],
    });
    const paid = await call(host, 'pay', request);
    const [txId] = seller.payments();
    expect(paid.data).toEqual({ status: 200, outcome: 'paid', price: '$0.01', transaction: txId });
    expect((await call(host, 'history')).data).toMatchObject({
      payments: [{ price: '$0.01', state: expect.any(String), url: request.url, txId, payTo: merchant }],
    });
    expect((await call(host, 'budget')).data).toMatchObject({
      nextPaymentAtMost: '$0.04',
      last24Hours: { spent: '$0.01', limit: '$0.05', left: '$0.04' },
      origins: [{ origin: seller.url, spent: '$0.01' }],
    });
    expect((await call(host, 'balance')).data).toMatchObject({
      address: payer.address,
      asset: { isOptedIn: true, amount: expect.stringMatching(/^\$\d+(\.\d+)?$/) },
    });
  });

  it('say what an agent can do about an error, not what only a person can', async () => {
    const dear = await stage.sellerThat(() => asking([{ amount: '5000000' }]));
    const free = await stage.sellerThat(() => ({}));
    const host = await startHost();
    const refused = await call(host, 'pay', { url: dear.url });
    expect(refused.text).toContain('Only the person who runs this server can raise a limit');
    expect(refused.text).not.toContain('Raise the limit if');
    expect((await call(host, 'quote', { url: dear.url })).data).toMatchObject({
      refused: [{ price: '$5', reason: expect.stringContaining('limit of $1') }],
    });
    expect((await call(host, 'quote', { url: free.url })).text).toContain('It is free: call pay');
    expect((await call(host, 'pay', { url: free.url })).data).toMatchObject({ status: 200, outcome: 'free' });
  });

  it('say why an offer can’t be read, and how maxPrice is written', async () => {
    const { url } = await stage.sellerThat(() => ({ status: 402, headers: { 'PAYMENT-REQUIRED': '!' } }));
    const host = await startHost();
    const { data, text } = await call(host, 'pay', { url });
    expect({ data, text }).toMatchObject({
      data: { outcome: 'not_paid' },
      text: expect.stringContaining('invalid_payment_required: '),
    });
    for (const maxPrice of ['-1', '0', '0.00000001']) {
      expect((await call(host, 'pay', { url, maxPrice })).text).toContain('Write maxPrice as dollars');
    }
  });

  it("keep a seller's text on one line, and show nothing invisible of it", async () => {
    const evil = 'a\u001B[2J\u202E\nsettlement  FORGED';
    const seller = await stage.sellerThat(() => asking([{ scheme: evil }]));
    const { data } = await call(await startHost(), 'quote', { url: seller.url });
    expect(JSON.stringify(data)).toContain('a[2J settlement  FORGED');
  });
});

describe('avm402 mcp --channel', () => {
  it('pays through a channel, asks about the deposit and not the price, lists and closes it', async () => {
    const sold = new ChannelSeller(stage.chain);
    const { url } = await stage.sellerThat((seen, all) => sold.honest(seen, all));
    const asked: string[] = [];
    const host = await startHost(['--channel', '--channels', join(folder, 'channels')], (question) => {
      asked.push(question);
      return { action: 'accept', content: { pay: true } };
    });
    expect((await call(host, 'pay', { url })).data).toMatchObject({ outcome: 'paid', price: '$0.01', deposit: '$1' });
    expect((await call(host, 'pay', { url })).isError).toBe(false);
    expect(asked).toEqual([expect.stringMatching(/^Deposit \$1 at http/)]);
    const { data } = await call(host, 'channels');
    expect(data).toMatchObject({ channels: [{ deposited: '$1', charged: '$0.02', left: '$0.98', state: 'open' }] });
    const { channels } = data as { channels: { id: string }[] };
    const [{ id } = { id: '' }] = channels;
    expect((await call(host, 'close_channel', { id })).data).toEqual({ id, state: 'closed' });
    expect((await call(host, 'channels')).data).toEqual({ channels: [] });
  });

  it('does not call a request free whose voucher has no receipt', async () => {
    const sold = new ChannelSeller(stage.chain);
    const { url } = await stage.sellerThat(async (seen, all) => {
      const answer = await sold.honest(seen, all);
      return sold.came.length > 1 ? {} : answer;
    });
    const host = await startHost(['--channel', '--channels', join(folder, 'channels'), '--confirm-above', '$1']);
    expect((await call(host, 'pay', { url })).data).toMatchObject({ outcome: 'paid', deposit: '$1' });
    expect((await call(host, 'pay', { url })).data).toMatchObject({ status: 200, outcome: 'unknown' });
  });

  it('says not to pay again where a voucher has no receipt, and its answer breaks off', async () => {
    const sold = new ChannelSeller(stage.chain);
    const { url } = await stage.sellerThat(async (seen, all) => {
      const answer = await sold.honest(seen, all);
      return sold.came.length > 1 ? { cut: 'within' } : answer;
    });
    const host = await startHost(['--channel', '--channels', join(folder, 'channels'), '--confirm-above', '$1']);
    await call(host, 'pay', { url });
    expect((await call(host, 'pay', { url })).text).toContain('outcome of a voucher not yet known; do not pay again');
  });
});

describe('avm402 mcp --mandate', () => {
  it('pays with a key that can lose what the mandate allows, and tells what the chain will allow now', async () => {
    const mandate = await openedMandate(stage.chain);
    const file = join(folder, 'mandate.json');
    await writeFile(file, JSON.stringify(mandate));
    const seller = await stage.sellerThat(settling(stage.chain));
    const key = { AVM_MNEMONIC: '', AVM_PRIVATE_KEY: Buffer.alloc(32, 42).toString('base64') };
    const host = await startHost(['--mandate', file], undefined, key);
    expect(host.getInstructions()).toContain('The chain enforces at most $0.05 a payment and 2 payments in 500 rounds');
    const chain = async (): Promise<unknown> => (await call(host, 'budget')).data?.['chain'];
    expect(await chain()).toMatchObject({ payableNow: '$0.10', freeSlots: '2', slots: '2', held: '$1' });
    // The chain allows less than the limits of the server.
    expect((await call(host, 'budget')).data).toMatchObject({ nextPaymentAtMost: '$0.05' });
    for (let paid = 0; paid < 2; paid++) expect((await call(host, 'pay', { url: seller.url })).isError).toBe(false);
    expect(await chain()).toMatchObject({
      payableNow: '$0',
      freeSlots: '0',
      nextSlotAfter: expect.stringMatching(/UTC$/),
    });
    expect((await call(host, 'pay', { url: seller.url })).text).toMatch(
      /mandate_exhausted: .*\nThe chain allows nothing earlier: wait/,
    );
    expect((await call(host, 'balance')).data).toMatchObject({ address: mandate.address, asset: { amount: '$0.98' } });
    expect(seller.payments()).toHaveLength(2);
  });
});
