import type { Page } from 'playwright-core';

/** Goes with a development account up to its wallet's question. */
export async function payFrom(page: Page, account: string): Promise<void> {
  await page.getByRole('button', { name: 'Development account' }).click();
  const select = page.getByLabel('Pay from');
  const option = await select.locator('option', { hasText: `${account} (` }).getAttribute('value');
  await select.selectOption(option);
  await page.getByRole('button', { name: /^(Pay|Deposit) \$/ }).click();
}
