import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { describe, expect, it } from 'vitest';
import { createSeller } from '../src/seller.ts';

const facilitator = 'http://127.0.0.1:9';
const payTo = 'TSHTNLDCQVAYVGLG44OMCZLT7CWEEITYZ72W6KKTM2TTJRLGN2LLXU3UIY';
const seller = createSeller({ facilitator });
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
    const source = fileURLToPath(new URL('../src/index.ts', import.meta.url));
    const program = [
      `import { createSeller } from ${JSON.stringify(source)};`,
      `createSeller({ facilitator: '${facilitator}' }).middleware({ 'GET joke': { accepts: [] } });`,
    ].join('\n');
    const options = ['--conditions=@avm402/source', '--input-type=module', '--eval', program];
    const { status, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(`createSeller({ facilitator: '${facilitator}' }).middleware(`);
    expect(stderr).toContain('X402Error: route "GET joke": the path must start with /\n');
    expect(stderr).toContain("remedy: 'Correct the route named in the message.'");
    expect(stderr.replaceAll(source, '')).not.toContain('server/src');
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
