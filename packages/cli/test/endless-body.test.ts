import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { accounts } from '../../client/test/chain.ts';
import { asking, type Answer } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { run } from './run.ts';

const stage = useStage();
const program = fileURLToPath(new URL('../bin/avm402.js', import.meta.url));

const endless = (answer: Answer): Answer => ({ ...answer, endless: true });

describe('a body that never ends', () => {
  it('of a preflight is let go of when the doctor gets no answer to what follows it', async () => {
    const seller = await stage.sellerThat(({ method, headers }) => {
      if (method === 'OPTIONS') return endless({});
      return headers['origin'] === undefined ? asking() : { cut: 'before' };
    });
    await run(['doctor', seller.url]);
    expect(seller.seen.map(({ method }) => method)).toEqual(['GET', 'OPTIONS', 'GET']);
    await vi.waitFor(() => expect(seller.busy()).toBe(0), 3_000);
  });

  it.each([
    ['pay', ['pay'], 0],
    ['pay, if it is too dear', ['pay', '--max', '$0.009'], 3],
    ['quote', ['quote'], 0],
    ['doctor', ['doctor'], 0],
  ])('does not keep the program from ending: avm402 %s', async (_what, args, code) => {
    const seller = await stage.sellerThat((seen, all) => (seen.payment ? stage.honest(seen, all) : endless(asking())));
    const environment = {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      AVM_PRIVATE_KEY: accounts.payer.privateKey,
      ALGOD_URL: stage.chain.url,
      ALGOD_TOKEN: stage.chain.token,
    };
    const child = spawn(process.execPath, [program, ...args, seller.url], {
      env: environment,
      stdio: 'ignore',
      timeout: 15_000,
      killSignal: 'SIGKILL',
    });
    expect(await once(child, 'exit')).toEqual([code, null]);
  });
});
