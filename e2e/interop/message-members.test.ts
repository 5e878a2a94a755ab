import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createPayer } from '@avm402/client';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import { BAZAAR } from '@avm402/core/discovery';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp, Discovery, createMemorySettlementStore } from '@avm402/facilitator';
import { createSeller, declareDiscovery, createMemoryChannelStore } from '@avm402/server';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { served } from '../served.ts';

/** The members that the specification names (x402 v2 §5–8). What is ours has room in `extra`, `info` and `extensions`. */
const RESOURCE = ['url', 'description', 'mimeType', 'serviceName', 'tags', 'iconUrl'];
const OFFER = ['scheme', 'network', 'asset', 'amount', 'payTo', 'maxTimeoutSeconds', 'extra'];
const VERDICT = ['isValid', 'invalidReason', 'invalidMessage', 'payer', 'extensions', 'extra'];
const RECEIPT = ['success', 'errorReason', 'errorMessage', 'payer', 'transaction', 'network', 'amount', 'extensions'];
const LISTED = ['resource', 'type', 'x402Version', 'accepts', 'lastUpdated', 'extensions', ...RESOURCE.slice(1)];

type Message = Record<string, unknown>;

/** Every message of ours, by what it is. */
const told: { readonly kind: string; readonly message: Message }[] = [];
/** Headers of every answer that the buyer got. */
const answers: Headers[] = [];
const node = await startDevnode({ port: 0, network: 'testnet' });
const open = new AsyncDisposableStack();
afterAll(() => open.disposeAsync());

beforeAll(async () => {
  open.defer(() => node.stop());
  const facilitator = await serveFacilitator(node);
  const shop = await served(await shopAt(facilitator));
  open.defer(() => shop.stop());
  await trade(shop.url, facilitator);
});

/** Serves a facilitator that has everything to say: a sponsor's list, channels and a catalogue. */
async function serveFacilitator({ url, token, accounts }: Devnode): Promise<string> {
  const store = createMemorySettlementStore();
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url, token })] }],
    store,
    sponsorship: {
      account: parseAccount(accounts.facilitator.privateKey),
      payTo: [accounts.merchant.address],
      anyone: false,
    },
    channels: { minDeposit: 1n, minRounds: 1_000n },
  });
  const isListed = (payTo: string): boolean => payTo === accounts.merchant.address;
  const discovery = new Discovery({ catalogue: store.catalogue, isListed, isDevelopment: () => true });
  const app = createFacilitatorApp(facilitator, { discovery });
  app.addHook('onSend', async ({ url: asked }, _reply, payload) => {
    if (typeof payload === 'string') told.push({ kind: asked.split('?')[0] ?? '', message: JSON.parse(payload) });
  });
  open.defer(() => facilitator.close());
  open.defer(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function shopAt(url: string): Promise<express.Express> {
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
    .register('algorand:*', new ExactAvmServer())
    .register('algorand:*', new BatchSettlementAvmServer());
  const seller = createSeller({ server, channels: { store: createMemoryChannelStore() }, onEvent: () => undefined });
  open.defer(() => seller.channels?.stop());
  const offer = { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: node.accounts.merchant.address };
  const described = { description: 'Weather', mimeType: 'application/json', serviceName: 'Shop', tags: ['weather'] };
  const extensions = declareDiscovery({ output: { example: { weather: 'sunny' } } });
  const routes = {
    'GET /weather': { accepts: offer, ...described, extensions },
    'GET /forecast': { accepts: { ...offer, scheme: 'batch-settlement' }, ...described },
  };
  return express()
    .use(seller.middleware(routes))
    .use((_request, response) => void response.json({ weather: 'sunny' }));
}

/** A purchase of each scheme, a payment that is refused, and what the facilitator tells whoever asks. */
async function trade(shop: string, facilitator: string): Promise<void> {
  const { url, token, accounts } = node;
  const watching: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    answers.push(answer.headers);
    return answer;
  };
  const payer = createPayer({
    account: parseAccount(accounts.payer.privateKey),
    networks: { 'algorand:*': { url, token } },
    channels: {},
    fetch: watching,
  });
  for (const path of ['weather', 'forecast', 'forecast'])
    expect(await (await payer.fetch(`${shop}/${path}`)).text()).toBe('{"weather":"sunny"}');
  const unpaid = decodePaymentRequiredHeader((await fetch(`${shop}/weather`)).headers.get('PAYMENT-REQUIRED') ?? '');
  const [paymentRequirements] = unpaid.accepts;
  const body = { x402Version: 2, paymentPayload: { ...unpaid, accepted: {}, payload: {} }, paymentRequirements };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  for (const path of ['verify', 'settle']) expect((await fetch(`${facilitator}/${path}`, init)).status).toBe(200);
  for (const path of ['supported', 'discovery/resources', 'discovery/search?query=weather'])
    expect((await fetch(`${facilitator}/${path}`)).status).toBe(200);
  for (const [name, kind] of [
    ['PAYMENT-REQUIRED', '402'],
    ['PAYMENT-RESPONSE', 'receipt'],
  ] as const)
    for (const header of answers.map((headers) => headers.get(name)))
      if (header !== null) told.push({ kind, message: JSON.parse(Buffer.from(header, 'base64').toString()) });
}

const messagesOf = (kind: string): Message[] => told.filter((one) => one.kind === kind).map(({ message }) => message);
const partsOf = (kind: string, member: string) =>
  messagesOf(kind).flatMap((one) => one[member] as Message | readonly Message[]);

it.each<[string, () => Message[], readonly string[]]>([
  ['a 402', () => messagesOf('402'), ['x402Version', 'error', 'resource', 'accepts', 'extensions']],
  ['its resource', () => partsOf('402', 'resource'), RESOURCE],
  ['its offers', () => partsOf('402', 'accepts'), OFFER],
  ['/supported', () => messagesOf('/supported'), ['kinds', 'extensions', 'signers']],
  ['its kinds', () => partsOf('/supported', 'kinds'), ['x402Version', 'scheme', 'network', 'extra']],
  ['/verify', () => messagesOf('/verify'), VERDICT],
  ['/settle', () => messagesOf('/settle'), [...RECEIPT, 'extra']],
  ['PAYMENT-RESPONSE', () => messagesOf('receipt'), [...RECEIPT, 'extra']],
  ['/discovery/resources', () => messagesOf('/discovery/resources'), ['x402Version', 'items', 'pagination']],
  ['its items', () => partsOf('/discovery/resources', 'items'), LISTED],
  ['the page it tells', () => partsOf('/discovery/resources', 'pagination'), ['limit', 'offset', 'total']],
  [
    '/discovery/search',
    () => messagesOf('/discovery/search'),
    ['x402Version', 'resources', 'partialResults', 'pagination'],
  ],
])('%s has the members that the specification names, and no other', (_name, messages, members) => {
  expect(messages().length).toBeGreaterThan(0);
  expect(messages().flatMap((one) => Object.keys(one).filter((member) => !members.includes(member)))).toEqual([]);
});

it('the strictest seller reads a fee payer in the short spelling’s kind, as nothing else is in there', () => {
  const kinds = partsOf('/supported', 'kinds').filter(({ scheme }) => scheme === 'exact');
  const short = kinds.filter(({ network }) => network === ALGORAND_TESTNET);
  expect(short.map(({ extra }) => extra)).toContainEqual({ feePayer: node.accounts.facilitator.address });
  for (const { extra } of short) expect(Object.keys(extra as Message)).toEqual(['feePayer']);
});

it('a buyer never sees what the facilitator tells the seller of its listing', async () => {
  expect(messagesOf('/discovery/resources')).toMatchObject([{ items: [{ extensions: { [BAZAAR]: {} } }] }]);
  expect(answers.filter((headers) => headers.has('EXTENSION-RESPONSES'))).toEqual([]);
  expect(messagesOf('receipt').length).toBe(3);
});
