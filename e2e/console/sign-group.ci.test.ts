import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { NODE_TOKEN, programFiles } from '@avm402/stack/programs';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { installLute } from '../browser/lute-extension.ts';
import { openMandate } from '@avm402/stack/open-mandate';
import { usdcOf } from '@avm402/stack/balances';
import { startStage } from './stage.ts';

it('a wallet signs the ends of mandates in the page, which says of each whether the node has it', async () => {
  await using stage = await startStage();
  const { stack, page, open } = stage;
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const algod = createAlgodClient(access);
  const owner = parseAccount(stack.accounts.payer.privateKey);
  const held = (): Promise<bigint> => usdcOf(algod, owner.address);
  const before = await held();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-sign-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const endOf = async (name: string) => {
    const { mandate } = await openMandate(access, { slots: 3n, funds: 1_000_000n });
    const [file, group] = [join(folder, `${name}.json`), join(folder, `${name}-end.json`)];
    await writeFile(file, JSON.stringify(mandate));
    const command = [programFiles.client, 'mandate', 'end', file, '--unsigned', group];
    const env = { ALGOD_URL: access.url, ALGOD_TOKEN: access.token };
    await promisify(execFile)(process.execPath, command, { env });
    return { mandate, group };
  };
  const [first, second] = [await endOf('first'), await endOf('second')];
  await installLute(page, owner);
  await open('sign');
  await page.getByLabel('The file').setInputFiles(first.group);
  await page.locator('.member').getByText('all that is left to').first().waitFor();
  expect(await stage.seriousIssues()).toEqual([]);
  // While the first group is on its way, the second one is chosen.
  const arriving = Promise.withResolvers<void>();
  await page.route('**/api/groups', async (route) => {
    await arriving.promise;
    await route.continue();
  });
  const [asked, answered] = [page.waitForRequest('**/api/groups'), page.waitForResponse('**/api/groups')];
  await page.getByRole('button', { name: 'Sign with Lute' }).click();
  await asked;
  await page.getByLabel('The file').setInputFiles(second.group);
  arriving.resolve();
  await (await answered).finished();
  await expect.poll(held).toBe(before - 1_000_000n);
  expect(await page.getByText('The node has it').count()).toBe(0);
  await page.getByRole('button', { name: 'Sign with Lute' }).click();
  await page.getByRole('status').getByText('The node has it').waitFor();
  await expect.poll(held).toBe(before);
  for (const { mandate } of [first, second]) {
    expect(await algod.accountAsset(mandate.address, TESTNET.usdcAssetId)).toBeUndefined();
  }
  expect(stage.complaints).toEqual([]);
}, 120_000);
