import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { seedToMnemonic } from '@avm402/algorand/mnemonic';
import { PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { createDevControls } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { USDC } from '@avm402/stack/balances';
import { offerOf, paidHeaders, payFor } from '../payment.ts';
import { avm402 } from '../programs/avm402.ts';

interface Canary {
  readonly address: string;
  readonly mnemonic: string;
  readonly privateKey: string;
  /** Every spelling in which the secret could appear. */
  readonly spellings: readonly string[];
}

function plantCanary(): Canary {
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const privateKey = encodePrivateKey(seed);
  const bytes = Buffer.from(seed);
  const mnemonic = seedToMnemonic(seed);
  return {
    address: accountFromSeed(seed).address,
    mnemonic,
    privateKey,
    spellings: [
      privateKey,
      bytes.toString('base64').slice(0, 40),
      bytes.toString('base64url').slice(0, 40),
      bytes.toString('hex'),
      mnemonic,
      mnemonic.split(' ').slice(0, 6).join(' '),
      [...bytes].slice(0, 12).join(','),
      [...bytes].slice(0, 12).join(', '),
    ],
  };
}

/** Which of the secrets stand in the text. */
function found(text: string, secrets: readonly string[]): string[] {
  const squeezed = text.replaceAll(/\s+/g, ' ').toLowerCase();
  return secrets.filter((secret) => squeezed.includes(secret.toLowerCase()));
}

const sponsor = plantCanary();
const payer = plantCanary();
const secrets = [...sponsor.spellings, ...payer.spellings];
let stack: Stack;
let printed = '';

/** Runs the command as talkative as it can be; its exit code. */
async function run(args: readonly string[], key: Record<string, string>): Promise<number | null> {
  const trace = { LOG_LEVEL: 'trace', DEBUG: '*' };
  const access = { ALGOD_URL: stack.node.url, ALGOD_TOKEN: NODE_TOKEN };
  const { code, stdout, stderr } = await avm402(args, { ...trace, ...access, ...key });
  printed += stdout + stderr;
  return code;
}

beforeAll(async () => {
  const trace = { LOG_LEVEL: 'trace', DEBUG: '*' };
  stack = await startStack({
    facilitatorEnvironment: { ...trace, AVM_PRIVATE_KEY: sponsor.privateKey },
    weatherEnvironment: trace,
  });
  const controls = createDevControls({ url: stack.node.url });
  await controls.fund(sponsor.address, 10_000_000n);
  await controls.fund(payer.address, 10_000_000n);
  await controls.deal(payer.address, USDC, 1_000_000n);
});
afterAll(() => stack.stop());

describe('no secret is printed, logged or answered', () => {
  it('the search finds a secret that is printed on purpose, in each spelling', () => {
    for (const secret of secrets) expect(found(`{"level":10,"msg":"key ${secret}"}`, secrets)).toContain(secret);
  });

  it('on success, refusal, bad keys and a crash, at trace level', async () => {
    const url = `${stack.weather.url}/weather`;
    expect(await run(['pay', url], { AVM_MNEMONIC: payer.mnemonic })).toBe(0);
    expect(await run(['pay', url, '--json'], { AVM_PRIVATE_KEY: payer.privateKey })).toBe(0);

    const wrongWords = `${payer.mnemonic.split(' ').slice(0, 24).join(' ')} zebra`;
    expect(await run(['pay', url], { AVM_MNEMONIC: wrongWords })).not.toBe(0);
    expect(await run(['pay', url], { AVM_PRIVATE_KEY: payer.privateKey.slice(0, -6) })).not.toBe(0);
    expect(await run(['pay', url], { AVM_PRIVATE_KEY: `0x${payer.privateKey}` })).not.toBe(0);

    const offer = offerOf(await fetch(url));
    const account = { name: 'canary', ...payer };
    const payment = await payFor(offer, account, stack.node.url);
    const headers = paidHeaders(payment);
    const proof = headers[PAYMENT_SIGNATURE_HEADER] ?? '';
    const answers = [
      await fetch(url, { headers }),
      await fetch(url, { headers }),
      await fetch(url, { headers: { [PAYMENT_SIGNATURE_HEADER]: `${proof.slice(0, 200)}!!` } }),
      await fetch(`${stack.facilitator.url}/settle`, { method: 'POST', body: `{"paymentPayload": "${proof}"` }),
      await fetch(`${stack.facilitator.url}/verify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ x402Version: 2, paymentPayload: { ...payment, payload: { key: payer.privateKey } } }),
      }),
    ];
    let answered = '';
    for (const answer of answers) answered += `${JSON.stringify([...answer.headers])}${await answer.text()}`;

    // The node goes away under a payment: the facilitator and the client meet their error paths.
    const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
    const last = await payFor(offerOf(await fetch(url)), account, stack.node.url);
    expect((await algod.status()).lastRound).toBeGreaterThan(0n);
    await stack.stopNode();
    answered += await (await fetch(url, { headers: paidHeaders(last) })).text();
    expect(await run(['pay', url], { AVM_MNEMONIC: payer.mnemonic })).not.toBe(0);

    const everything = printed + answered + stack.facilitator.output() + stack.weather.output();
    expect(everything.length).toBeGreaterThan(1000);
    const proofs = [proof, paidHeaders(last)[PAYMENT_SIGNATURE_HEADER] ?? ''];
    expect(found(everything, [...secrets, ...proofs])).toEqual([]);
  });
});
