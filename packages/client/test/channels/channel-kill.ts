import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { createPayer } from '@avm402/client';
import { openFileChannelStore } from '@avm402/client/file-channel-store';
import { accounts } from '../chain.ts';
import { seededRandom } from '../random.ts';
import { startStage } from '../stage.ts';
import { ChannelSeller, type SoldChannel } from './channel-seller.ts';

const USDC = 10_458_941n;
const program = fileURLToPath(new URL('pay-through-channel-until-killed.ts', import.meta.url));

/** Waits until a process has printed some lines: one when it begins, and one a request. */
async function lines(stream: Readable, count: number): Promise<void> {
  for (let seen = 0; seen <= count;) {
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    seen += chunk.toString().split('\n').length - 1;
  }
}

/** Kills a buyer (SIGKILL) again and again. It finds all of its channels, and gets back what it has not spent. */
export async function killBuyer(kills: number): Promise<void> {
  const stage = await startStage(onTestFinished);
  const random = seededRandom(kills);
  const sold = new ChannelSeller(stage.chain);
  const seller = await stage.sellerThat((seen, all) => sold.honest(seen, all));
  const folder = await mkdtemp(join(tmpdir(), 'avm402-channel-kill-'));
  const usdcOf = async (address: string): Promise<bigint> =>
    (await stage.chain.algod.accountAsset(address, USDC))?.amount ?? 0n;
  const before = [await usdcOf(accounts.payer.address), await usdcOf(accounts.merchant.address)];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const args = [seller.url, stage.chain.url, stage.chain.token, folder, accounts.payer.privateKey];
      const child = spawn(process.execPath, [program, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await lines(child.stdout, random.below(30));
      await new Promise((resolve) => setTimeout(resolve, random.below(10)));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const store = await openFileChannelStore(join(folder, 'channels.jsonl'));
    const payer = createPayer({
      account: parseAccount(accounts.payer.privateKey),
      networks: { 'algorand:*': stage.chain.algod },
      recoverMs: 5_000,
      channels: { store },
    });
    const closed: SoldChannel[] = [];
    for (const [id, channel] of sold.channels) {
      closed.push(channel);
      const view = (await payer.channels?.list())?.find((one) => one.id === id);
      // What it signed is on record: the seller never has a voucher above it.
      expect(view?.claimable).toBeGreaterThanOrEqual(channel.credit.authorized);
      expect(await payer.channels?.close(id)).toEqual({ state: 'closed' });
    }
    await store.close();
    // Now that all are closed: what a buyer sent just before it died may have been served after its death.
    const charged = closed.reduce((sum, { credit }) => sum + credit.charged, 0n);
    expect(charged).toBeGreaterThan(0n);
    expect([await usdcOf(accounts.payer.address), await usdcOf(accounts.merchant.address)]).toEqual([
      (before[0] ?? 0n) - charged,
      (before[1] ?? 0n) + charged,
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
