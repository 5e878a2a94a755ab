import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { parseChannelPayload } from '@avm402/avm/batch-settlement';
import { createPayer, settlementOf, type TransactionWallet } from '@avm402/client';
import { decodePaymentSignatureHeader } from '@avm402/core/headers';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import { noSuchBlock } from '../model-chain.ts';
import { type Answer, asking } from '../seller.ts';
import { payer as account, useStage } from '../stage.ts';
import { walletOf } from '../wallet.ts';
import { ChannelSeller } from './channel-seller.ts';

const stage = useStage();

/** A seller with a line that is cut before or after what comes has reached it. */
async function cuttable() {
  const sold = new ChannelSeller(stage.chain);
  const line: { cut: 'asked' | 'answered' | undefined } = { cut: undefined };
  const amounts: bigint[] = [];
  const given = new Map<string, Answer>();
  const seller = await stage.sellerThat(async (seen, all) => {
    if (seen.payment) {
      const { voucher } = parseChannelPayload(decodePaymentSignatureHeader(seen.payment.header).payload) as {
        voucher: { maxClaimableAmount: bigint };
      };
      amounts.push(voucher.maxClaimableAmount);
    }
    if (line.cut === 'asked' && seen.payment) return { cut: 'before' };
    const header = seen.payment?.header ?? '';
    // It keeps its answers.
    const answer = given.get(header) ?? (await sold.honest(seen, all));
    if (header !== '') given.set(header, answer);
    return line.cut === 'answered' && seen.payment ? { ...answer, cut: 'before' } : answer;
  });
  const clock = { ms: 0 };
  const fetchPaid = stage.paying({ channels: {}, recoverMs: 0, now: () => clock.ms });
  /** Asks as often, side by side; true for each that was answered. */
  const ask = async (count: number): Promise<boolean[]> => {
    const answers = await Promise.allSettled(Array.from({ length: count }, () => fetchPaid(seller.url)));
    return answers.map((answer) => answer.status === 'fulfilled' && answer.value.ok);
  };
  const charged = () => [...sold.channels.values()].map(({ credit }) => credit.charged);
  return { line, amounts, clock, ask, charged };
}

it('each of several identical requests that lost its answer sends its own voucher again', async () => {
  const { line, amounts, ask, charged } = await cuttable();
  await ask(1);
  line.cut = 'asked';
  expect(await ask(3)).toEqual([false, false, false]);
  line.cut = undefined;
  expect(await ask(3)).toEqual([true, true, true]);
  expect(new Set(amounts)).toEqual(new Set([10_000n, 20_000n, 30_000n, 40_000n]));
  expect(charged()).toEqual([40_000n]);
  await ask(1);
  expect(amounts.at(-1)).toBe(50_000n);
});

it.each(['asked', 'answered'] as const)(
  'a voucher whose request was cut off where it was %s is sent again, however far the clock was set forward, and charged once',
  async (where) => {
    const { line, amounts, ask, clock, charged } = await cuttable();
    await ask(1);
    line.cut = where;
    await ask(1);
    line.cut = undefined;
    clock.ms += 365 * 24 * 60 * 60_000;
    expect(await ask(1)).toEqual([true]);
    expect([amounts, charged()]).toEqual([[10_000n, 20_000n, 20_000n], [20_000n]]);
  },
);

it('a request that its seller charged, and whose lost answer it has not kept, is paid once and told so; the channel goes on', async () => {
  const sold = new ChannelSeller(stage.chain);
  const given: Answer[] = [];
  const { url } = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    if (seen.payment) given.push(answer);
    return given.length === 2 && seen.payment ? { ...answer, cut: 'before' } : answer;
  });
  const fetchPaid = stage.paying({ channels: {} });
  const charged = () => [...sold.channels.values()].map(({ credit }) => credit.charged);
  await fetchPaid(url);
  const lost = await fetchPaid(url);
  expect([lost.status, given.length, charged()]).toEqual([402, 3, [20_000n]]);
  expect(settlementOf(lost)).toMatchObject({ success: true, extra: { chargedAmount: '10000' } });
  expect((await fetchPaid(url)).status).toBe(200);
  expect(charged()).toEqual([30_000n]);
});

it('a request whose answer was given up, and that its seller has charged and not kept, is told as charged when it is asked again', async () => {
  const sold = new ChannelSeller(stage.chain);
  let isCut = false;
  const { url } = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    return isCut ? { ...answer, cut: 'before' } : answer;
  });
  const fetchPaid = stage.paying({ channels: {}, recoverMs: 0 });
  await fetchPaid(url);
  isCut = true;
  await expect(fetchPaid(url)).rejects.toMatchObject({ code: 'payment_outcome_unknown' });
  isCut = false;
  const told = await fetchPaid(url);
  expect([told.status, settlementOf(told)?.extra]).toEqual([402, { chargedAmount: '10000' }]);
  expect([...sold.channels.values()].map(({ credit }) => credit.charged)).toEqual([20_000n]);
  expect((await fetchPaid(url)).status).toBe(200);
});

it('a request that its seller charged and keeps no answer to is told as charged, though another one has paid since', async () => {
  const sold = new ChannelSeller(stage.chain);
  let cut: Answer['cut'];
  const { url } = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    return cut && seen.payment ? { ...answer, cut } : answer;
  });
  const fetchPaid = stage.paying({ channels: {}, recoverMs: 0 });
  await fetchPaid(url);
  cut = 'before';
  await expect(fetchPaid(`${url}/lost`)).rejects.toThrow();
  cut = undefined;
  expect((await fetchPaid(`${url}/other`)).status).toBe(200);
  cut = 'within';
  await expect((await fetchPaid(`${url}/broken`)).text()).rejects.toThrow();
  cut = undefined;
  for (const path of ['lost', 'broken']) {
    const told = await fetchPaid(`${url}/${path}`);
    expect([path, told.status, settlementOf(told)?.extra]).toMatchObject([path, 402, { chargedAmount: '10000' }]);
  }
  expect([...sold.channels.values()].map(({ credit }) => credit.charged)).toEqual([40_000n]);
});

it('a request that its seller took and failed for a while, at no charge, is signed anew and served', async () => {
  let isFailing = false;
  const sold = new ChannelSeller(stage.chain, { cost: (maximum) => (isFailing ? 0n : maximum) });
  const { url } = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    if (!isFailing || !seen.payment) return answer;
    isFailing = false;
    return { status: 503 };
  });
  const fetchPaid = stage.paying({ channels: {} });
  await fetchPaid(url);
  isFailing = true;
  expect((await fetchPaid(url)).status).toBe(200);
  expect([...sold.channels.values()].map(({ credit }) => credit.charged)).toEqual([20_000n]);
});

it('a charged request whose answer broke off and was not kept is told as charged, and the next one is paid', async () => {
  const sold = new ChannelSeller(stage.chain);
  const receipts = new Map<string, Answer>();
  let isCut = false;
  const { url } = await stage.sellerThat(async (seen, all) => {
    const header = seen.payment?.header ?? '';
    const receipt = receipts.get(header);
    const answer = await sold.honest(seen, all);
    if (receipt) return { ...answer, headers: { ...answer.headers, ...receipt.headers } };
    if (header !== '') receipts.set(header, answer);
    return isCut ? { ...answer, cut: 'within' } : answer;
  });
  const fetchPaid = stage.paying({ channels: {} });
  await fetchPaid(url);
  isCut = true;
  await expect((await fetchPaid(url)).text()).rejects.toThrow();
  isCut = false;
  const told = await fetchPaid(url);
  expect([told.status, settlementOf(told)?.success]).toEqual([402, true]);
  expect((await fetchPaid(url)).status).toBe(200);
  expect([...sold.channels.values()].map(({ credit }) => credit.charged)).toEqual([30_000n]);
});

it('a charged request whose answer broke off is sent again, and counts once while another one is in doubt', async () => {
  const sold = new ChannelSeller(stage.chain);
  const given = new Map<string, Answer>();
  let cut: Answer['cut'];
  const seller = await stage.sellerThat(async (seen, all) => {
    const header = seen.payment?.header ?? '';
    const answer = given.get(header) ?? (await sold.honest(seen, all));
    if (header !== '') given.set(header, answer);
    return cut && header !== '' ? { ...answer, cut } : answer;
  });
  const payer = createPayer({ account, networks: { 'algorand:*': stage.chain.algod }, channels: {}, recoverMs: 0 });
  await payer.fetch(seller.url);
  cut = 'within';
  await expect((await payer.fetch(`${seller.url}/broken`)).text()).rejects.toThrow();
  cut = 'before';
  await expect(payer.fetch(`${seller.url}/lost`)).rejects.toThrow();
  cut = undefined;
  expect((await payer.fetch(`${seller.url}/broken`)).ok).toBe(true);
  expect(await payer.channels?.list()).toMatchObject([{ charged: 20_000n, claimable: 30_000n }]);
  expect((await payer.fetch(`${seller.url}/lost`)).ok).toBe(true);
  expect(await payer.channels?.list()).toMatchObject([{ charged: 30_000n }]);
});

it.each([
  [299, true],
  [300, true],
  [399, true],
  [400, false],
])(
  'a charged answer of status %s is what was paid for (%s); any other is asked for again',
  async (status, isDelivered) => {
    const sold = new ChannelSeller(stage.chain);
    const headers: string[] = [];
    const seller = await stage.sellerThat(async (seen, all) => {
      if (!seen.payment) return sold.honest(seen, all);
      headers.push(seen.payment.header);
      if (headers.length === 3 && !isDelivered) return {};
      const answer = await sold.honest(seen, all);
      return headers.length === 1 ? answer : { ...answer, status };
    });
    const fetchPaid = stage.paying({ channels: {} });
    for (let request = 0; request < 3; request++) await (await fetchPaid(seller.url)).text();
    expect(headers).toHaveLength(3);
    expect(new Set(headers).size).toBe(isDelivered ? 3 : 2);
  },
);

it('a 402 without an offer is the answer to a voucher: it was not charged, and the next request is paid', async () => {
  const sold = new ChannelSeller(stage.chain);
  let isBare = false;
  const { url } = await stage.sellerThat((seen, all) => (isBare ? { status: 402 } : sold.honest(seen, all)));
  const payer = createPayer({ account, networks: { 'algorand:*': stage.chain.algod }, channels: {} });
  await payer.fetch(url);
  isBare = true;
  expect((await payer.fetch(url)).status).toBe(402);
  expect(await payer.channels?.list()).toMatchObject([{ charged: 10_000n }]);
  isBare = false;
  expect((await payer.fetch(url)).status).toBe(200);
  expect(await payer.channels?.list()).toMatchObject([{ charged: 20_000n, claimable: 20_001n }]);
});

it('a deposit that was not settled is left alone for five seconds', async () => {
  const sold = new ChannelSeller(stage.chain);
  let isBroken = true;
  const seller = await stage.sellerThat((seen, all) =>
    isBroken && seen.payment ? { status: 500 } : sold.honest(seen, all),
  );
  const clock = { ms: 0 };
  const fetchPaid = stage.paying({ channels: {}, now: () => clock.ms });
  expect((await fetchPaid(seller.url)).status).toBe(500);
  isBroken = false;
  clock.ms = 4999;
  await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'no_acceptable_offer' });
  expect(sold.came).toEqual([]);
  clock.ms = 5000;
  expect((await fetchPaid(seller.url)).status).toBe(200);
  expect(sold.came.map(({ type }) => type)).toEqual(['deposit']);
});

it('a deposit that its wallet declined frees its budget', async () => {
  const sold = new ChannelSeller(stage.chain);
  const { url } = await stage.sellerThat(sold.honest);
  const willing = walletOf(account);
  let declines = 1;
  const wallet: TransactionWallet = {
    ...willing,
    signTransactions: (...parameters) =>
      declines-- > 0 ? Promise.reject(new Error('declined')) : willing.signTransactions(...parameters),
  };
  const spend = { perDay: '$1' };
  const payer = createPayer({ account: wallet, networks: { 'algorand:*': stage.chain.algod }, channels: {}, spend });
  await expect(payer.fetch(url)).rejects.toMatchObject({ code: 'signer_failed' });
  expect((await payer.fetch(url)).status).toBe(200);
});

it('a request whose answer is lost, and whose deposit the own node has seen expire, has failed: nothing was paid', async () => {
  const sold = new ChannelSeller(stage.chain);
  let isDead = true;
  const { url } = await stage.sellerThat(async (seen, all) => {
    if (!seen.payment || !isDead) return sold.honest(seen, all);
    await stage.chain.mine(40);
    return { cut: 'before' };
  });
  const spend = { perDay: '$1' };
  const networks = { 'algorand:*': stage.chain.algod };
  const payer = createPayer({ account, networks, channels: {}, spend, recoverMs: 0 });
  await expect(payer.fetch(url)).rejects.toMatchObject({ code: 'request_failed' });
  expect(await payer.channels?.list()).toEqual([]);
  isDead = false;
  expect((await payer.fetch(url)).status).toBe(200);
});

describe('the body of a refusal after which a request is signed anew', () => {
  /** Pays, and counts the refusals of payments whose bodies are read away, so that their connections are free. */
  function counting() {
    const taken = { bodies: 0 };
    const counted: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (answer.status !== 402 || !new Headers(init?.headers).has('payment-signature')) return answer;
      const pull = (controller: ReadableStreamDefaultController): void => {
        taken.bodies++;
        controller.close();
      };
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      return new Response(body, { status: 402, headers: answer.headers });
    };
    return { taken, fetchPaid: stage.paying({ channels: {}, recoverMs: 0, fetch: counted }) };
  }

  it('is read away where a voucher was outdated', async () => {
    const sold = new ChannelSeller(stage.chain);
    let isBusy = false;
    const { url } = await stage.sellerThat(async (seen, all) => {
      const [channel] = sold.channels.values();
      if (!isBusy || !seen.payment || !channel) return sold.honest(seen, all);
      isBusy = false;
      return sold.corrective(channel, await sold.offer(), 'channel_busy');
    });
    const { taken, fetchPaid } = counting();
    await fetchPaid(url);
    isBusy = true;
    expect([(await fetchPaid(url)).status, taken.bodies]).toEqual([200, 1]);
  });

  it('is read away where a deposit never comes any more', async () => {
    const sold = new ChannelSeller(stage.chain);
    let isLate = true;
    const { url } = await stage.sellerThat(async (seen, all) => {
      if (!isLate || !seen.payment) return sold.honest(seen, all);
      isLate = false;
      await stage.chain.mine(1100);
      return asking([await sold.offer()], { error: 'invalid_exact_avm_expired' });
    });
    const { taken, fetchPaid } = counting();
    expect([(await fetchPaid(url)).status, taken.bodies]).toEqual([200, 1]);
    expect(sold.came.map(({ type }) => type)).toEqual(['deposit']);
  });
});

it('channels that can’t be read let nothing leave, and are read again for the next request', async () => {
  const sold = new ChannelSeller(stage.chain);
  const { url } = await stage.sellerThat(sold.honest);
  const kept = memoryChannelStore();
  let failures = 1;
  const store = {
    ...kept,
    read: () => (failures-- > 0 ? Promise.reject(new Error('the disk is gone')) : kept.read()),
  };
  const fetchPaid = stage.paying({ channels: { store } });
  await expect(fetchPaid(url)).rejects.toThrow('the disk is gone');
  expect(sold.came).toEqual([]);
  expect((await fetchPaid(url)).status).toBe(200);
});

it.each([
  ['an opening', 0, ['deposit']],
  ['a top-up', 2, ['deposit', 'voucher', 'deposit']],
])('%s that a machine signed before it slept for an hour does not keep it from paying', async (_what, before, came) => {
  const sold = new ChannelSeller(stage.chain, { terms: { minDeposit: 20_000n } });
  let isAwake = true;
  const seller = await stage.sellerThat(async (seen, all) => {
    if (isAwake || !seen.payment) return sold.honest(seen, all);
    isAwake = true;
    await stage.chain.mine(1_300);
    return sold.honest({ ...seen, headers: {} }, all);
  });
  const own: AlgodClient = { ...stage.chain.algod, blockTransactionIds: () => Promise.reject(noSuchBlock) };
  const fetchPaid = stage.paying({ networks: { 'algorand:*': own }, channels: { depositMultiple: 2 } });
  for (let request = 0; request < before; request++) await fetchPaid(seller.url);
  isAwake = false;
  expect((await fetchPaid(seller.url)).status).toBe(200);
  expect(sold.came.map(({ type }) => type)).toEqual(came);
});
