import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { encodePaymentSignatureHeader } from '@avm402/core/headers';
import { declarePaymentIdentifier } from '@avm402/core/payment-identifier';
import { parsePaymentPayload } from '@avm402/core/payment-payload';
import {
  createPayingCallTool,
  type PayingCallTool,
  type PayingCallToolOptions,
  type ToolCall,
} from '../../src/mcp/paying-call-tool.ts';
import { requirements, seenPayment, type SeenPayment } from '../seller.ts';
import { payer, useStage } from '../stage.ts';

const stage = useStage();
const CALL: ToolCall = { name: 'forecast', arguments: { city: 'Bern' } };

const text = (words: string, more: Partial<CallToolResult> = {}): CallToolResult => ({
  content: [{ type: 'text', text: words }],
  ...more,
});

const required = {
  x402Version: 2,
  resource: { url: 'mcp://tool/forecast' },
  accepts: [requirements],
  extensions: declarePaymentIdentifier(),
};
const asking = (): CallToolResult =>
  text(JSON.stringify(required), { isError: true, structuredContent: structuredClone(required) });

const receiptOf = ({ txId }: SeenPayment, more: object = {}): CallToolResult['_meta'] => ({
  'x402/payment-response': { success: true, transaction: txId, network: requirements.network, ...more },
});

type Answer = (payment: SeenPayment, attempt: number) => CallToolResult | Promise<CallToolResult>;

interface Played {
  readonly callTool: PayingCallTool;
  /** The payments that came, in order. */
  readonly payments: SeenPayment[];
}

/** A host whose server does what a test says with payments. */
function play(answer: Answer, offer = asking, more: Partial<PayingCallToolOptions> = {}): Played {
  const payments: SeenPayment[] = [];
  const host = {
    callTool: async ({ _meta }: ToolCall): Promise<CallToolResult> => {
      await setImmediate();
      const payment = _meta?.['x402/payment'];
      if (payment === undefined) return offer();
      const seen = seenPayment(encodePaymentSignatureHeader(parsePaymentPayload(payment)));
      payments.push(seen);
      return answer(seen, payments.length);
    },
  };
  const callTool = createPayingCallTool(host, {
    server: 'https://weather.example',
    account: payer,
    networks: { 'algorand:*': stage.chain.algod },
    spend: { perPayment: '$0.01', perDay: '$0.02' },
    recoverMs: 2_000,
    ...more,
  } as PayingCallToolOptions);
  return { callTool, payments };
}

const honest: Answer = async (payment) => {
  await stage.chain.settle(payment);
  return text('sunny', { _meta: receiptOf(payment) });
};

describe('a host that pays for tools', () => {
  it('pays once, and hands over the result with its receipt', async () => {
    const { callTool, payments } = play(honest);
    const result = await callTool(CALL);
    expect(result).toMatchObject({
      content: [{ text: 'sunny' }],
      _meta: receiptOf(payments[0] ?? ({} as SeenPayment)),
    });
    expect(await stage.chain.confirmed()).toEqual(payments.map(({ txId }) => txId));
  });

  it('reads an offer from the text, too', async () => {
    const { callTool, payments } = play(honest, () => text(JSON.stringify(required), { isError: true }));
    expect(await callTool(CALL)).toMatchObject({ content: [{ text: 'sunny' }] });
    expect(payments).toHaveLength(1);
  });

  it('keeps to its limits', async () => {
    const { callTool } = play(honest);
    await callTool(CALL);
    await callTool(CALL);
    await expect(callTool(CALL)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    expect(await stage.chain.confirmed()).toHaveLength(2);
  });

  it.each<[string, Answer]>([
    ['is lost', () => Promise.reject(new Error('connection closed'))],
    [
      'says that the outcome is not known',
      (payment) =>
        text('wait', {
          isError: true,
          _meta: receiptOf(payment, { success: false, errorReason: 'settlement_pending' }),
        }),
    ],
  ])('sends the same payment again when its answer %s', async (_what, first) => {
    const { callTool, payments } = play((payment, attempt) =>
      attempt === 1 ? first(payment, attempt) : honest(payment, attempt),
    );
    expect(await callTool(CALL)).toMatchObject({ content: [{ text: 'sunny' }] });
    expect(payments).toHaveLength(2);
    expect(payments[0]?.header).toBe(payments[1]?.header);
  });

  it('pays with the same payment at the next call after a tool has failed', async () => {
    const { callTool, payments } = play((payment, attempt) =>
      attempt === 1 ? text('no data', { isError: true }) : honest(payment, attempt),
    );
    expect(await callTool(CALL)).toMatchObject({ isError: true, content: [{ text: 'no data' }] });
    expect(await callTool(CALL)).toMatchObject({ content: [{ text: 'sunny' }] });
    expect(new Set(payments.map(({ txId }) => txId)).size).toBe(1);
  });

  it.each([
    ['an ordinary error', () => text('no such city', { isError: true })],
    ['what looks like an offer in a success', () => text(JSON.stringify(required))],
    ['an offer that can’t be read', () => text('{"x402Version":2,"accepts":7}', { isError: true })],
    ['nothing at all', () => ({ content: [] })],
  ])('pays nothing for %s', async (_what, offer) => {
    const { callTool, payments } = play(honest, offer);
    expect(await callTool(CALL)).toEqual(offer());
    expect(payments).toEqual([]);
  });
});

/** An offer of the forecast at another price. */
const offerOf = (amount: string): typeof required => ({ ...required, accepts: [{ ...requirements, amount }] });

describe('a hostile server of tools', () => {
  it('is not paid on top when it asks for more after it was paid', async () => {
    const again = offerOf('5000');
    const { callTool, payments } = play(() => text('', { isError: true, structuredContent: again }));
    for (let index = 0; index < 3; index++) expect((await callTool(CALL)).isError).toBe(true);
    expect(new Set(payments.map(({ txId }) => txId)).size).toBe(1);
  });

  it('is paid within the limits, whatever it says in words', async () => {
    const [cheap, dear] = [offerOf('10000'), offerOf('900000')];
    const lure = play(honest, () => text(JSON.stringify(cheap), { isError: true, structuredContent: dear }));
    await expect(lure.callTool(CALL)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    const fright = play(honest, () => text(JSON.stringify(dear), { isError: true, structuredContent: cheap }));
    await fright.callTool(CALL);
    expect([lure, fright].map(({ payments }) => payments.map(({ payload }) => payload.accepted.amount))).toEqual([
      [],
      ['10000'],
    ]);
  });

  it.each<[string, object]>([
    ['is for another payment', { transaction: 'A'.repeat(52) }],
    ['says that it failed', { success: false, errorReason: 'settlement_rejected' }],
  ])('does not free the budget by a receipt that %s', async (_what, lie) => {
    const { callTool, payments } = play((payment) => text('sunny', { _meta: receiptOf(payment, lie) }));
    const forecast = (city: string): Promise<CallToolResult> => callTool({ ...CALL, arguments: { city } });
    for (const city of ['Bern', 'Basel']) await forecast(city);
    await expect(forecast('Chur')).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
    expect(payments).toHaveLength(2);
  });

  it('is paid in its own name, whatever a tool is called', async () => {
    const origins: string[] = [];
    const server = 'https://weather.example/tools';
    const spend = { origins: ['https://weather.example'] };
    const { callTool } = play(honest, asking, { server, spend, onPayment: ({ origin }) => origins.push(origin) });
    const names = ['https://bank.example/pay', '//bank.example', '..', '\\\\bank.example', '@bank.example'];
    for (const name of names) await callTool({ name });
    expect(origins).toEqual(names.map(() => 'https://weather.example'));
  });
});
