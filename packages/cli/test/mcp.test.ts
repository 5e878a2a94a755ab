import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { asking, type Answers } from '../../client/test/seller.ts';
import { payer, useStage } from '../../client/test/stage.ts';
import { asProgram, call, useHosts } from './mcp-host.ts';
import { environmentOn } from './pay-on.ts';
import { run } from './run.ts';

const stage = useStage();
const startHost = useHosts(environmentOn(stage));
const startProgram = useHosts(environmentOn(stage), asProgram);

/** Asks for a price, settles and answers. */
const sellingFor =
  (amount: string): Answers =>
  async (seen, all) =>
    seen.payment ? stage.honest(seen, all) : asking([{ amount }]);

describe('avm402 mcp', () => {
  it('gives an agent five tools, quotes without paying, pays once a call, and remembers it', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const host = await startHost();
    const { tools } = await host.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['quote', true],
      ['pay', false],
      ['balance', true],
      ['budget', true],
      ['history', true],
    ]);
    expect(host.getInstructions()).toContain('at most $1 a payment, $5 a day');
    expect(host.getInstructions()).toContain('Above $0.10 a person is asked.');
    const request = { url: `${seller.url}/weather` };
    expect(await call(host, 'quote', request)).toMatchObject({
      isError: false,
      text: expect.stringContaining('$0.01'),
    });
    expect(seller.payments()).toEqual([]);
    const paid = await call(host, 'pay', request);
    expect(paid).toMatchObject({ isError: false, text: expect.stringContaining('{"report":"sunny"}') });
    const [txId = ''] = seller.payments();
    expect(paid.text).toContain(`settlement  ${txId} confirmed`);
    expect(await stage.chain.confirmed()).toEqual([txId]);
    const history: unknown = JSON.parse((await call(host, 'history')).text);
    expect(history).toMatchObject({ payments: [{ txId, price: '$0.01', url: `${seller.url}/weather` }] });
    expect(JSON.parse((await call(host, 'balance')).text)).toMatchObject({ address: payer.address });
  });

  it("can't be talked into more than a payment's or the day's limit", async () => {
    const [cheap, dear] = [await stage.sellerThat(stage.honest), await stage.sellerThat(sellingFor('20000'))];
    const host = await startHost(['--max', '$0.01', '--per-day', '$0.01']);
    expect(host.getInstructions()).toContain('No price within these limits needs a person');
    expect(host.getInstructions()).not.toContain('Above $0.10');
    const refused = await call(host, 'pay', { url: dear.url });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('spend_limit_exceeded') });
    expect((await call(host, 'pay', { url: cheap.url })).isError).toBe(false);
    expect(await call(host, 'pay', { url: cheap.url })).toMatchObject({
      isError: true,
      text: expect.stringContaining('the spending of 24 hours would come to $0.02'),
    });
    expect(await stage.chain.confirmed()).toHaveLength(1);
  });

  it('keeps the budget when the host starts it again', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const first = await startProgram(['--per-day', '$0.01']);
    expect((await call(first, 'pay', { url: seller.url })).isError).toBe(false);
    await first.close();
    const second = await startProgram(['--per-day', '$0.01']);
    expect((await call(second, 'pay', { url: seller.url })).text).toContain('spend_limit_exceeded');
    expect(await stage.chain.confirmed()).toHaveLength(1);
  });

  it('sends the same payment again when a call failed after it left', async () => {
    let isBroken = true;
    const seller = await stage.sellerThat(async (seen, all) => {
      if (seen.payment && isBroken) return { status: 500 };
      return stage.honest(seen, all);
    });
    const host = await startHost();
    expect((await call(host, 'pay', { url: seller.url })).isError).toBe(true);
    isBroken = false;
    expect((await call(host, 'pay', { url: seller.url })).isError).toBe(false);
    expect(seller.payments()).toHaveLength(1);
  });

  it('asks the person above a limit, and pays what they accept', async () => {
    const seller = await stage.sellerThat(sellingFor('500000'));
    const answers: ElicitResult[] = [
      { action: 'accept', content: { pay: true } },
      { action: 'accept', content: { pay: false } },
      { action: 'decline' },
      { action: 'cancel' },
    ];
    const asked: string[] = [];
    const host = await startHost([], (question) => {
      asked.push(question);
      return answers[asked.length - 1] ?? { action: 'cancel' };
    });
    const outcomes = [];
    for (const _ of answers) outcomes.push(await call(host, 'pay', { url: seller.url }));
    expect(outcomes.map(({ isError }) => isError)).toEqual([false, true, true, true]);
    expect(asked).toHaveLength(4);
    expect(asked[0]).toContain(`Pay $0.50 to ${seller.url}`);
    expect(await stage.chain.confirmed()).toHaveLength(1);
  });

  it("refuses what it would have to ask about, with the reason, where the host can't ask", async () => {
    const seller = await stage.sellerThat(sellingFor('500000'));
    const host = await startHost();
    const refused = await call(host, 'pay', { url: seller.url });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(
      "offer_declined: $0.50 is above $0.10, for which a person is asked, and this host can't",
    );
    expect(seller.payments()).toEqual([]);
  });

  it('pays only the origins that it was given, and asks the others without paying', async () => {
    const [one, other] = [await stage.sellerThat(stage.honest), await stage.sellerThat(stage.honest)];
    const free = await stage.sellerThat(() => ({ body: 'free' }));
    const host = await startHost(['--origin', one.url]);
    expect((await call(host, 'pay', { url: other.url })).text).toContain('is not among the allowed origins');
    expect(other.payments()).toEqual([]);
    expect((await call(host, 'pay', { url: free.url })).text).toContain('free');
    expect((await call(host, 'pay', { url: one.url })).isError).toBe(false);
  });

  it('tells errors as results: no URL, no server, no payment asked for', async () => {
    const free = await stage.sellerThat(() => ({ body: 'free' }));
    const host = await startHost();
    expect((await call(host, 'pay', { url: 'nonsense' })).text).toContain('not an http or https URL');
    expect(await call(host, 'pay', { url: free.url })).toMatchObject({
      isError: false,
      text: expect.stringContaining('free'),
    });
    expect((await call(host, 'quote', { url: free.url })).text).toContain('asks for no payment');
    await free.stop();
    expect((await call(host, 'pay', { url: free.url })).text).toContain('request_failed');
  });

  it('needs a journal', async () => {
    expect(await run(['mcp'], { environment: environmentOn(stage)() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--journal FILE is missing'),
    });
  });
});
