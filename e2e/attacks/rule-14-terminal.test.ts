import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOCALNET } from '@avm402/algorand/networks';
import { algorandNetwork } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { startDevnode, type Devnode } from '@avm402/devnode';
import { avm402 } from '../programs/avm402.ts';
import { type LyingShop, type RawAnswer, startLyingShop } from './lying-shop.ts';

const FORGED = 'settlement  FORGED';
/** Sets the title, the color and the direction of writing, goes back to the start of the line, and writes another one. */
const EVIL = `\u001B]0;x\u0007\u009B31m\u202E\r\n\u2028\n${FORGED}`;
/** The same without what ends a line of HTTP. */
const EVIL_LINE = '\u009B31m\u0085FORGED';

let node: Devnode;
const shops: LyingShop[] = [];
beforeAll(async () => void (node = await startDevnode({ port: 0 })));
afterAll(() => node.stop());
afterEach(() => {
  for (const shop of shops.splice(0)) shop.stop();
});

/**
 * What the program writes, and which of it a terminal would obey, or would take for a line of the program's own. A
 * body that goes to another program stays as it came.
 */
async function shownBy(...args: string[]): Promise<{ written: string; obeyed: string[] }> {
  const environment = { AVM_MNEMONIC: node.accounts.payer.mnemonic, ALGOD_URL: node.url, ALGOD_TOKEN: node.token };
  const { stdout, stderr } = await avm402(args, environment);
  const isBody = args[0] === 'pay' && !args.includes('--json');
  const written = stdout + stderr;
  const shown = isBody ? stderr : written;
  const obeyed = shown.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu) ?? [];
  return { written, obeyed: [...obeyed, ...(shown.match(new RegExp(`^${FORGED}`, 'gm')) ?? [])] };
}

function offer(change: object = {}): PaymentRequired['accepts'][number] {
  return {
    scheme: 'exact',
    network: algorandNetwork(LOCALNET.genesisHash),
    asset: String(LOCALNET.usdcAssetId),
    amount: '10000',
    payTo: node.accounts.merchant.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: node.accounts.facilitator.address },
    ...change,
  };
}

function asking(accepts: PaymentRequired['accepts'], more: Partial<PaymentRequired> = {}): RawAnswer {
  const required = { x402Version: 2, resource: { url: 'http://x.example/' }, accepts, ...more };
  const header = Buffer.from(JSON.stringify(required)).toString('base64');
  return { status: '402 Payment Required', headers: { 'PAYMENT-REQUIRED': header } };
}

async function shopThat(answer: (payment: string | undefined) => RawAnswer): Promise<string> {
  const shop = await startLyingShop(answer);
  shops.push(shop);
  return shop.url;
}

const PLACES = [
  { scheme: EVIL },
  { asset: EVIL },
  { payTo: EVIL },
  { extra: { paymentFlow: EVIL } },
  { extra: { feePayer: EVIL } },
  { extra: { [EVIL]: EVIL } },
];

describe('nothing that a shop says is obeyed by the terminal of the buyer', () => {
  it.each([['quote'], ['quote', '--json'], ['doctor'], ['doctor', '--json'], ['pay']])(
    'in its offers (%s %s)',
    async (command, ...more) => {
      const resource = { url: `http://x.example/${EVIL}`, description: EVIL, mimeType: EVIL };
      const evil = PLACES.map(offer);
      // With an offer that can be paid, only that one would be shown.
      const accepts = command === 'pay' ? evil : [...evil, offer()];
      const url = await shopThat(() => asking(accepts, { resource, error: EVIL }));
      const { written, obeyed } = await shownBy(command, url, ...more);
      expect(obeyed).toEqual([]);
      expect(written).toContain('FORGED');
    },
  );

  it.each([[], ['--json']])('in what it answers to a payment (%s)', async (...more) => {
    const resource = { url: 'http://x.example/', description: EVIL };
    const receipt = { success: false, errorReason: EVIL, errorMessage: EVIL, transaction: EVIL, network: EVIL };
    const url = await shopThat((payment) =>
      payment === undefined
        ? asking([offer()], { resource })
        : {
            status: `200 OK${EVIL_LINE}`,
            headers: {
              'Content-Type': `text/${EVIL_LINE}`,
              'PAYMENT-RESPONSE': Buffer.from(JSON.stringify(receipt)).toString('base64'),
            },
            // Lines of its own are what a body is made of.
            body: `${EVIL.replaceAll('\n', ' ')}\r\na second line`,
          },
    );
    const { written, obeyed } = await shownBy('pay', url, ...more);
    expect(obeyed).toEqual([]);
    expect(written).toContain('FORGED');
    expect(written).toContain('do not pay again');
  });
});
