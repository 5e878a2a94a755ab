import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { accountFromSeed } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { createPayer, reportOf } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { createDevControls } from '@avm402/devnode';
import { type Mandate, MandateWatch, readMandate } from '@avm402/client/mandate';
import { accounts } from '../chain.ts';
import { asking, merchant, receipt } from '../seller.ts';
import { useStage } from '../stage.ts';
import { nextWindow, openedMandate, payerBy, settling } from './mandate-stage.ts';

const stage = useStage();

async function heldBy(address: string): Promise<bigint> {
  return (await stage.chain.algod.accountAsset(address, TESTNET.usdcAssetId))?.amount ?? 0n;
}

async function statuses(requests: readonly Promise<Response>[]): Promise<number[]> {
  return (await Promise.all(requests)).map(({ status }) => status);
}

describe('a payer by mandate', () => {
  it('pays a seller from the mandate, once a request', async () => {
    const mandate = await openedMandate(stage.chain);
    const seller = await stage.sellerThat(settling(stage.chain));
    const before = await heldBy(merchant);
    const payer = payerBy(mandate, stage.chain);
    const response = await payer.fetch(seller.url);
    expect(response.status).toBe(200);
    expect(reportOf(response)?.payment).toMatchObject({ payer: mandate.address, amount: 10_000n });
    expect([await heldBy(mandate.address), (await heldBy(merchant)) - before]).toEqual([990_000n, 10_000n]);
  });

  it("keeps its own limits before the mandate's, and says which of the mandate's an offer breaks", async () => {
    const mandate = await openedMandate(stage.chain, { receivers: [merchant] });
    const refusal = async (offer: object, spend = {}): Promise<unknown> => {
      const seller = await stage.sellerThat(settling(stage.chain, [offer]));
      return payerBy(mandate, stage.chain, { spend })
        .fetch(seller.url)
        .catch((error: unknown) => error);
    };
    const code = 'spend_limit_exceeded';
    expect(await refusal({}, { perPayment: '$0.005' })).toMatchObject({
      code,
      message: expect.stringContaining('$0.005'),
    });
    expect(await refusal({ amount: '60000' })).toMatchObject({
      code,
      message: '$0.06 is above the $0.05 that the mandate allows a payment',
    });
    expect(await refusal({ payTo: accounts.payer2.address })).toMatchObject({
      code: 'no_acceptable_offer',
      message: expect.stringContaining("is not among the mandate's receivers"),
    });
    expect(await refusal({})).toMatchObject({ status: 200 });
  });

  it('says when the next slot is free after it has used them all, and pays again in the next window', async () => {
    const mandate = await openedMandate(stage.chain);
    const seller = await stage.sellerThat(settling(stage.chain));
    const payer = payerBy(mandate, stage.chain);
    expect([(await payer.fetch(seller.url)).status, (await payer.fetch(seller.url)).status]).toEqual([200, 200]);
    await expect(payer.fetch(seller.url)).rejects.toMatchObject({
      code: 'mandate_exhausted',
      message: expect.stringMatching(/all 2 slots are taken; the next is free after round 500, about \d{4}-/),
      details: { round: '500', at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    await nextWindow(stage.chain);
    expect((await payer.fetch(seller.url)).status).toBe(200);
  });

  it('has its slot back where a payment could not be put on record, and so did not leave', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 1n });
    const seller = await stage.sellerThat(settling(stage.chain));
    let isFull = true;
    const append = async (): Promise<void> => {
      if (isFull) throw new Error('the disk is full');
    };
    const payer = payerBy(mandate, stage.chain, { journal: { read: () => Promise.resolve([]), append } });
    await expect(payer.fetch(seller.url)).rejects.toThrow('the disk is full');
    isFull = false;
    expect((await payer.fetch(seller.url)).status).toBe(200);
  });

  it('waits for a slot if it may', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 1n });
    const seller = await stage.sellerThat(settling(stage.chain));
    const payer = payerBy(mandate, stage.chain, { waitForSlotMs: 20_000 });
    await payer.fetch(seller.url);
    const waiting = payer.fetch(seller.url);
    await nextWindow(stage.chain);
    expect((await waiting).status).toBe(200);
  });

  it('asks its own node what it can pay: too little money makes no payment that leaves', async () => {
    const mandate = await openedMandate(stage.chain, { funds: 5_000n });
    const seller = await stage.sellerThat(settling(stage.chain));
    await expect(payerBy(mandate, stage.chain).fetch(seller.url)).rejects.toMatchObject({
      code: 'account_short_of_asset',
    });
    expect(seller.payments()).toEqual([]);
  });

  it('refuses a key that the mandate does not name, and a mandate that is not what it says', async () => {
    const mandate = await openedMandate(stage.chain);
    const seller = await stage.sellerThat(settling(stage.chain));
    const networks = { 'algorand:*': stage.chain.algod };
    const other = createPayer({ mandate, agentKey: accountFromSeed(new Uint8Array(32).fill(9)), networks });
    await expect(other.fetch(seller.url)).rejects.toMatchObject({ code: 'invalid_mandate' });
    const changed: Mandate = { ...mandate, config: { ...mandate.config, cap: '90000' } };
    await expect(payerBy(changed, stage.chain).fetch(seller.url)).rejects.toMatchObject({ code: 'invalid_mandate' });
    for (const config of [{}, { ...mandate.config, genesisHash: 'x' }, { ...mandate.config, cap: 'much' }]) {
      const malformed = payerBy({ ...mandate, config } as Mandate, stage.chain);
      await expect(malformed.fetch(seller.url)).rejects.toMatchObject({ code: 'invalid_mandate' });
    }
    // @ts-expect-error -- the key is missing
    expect(() => createPayer({ mandate, networks })).toThrow(/agentKey is missing/);
  });
});

describe('several processes with one key', () => {
  it('share the slots of a window, and use all of them', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 6n });
    const seller = await stage.sellerThat(settling(stage.chain));
    const payers = [1, 2, 3].map(() => payerBy(mandate, stage.chain));
    const requests = payers.flatMap((payer) => [payer.fetch(`${seller.url}/a`), payer.fetch(`${seller.url}/b`)]);
    expect(await statuses(requests)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await heldBy(mandate.address)).toBe(940_000n);
    for (const payer of payers) {
      await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'mandate_exhausted' });
    }
  });

  it('pay in another slot if one was taken on the way: the own node knows that the first payment is over', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 3n });
    // Both choose the same slots, and make different payments.
    const random = (bytes: number): Uint8Array =>
      bytes === 4 ? new Uint8Array(bytes) : crypto.getRandomValues(new Uint8Array(bytes));
    const rival = payerBy(mandate, stage.chain, { random });
    const quick = await stage.sellerThat(settling(stage.chain));
    const settle = settling(stage.chain);
    const slow = await stage.sellerThat(async (seen, all) => {
      if (all.filter(({ payment }) => payment).length === 1) await rival.fetch(quick.url);
      return settle(seen, all);
    });
    const response = await payerBy(mandate, stage.chain, { random }).fetch(slow.url);
    expect(response.status).toBe(200);
    expect(slow.payments()).toHaveLength(2);
    expect(await heldBy(mandate.address)).toBe(980_000n);
  });

  it('pay in another slot if a payment under way holds one: the own node shows that payment a moment later', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 3n });
    const random = (bytes: number): Uint8Array =>
      bytes === 4 ? new Uint8Array(bytes) : crypto.getRandomValues(new Uint8Array(bytes));
    const rival = payerBy(mandate, stage.chain, { random });
    const quick = await stage.sellerThat(settling(stage.chain));
    const settle = settling(stage.chain);
    let rivals: Promise<Response> | undefined;
    const busy = await stage.sellerThat((seen, all) => {
      if (!seen.payment || all.filter(({ payment }) => payment).length > 1) return settle(seen, all);
      rivals = sleep(300).then(() => rival.fetch(quick.url));
      return asking([{}], { error: 'invalid_exact_avm_lease_held' });
    });
    const response = await payerBy(mandate, stage.chain, { random }).fetch(busy.url);
    expect([response.status, (await rivals)?.status, busy.payments().length]).toEqual([200, 200, 2]);
    expect(await heldBy(mandate.address)).toBe(980_000n);
  });

  it('what a seller refuses without a reason on the chain is not paid a second time', async () => {
    const mandate = await openedMandate(stage.chain);
    const seller = await stage.sellerThat(() => asking());
    const response = await payerBy(mandate, stage.chain).fetch(seller.url);
    expect([response.status, seller.payments().length]).toEqual([402, 1]);
  });

  it('a journal keeps the slot, so that a later process knows what became of the payment', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-mandate-'));
    const mandate = await openedMandate(stage.chain);
    let isUp = false;
    const seller = await stage.sellerThat(async ({ payment }) => {
      if (!payment) return asking();
      if (!isUp) return { status: 503 };
      await stage.chain.settle(payment);
      return { headers: receipt(payment) };
    });
    for (const status of [503, 200]) {
      const journal = await openFileJournal(join(folder, 'journal'));
      expect((await payerBy(mandate, stage.chain, { journal }).fetch(seller.url)).status).toBe(status);
      const [sent] = await journal.read();
      expect(sent).toMatchObject({ event: 'sent', payment: { slotLease: expect.stringMatching(/^A{42}[EI]=$/) } });
      await journal.close();
      isUp = true;
    }
    expect(seller.payments()).toHaveLength(1);
    await rm(folder, { recursive: true });
  });
});

describe('what the chain will allow now', () => {
  it('is told in slots and money, before and after payments, and in the next window', async () => {
    const mandate = await openedMandate(stage.chain);
    const watch = new MandateWatch(readMandate(mandate), stage.chain.algod);
    expect(await watch.status()).toMatchObject({ freeSlots: 2n, payable: 100_000n, held: 1_000_000n, payments: [] });
    const seller = await stage.sellerThat(settling(stage.chain));
    await payerBy(mandate, stage.chain).fetch(seller.url);
    expect(await watch.status()).toMatchObject({
      state: 'open',
      freeSlots: 1n,
      payable: 50_000n,
      windowEnd: 500n,
      nextFreeAfter: 500n,
      payments: [{ amount: 10_000n, receiver: merchant, until: 500n }],
    });
    await nextWindow(stage.chain);
    expect(await watch.status()).toMatchObject({ freeSlots: 2n, windowEnd: 1000n, payments: [] });
  });

  it('counts each payment once, however many ask at a time', async () => {
    const mandate = await openedMandate(stage.chain);
    const seller = await stage.sellerThat(settling(stage.chain));
    await payerBy(mandate, stage.chain).fetch(seller.url);
    const watch = new MandateWatch(readMandate(mandate), stage.chain.algod);
    const told = await Promise.all([watch.status(), watch.status(), watch.status()]);
    expect(told.map(({ payments }) => payments.length)).toEqual([1, 1, 1]);
    expect((await watch.status()).payments).toHaveLength(1);
  });

  it('forgets payments that a development node has gone back behind', async () => {
    const mandate = await openedMandate(stage.chain);
    const controls = createDevControls(stage.chain.access);
    const snapshot = await controls.snapshot();
    const seller = await stage.sellerThat(settling(stage.chain));
    await payerBy(mandate, stage.chain).fetch(seller.url);
    const watch = new MandateWatch(readMandate(mandate), stage.chain.algod);
    expect(await watch.status()).toMatchObject({ freeSlots: 1n });
    await controls.revert(snapshot);
    expect(await watch.status()).toMatchObject({ freeSlots: 2n, payments: [] });
  });

  it('is told of one moment, also if a node that lags answers somebody else meanwhile', async () => {
    const mandate = await openedMandate(stage.chain);
    const { algod } = stage.chain;
    const before = await algod.status();
    const seller = await stage.sellerThat(settling(stage.chain));
    await payerBy(mandate, stage.chain).fetch(seller.url);
    const lagging = { isAsked: false };
    let second: Promise<unknown> | undefined;
    const balanced: AlgodClient = {
      ...algod,
      status: async () => (lagging.isAsked ? before : algod.status()),
      accountAsset: async (...asked) => {
        if (!lagging.isAsked) {
          lagging.isAsked = true;
          await (second = watch.status());
        }
        return algod.accountAsset(...asked);
      },
    };
    const watch = new MandateWatch(readMandate(mandate), balanced);
    expect(await watch.status()).toMatchObject({ freeSlots: 1n, payments: [{ amount: 10_000n }] });
    expect(await second).toMatchObject({ freeSlots: 2n, payments: [] });
  });

  it('counts a payment again whose window was over before a development node went back into it', async () => {
    const mandate = await openedMandate(stage.chain);
    const seller = await stage.sellerThat(settling(stage.chain));
    await payerBy(mandate, stage.chain).fetch(seller.url);
    const controls = createDevControls(stage.chain.access);
    const snapshot = await controls.snapshot();
    const watch = new MandateWatch(readMandate(mandate), stage.chain.algod);
    expect(await watch.status()).toMatchObject({ freeSlots: 1n });
    await stage.chain.mine(1_000);
    expect(await watch.status()).toMatchObject({ freeSlots: 2n });
    await controls.revert(snapshot);
    expect(await watch.status()).toMatchObject({ freeSlots: 1n, payments: [{ amount: 10_000n }] });
  });

  it('is nothing after the expiry, or without money', async () => {
    const mandate = await openedMandate(stage.chain, { expiry: 400n });
    await nextWindow(stage.chain);
    const { algod } = stage.chain;
    expect(await new MandateWatch(readMandate(mandate), algod).status()).toMatchObject({
      state: 'expired',
      payable: 0n,
    });
  });

  it('is nothing where no window ends before the expiry any more: a payment ends with a window', async () => {
    const mandate = await openedMandate(stage.chain, { expiry: 700n });
    const seller = await stage.sellerThat(settling(stage.chain));
    const watch = new MandateWatch(readMandate(mandate), stage.chain.algod);
    const { lastRound } = await stage.chain.algod.status();
    await stage.chain.mine(Number(499n - lastRound));
    expect(await watch.status()).toMatchObject({ state: 'open', payable: 100_000n });
    await stage.chain.mine(1);
    expect(await watch.status()).toMatchObject({ round: 500n, state: 'expired', payable: 0n });
    await expect(payerBy(mandate, stage.chain).fetch(seller.url)).rejects.toMatchObject({ code: 'mandate_refuses' });
  });

  it('counts no slot for a payment that was given up before it left', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 1n });
    const seller = await stage.sellerThat(settling(stage.chain));
    const { algod } = stage.chain;
    const controller = new AbortController();
    let judged: Promise<unknown> | undefined;
    const slow: AlgodClient = {
      ...algod,
      simulate: (...asked) => {
        controller.abort(new Error('given up'));
        const verdict = algod.simulate(...asked);
        judged ??= verdict;
        return verdict;
      },
    };
    const payer = payerBy(mandate, stage.chain, { networks: { 'algorand:*': slow } });
    await expect(payer.fetch(seller.url, { signal: controller.signal })).rejects.toThrow('given up');
    await judged;
    await sleep(0);
    expect((await payer.fetch(seller.url)).status).toBe(200);
  });

  it('counts no slot for a payment that never left', async () => {
    const mandate = await openedMandate(stage.chain, { slots: 1n, funds: 5_000n });
    const seller = await stage.sellerThat(settling(stage.chain));
    const payer = payerBy(mandate, stage.chain);
    await expect(payer.fetch(seller.url)).rejects.toMatchObject({ code: 'account_short_of_asset' });
    await stage.chain.deal(mandate.address, TESTNET.usdcAssetId, 1_000_000n);
    expect((await payer.fetch(seller.url)).status).toBe(200);
  });
});
