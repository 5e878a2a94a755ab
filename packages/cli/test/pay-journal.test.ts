import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openFileJournal } from '@avm402/client/file-journal';
import { startHeldNode } from '../../client/test/held-node.ts';
import { requirements } from '../../client/test/seller.ts';
import { payer, useStage } from '../../client/test/stage.ts';
import { environmentOn, payOn } from './pay-on.ts';

const program = fileURLToPath(new URL('../bin/avm402.js', import.meta.url));
const stage = useStage();
const pay = payOn(stage);
const environment = environmentOn(stage);

/** A journal with a payment that an earlier process made, and that has expired since. */
async function journalOfBefore(folder: string): Promise<string> {
  const file = join(folder, 'journal');
  const { network, asset, payTo } = requirements;
  const payment = {
    txId: 'A'.repeat(52),
    groupTxIds: [],
    network,
    asset,
    amount: 1n,
    payTo,
    payer: payer.address,
    fee: 0n,
    firstValid: 1n,
    lastValid: 1n,
    origin: 'https://before.example',
    method: 'GET',
    path: '/',
    sentAt: 1_700_000_000_000,
  };
  const before = await openFileJournal(file);
  await before.append({ event: 'sent', payment });
  await before.close();
  await stage.chain.mine(40);
  return file;
}

describe('avm402 pay with a journal', () => {
  it('keeps limits across runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const seller = await stage.sellerThat(stage.honest);
    const args = [seller.url, '--journal', join(folder, 'journal'), '--per-day', '$0.02'];
    expect([await pay(args), await pay(args), await pay(args)]).toMatchObject([
      { code: 0 },
      { code: 0 },
      { code: 3, stderr: expect.stringContaining('the spending of 24 hours would come to $0.03') },
    ]);
    await rm(folder, { recursive: true });
  });

  it('keeps them, too, when it runs several times at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const seller = await stage.sellerThat(stage.honest);
    const args = ['--journal', join(folder, 'journal'), '--per-day', '$0.02'];
    const runs = await Promise.all([1, 2, 3, 4].map((one) => pay([`${seller.url}/${one}`, ...args])));
    expect(runs.map(({ code }) => code).toSorted((one, other) => one - other)).toEqual([0, 0, 3, 3]);
    expect(await stage.chain.confirmed()).toHaveLength(2);
    await rm(folder, { recursive: true });
  });

  it('sends the payment of an earlier run that lacks its answer, and says so; without proofs it pays anew', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const file = join(folder, 'journal');
    let isUp = false;
    const seller = await stage.sellerThat(async (seen, all) => {
      const answer = await stage.honest(seen, all);
      return isUp || !seen.payment ? answer : { cut: 'before' };
    });
    const lose = async (): Promise<void> => {
      const journal = await openFileJournal(file);
      await expect(stage.paying({ journal, recoverMs: 10 })(seller.url)).rejects.toThrow('did not answer');
      await journal.close();
    };
    await lose();
    isUp = true;
    const ran = await pay([seller.url, '--journal', file]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('{"report":"sunny"}') });
    const [txId = ''] = seller.payments();
    expect(ran.stderr).toContain(`again       payment ${txId} of an earlier run; nothing new was paid\n`);
    expect(seller.payments()).toEqual([txId]);
    isUp = false;
    await lose();
    isUp = true;
    expect(await pay([seller.url, '--journal', file, '--no-proofs'])).toMatchObject({ code: 0 });
    expect(seller.payments()).toHaveLength(3);
    await rm(folder, { recursive: true });
  });

  it('writes down what the node says of an earlier payment, also after the answer to the present one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const journal = await journalOfBefore(folder);
    let release = (): void => {};
    const node = await startHeldNode(stage.chain.url, new Promise((resolve) => (release = resolve)));
    const seller = await stage.sellerThat(async (seen, all) => {
      const answer = await stage.honest(seen, all);
      if (seen.payment) release();
      return answer;
    });
    const ran = await pay([seller.url, '--journal', journal], { environment: environment({ ALGOD_URL: node.url }) });
    expect(ran.code).toBe(0);
    expect(await readFile(journal, 'utf8')).toContain('"expired"');
    await node.stop();
    await rm(folder, { recursive: true });
  });

  it('ends soon after its last words, also where the node says nothing of an earlier payment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const journal = await journalOfBefore(folder);
    const node = await startHeldNode(stage.chain.url, new Promise(() => {}));
    const seller = await stage.sellerThat(stage.honest);
    const args = [program, 'pay', seller.url, '--journal', journal];
    const child = spawn(process.execPath, args, {
      env: environment({ ALGOD_URL: node.url, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' }),
      stdio: 'ignore',
      timeout: 8_000,
      killSignal: 'SIGKILL',
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    await node.stop();
    await rm(folder, { recursive: true });
  });

  it('warns of a journal that can’t be closed; the payment stays what it is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const journal = join(folder, 'journal');
    const seller = await stage.sellerThat(async (seen, all) => {
      if (seen.payment) {
        await rm(`${journal}.lock`);
        await mkdir(`${journal}.lock`);
      }
      return stage.honest(seen, all);
    });
    expect(await pay([seller.url, '--journal', journal])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('{"report":"sunny"}'),
      stderr: expect.stringMatching(/^warning: a file could not be closed: .+\n$/m),
    });
    await rm(folder, { recursive: true });
  });
});
