import { expect, it } from 'vitest';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { openMandate } from '@avm402/stack/open-mandate';
import { startStage } from './stage.ts';

it('a mandate is shown with its rules in words and its slots, without a serious accessibility issue', async () => {
  await using stage = await startStage();
  const { stack, page, open } = stage;
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const { mandate } = await openMandate(access, { slots: 3n, funds: 1_000_000n });
  await open(`mandates/${mandate.address}`);
  await page.getByText('payments in 500 rounds', { exact: false }).waitFor();
  await page.getByRole('img', { name: /^3 of 3 slots are free in round \d+$/ }).waitFor();
  expect(await page.locator('main').innerText()).toContain('to anybody, until round');
  expect(await stage.seriousIssues()).toEqual([]);
  expect(stage.complaints).toEqual([]);
}, 120_000);
