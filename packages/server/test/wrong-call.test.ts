import { spawnSync } from 'node:child_process';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { describe, expect, it } from 'vitest';
import { paid, paymentMiddleware as express } from '../src/hosts/express/express.ts';
import { paymentMiddleware as fastify } from '../src/hosts/fastify/fastify.ts';
import { paymentMiddleware as fetchHandler } from '../src/hosts/fetch/fetch.ts';
import { paymentMiddleware as hono } from '../src/hosts/hono/hono.ts';
import { withX402 } from '../src/hosts/next/next.ts';
import { paymentMiddleware as nodeListener } from '../src/hosts/node/node.ts';
import { createSeller } from '../src/seller.ts';

const facilitator = 'http://127.0.0.1:9';
const payTo = 'TSHTNLDCQVAYVGLG44OMCZLT7CWEEITYZ72W6KKTM2TTJRLGN2LLXU3UIY';
const seller = createSeller({ facilitator });
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }));
const wrong = { 'GET joke': { accepts: [] } };
const accepts = seller.price('$0.01', { payTo });

describe('a wrong call of a seller', () => {
  it.each<[string, () => unknown]>([
    ['createSeller', () => createSeller({ facilitator: 'http://facilitator.example' })],
    ['channels', () => createSeller({ facilitator, channels: true as never })],
    ['price', () => seller.price('$0.01', { payTo: undefined })],
    ['middleware', () => seller.middleware({ 'GET joke': accepts })],
    ['pricedRoutes', () => seller.pricedRoutes({ 'GET joke': accepts })],
    ['paid', () => seller.paid({ accepts: [] })],
    ['priced', () => seller.priced({ accepts: [] })],
    ['paymentMiddleware of Express', () => express(wrong, server)],
    ['paid of Express', () => paid({ accepts: [] }, server)],
    ['paymentMiddleware of Fastify', () => fastify(wrong, server)],
    ['paymentMiddleware of Hono', () => hono(wrong, server)],
    ['paymentMiddleware of fetch', () => fetchHandler({} as never, () => new Response())],
    ['paymentMiddleware of node:http', () => nodeListener({} as never, () => undefined)],
    ['withX402 of Next', () => withX402(() => new Response(), { accepts: [] }, server)],
  ])('%s: its stack begins with the line of the call, and the rest is kept beside it', (_name, call) => {
    const error = thrownBy(call);
    expect(error.stack).toMatch(/^X402Error: .+\n {4}at .*wrong-call\.test\.ts/);
    expect(error.innerStack).toMatch(/\n {4}at .*server\/src\//);
    expect(Object.keys(error)).not.toContain('innerStack');
  });

  it('accepts, which waits for the facilitator first: the same', async () => {
    const client = {
      verify: unused,
      settle: unused,
      getSupported: async () => ({ kinds: [], extensions: [], signers: {} }),
    };
    const asking = async (): Promise<unknown> =>
      await createSeller({ facilitator: client }).accepts({ price: '$1', payTo });
    const { stack } = await asking().then(
      () => new Error('it was answered'),
      (thrown: Error) => thrown,
    );
    expect(stack).toContain('wrong-call.test.ts');
    expect(stack).not.toContain('server/src');
  });

  it('that nobody catches: the program shows its own line, the message and the remedy, and nothing of this package', () => {
    const program = [
      "import { createSeller } from '@avm402/server';",
      `createSeller({ facilitator: '${facilitator}' }).middleware({ 'GET joke': { accepts: [] } });`,
    ].join('\n');
    const options = ['--input-type=module', '--eval', program];
    const { status, stderr } = spawnSync(process.execPath, options, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(`createSeller({ facilitator: '${facilitator}' }).middleware(`);
    expect(stderr).toContain('X402Error: route "GET joke": the path must start with /\n');
    expect(stderr).toContain("remedy: 'Correct the route named in the message.'");
    expect(stderr).not.toContain('server/dist');
  });
});

function unused(): Promise<never> {
  throw new Error('nothing is paid here');
}

function thrownBy(call: () => unknown): X402Error {
  try {
    call();
  } catch (error) {
    if (isX402Error(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
