import { describe, expect, it, onTestFinished } from 'vitest';
import { isDeepStrictEqual } from 'node:util';
import type { AlgodClient } from '@avm402/algorand/algod';
import { channelId, type ChannelPayload, type ParsedDeposit, parseChannelPayload } from '@avm402/avm/batch-settlement';
import { openCredit } from '@avm402/avm/batch-settlement/server/record';
import { decodePaymentSignatureHeader, encodePaymentResponseHeader } from '@avm402/core/headers';
import { type ChannelRecord, type ChannelStore, createPayer, type JournalEntry, reportOf } from '@avm402/client';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import { startChain } from '../chain.ts';
import { seededRandom } from '../random.ts';
import { type Answer, type Answers, asking } from '../seller.ts';
import { payer as account, useStage } from '../stage.ts';
import { ChannelSeller, receiptOf, type SoldChannel } from './channel-seller.ts';

const stage = useStage();

type Lie = (honest: Answer, channel: SoldChannel | undefined, sold: ChannelSeller) => Answer | Promise<Answer>;

/** A seller that serves honestly, and then answers what it likes. */
async function lying(lie: Lie) {
  const sold = new ChannelSeller(stage.chain);
  let isLying = false;
  const answers: Answers = async (seen, all) => {
    const honest = await sold.honest(seen, all);
    const [channel] = sold.channels.values();
    return isLying && seen.headers['payment-signature'] !== undefined ? lie(honest, channel, sold) : honest;
  };
  const seller = await stage.sellerThat(answers);
  const from = () => {
    isLying = true;
  };
  return { seller, sold, from, honestAgain: () => (isLying = false) };
}

/** The highest amount that anybody has signed. */
function highest(came: readonly ChannelPayload[]): bigint {
  return came.reduce((most, payload) => {
    const amount = payload.type === 'refund' ? 0n : (payload.voucher?.maxClaimableAmount ?? 0n);
    return amount > most ? amount : most;
  }, 0n);
}

describe('a seller that lies about a channel', () => {
  it('can’t make the buyer sign its deposit away by a hint of a huge charge (mppx PR 260)', async () => {
    const { seller, sold, from } = await lying(async (_honest, channel) => {
      if (!channel) throw new Error('no channel');
      const credit = { ...channel.credit, charged: 900_000n };
      return sold.corrective({ ...channel, credit }, await sold.offer(), 'cumulative_amount_mismatch');
    });
    const fetchPaid = stage.paying({ channels: {} });
    await fetchPaid(seller.url);
    from();
    const response = await fetchPaid(seller.url);
    expect(response.status).toBe(402);
    expect(reportOf(response)?.problem).toMatchObject({ code: 'channel_unavailable' });
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'no_acceptable_offer' });
    expect(highest(sold.came)).toBe(20_000n);
  });

  it('can’t show a voucher that the buyer’s key has not signed', async () => {
    const { seller, sold, from } = await lying(async (_honest, channel) => {
      if (!channel?.highest) throw new Error('no voucher');
      const forged = { ...channel.highest, maxClaimableAmount: 900_000n };
      const credit = { ...channel.credit, charged: 900_000n };
      return sold.corrective({ ...channel, credit, highest: forged }, await sold.offer(), 'channel_busy');
    });
    const fetchPaid = stage.paying({ channels: {} });
    await fetchPaid(seller.url);
    from();
    expect(reportOf(await fetchPaid(seller.url))?.problem).toMatchObject({ code: 'channel_unavailable' });
    expect(highest(sold.came)).toBe(20_000n);
  });

  it('is not believed where a receipt is over more than was offered, and the buyer says so', async () => {
    const { seller, sold, from } = await lying((_honest, channel) => {
      if (!channel) throw new Error('no channel');
      return { headers: receiptOf(channel, { cost: 500_000n, transaction: '', network: sold.network }) };
    });
    const payer = createPayer({ account, networks: { 'algorand:*': stage.chain.algod }, channels: {} });
    await payer.fetch(seller.url);
    from();
    const response = await payer.fetch(seller.url);
    expect(response.status).toBe(200);
    expect(reportOf(response)?.problem).toMatchObject({ code: 'charge_above_maximum' });
    expect(await payer.channels?.list()).toMatchObject([{ charged: 20_000n }]);
    await payer.fetch(seller.url);
    expect(highest(sold.came)).toBe(30_000n);
  });

  it('does not get a second deposit by saying that it knows no such channel', async () => {
    const { seller, sold, from } = await lying(async (_honest, _channel) =>
      asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_not_found' }),
    );
    const fetchPaid = stage.paying({ channels: {} });
    await fetchPaid(seller.url);
    from();
    const confirmed = (await stage.chain.confirmed()).length;
    for (let request = 0; request < 4; request++) await fetchPaid(seller.url).catch(() => {});
    expect((await stage.chain.confirmed()).length).toBe(confirmed);
    expect(highest(sold.came)).toBeLessThanOrEqual(10_000n + 4n * 10_002n);
  });

  it('nor of a later process, whose own node is behind the block of the first', async () => {
    const { seller, sold, from } = await lying(async () =>
      asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_not_found' }),
    );
    await stage.chain.mine(3);
    const [store, entries]: [ChannelStore, JournalEntry[]] = [memoryChannelStore(), []];
    const options = {
      account,
      channels: { store },
      journal: { read: async () => entries, append: async (entry: JournalEntry) => void entries.push(entry) },
      spend: { perDay: '$1.50' },
    };
    const first = createPayer({ ...options, networks: { 'algorand:*': stage.chain.algod } });
    expect((await first.fetch(seller.url)).status).toBe(200);
    await first.finish(1_000);
    from();
    const behind = await startChain();
    onTestFinished(behind.stop);
    const elsewhere = { channels: { store: { ...store } }, networks: { 'algorand:*': behind.algod } };
    const next = createPayer({ ...options, ...elsewhere });
    for (let request = 0; request < 3; request++) await next.fetch(`${seller.url}/${request}`).catch(() => {});
    const deposits = sold.came.flatMap((one) => (one.type === 'deposit' ? [channelId(one.channelConfig)] : []));
    expect(new Set(deposits).size).toBe(1);
    expect(await next.channels?.list()).toMatchObject([{ state: 'open', deposited: 1_000_000n }]);
  });

  it('nor where two nodes answer at the address of the own one, of which one is behind that block', async () => {
    const { seller, sold, from } = await lying(async () =>
      asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_not_found' }),
    );
    const behind = await startChain();
    onTestFinished(behind.stop);
    const { algod } = stage.chain;
    let answering = algod;
    const balanced: AlgodClient = { ...algod, accountAsset: (...asked) => answering.accountAsset(...asked) };
    const fetchPaid = stage.paying({ channels: {}, networks: { 'algorand:*': balanced } });
    await fetchPaid(seller.url);
    from();
    answering = behind.algod;
    const confirmed = (await stage.chain.confirmed()).length;
    for (let request = 0; request < 3; request++) await fetchPaid(seller.url).catch(() => {});
    expect((await stage.chain.confirmed()).length).toBe(confirmed);
    const deposits = sold.came.flatMap((one) => (one.type === 'deposit' ? [channelId(one.channelConfig)] : []));
    expect(new Set(deposits).size).toBe(1);
  });

  it.each(['channel_closed', 'channel_expiring'])(
    'nor by saying %s, where the chain says otherwise',
    async (reason) => {
      const { seller, sold, from } = await lying(async () =>
        asking([await sold.offer()], { error: `invalid_batch_settlement_avm_${reason}` }),
      );
      const fetchPaid = stage.paying({ channels: {} });
      await fetchPaid(seller.url);
      from();
      const confirmed = (await stage.chain.confirmed()).length;
      const response = await fetchPaid(seller.url);
      expect(reportOf(response)?.problem).toMatchObject({ code: 'channel_unavailable' });
      expect((await stage.chain.confirmed()).length).toBe(confirmed);
    },
  );
});

it.each([0n, 2000n])(
  'a seller that calls channels expiring gets one deposit, whatever it asks of new ones meanwhile (first %s rounds)',
  async (first) => {
    let minRounds = first;
    const sold = new ChannelSeller(stage.chain, {
      get terms() {
        return { minRounds };
      },
    });
    const seller = await stage.sellerThat(async (seen, all) => {
      const honest = await sold.honest(seen, all);
      if (sold.came.at(-1)?.type !== 'voucher') return honest;
      return asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_expiring' });
    });
    let time = 0;
    const fetchPaid = stage.paying({ channels: {}, spend: { perDay: '$5' }, now: () => time });
    for (let request = 0; request < 5; request++) {
      await fetchPaid(`${seller.url}/${request}`).catch(() => {});
      await stage.chain.mine(1);
      minRounds = 2n * minRounds + 2n;
      time += 10_000;
    }
    expect(sold.came.filter(({ type }) => type === 'deposit')).toHaveLength(1);
  },
);

it('a seller that is always busy is sent four vouchers, and nothing more for five seconds', async () => {
  const { seller, sold, from } = await lying(async () =>
    asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_busy' }),
  );
  let time = 0;
  const fetchPaid = stage.paying({ channels: {}, now: () => time });
  await fetchPaid(seller.url);
  from();
  await fetchPaid(seller.url);
  expect(sold.came).toHaveLength(5);
  time += 4_999;
  await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'no_acceptable_offer' });
  time += 1;
  await fetchPaid(seller.url);
  expect(sold.came).toHaveLength(9);
});

describe('a seller that says a deposit is settled, and keeps it', () => {
  /** Takes every deposit, settles none, and knows no channel; then settles all that it holds. */
  async function keeping() {
    const sold = new ChannelSeller(stage.chain);
    const kept: ParsedDeposit[] = [];
    const seller = await stage.sellerThat(async ({ headers }) => {
      const offer = await sold.offer();
      const header = headers['payment-signature'];
      if (typeof header !== 'string') return asking([offer]);
      const payload = parseChannelPayload(decodePaymentSignatureHeader(header).payload);
      if (payload.type !== 'deposit' || kept.some((one) => isDeepStrictEqual(one.deposit, payload.deposit))) {
        return asking([offer], { error: 'invalid_batch_settlement_avm_channel_not_found' });
      }
      kept.push(payload);
      const channel = { config: payload.channelConfig, credit: openCredit(payload.deposit.amount), highest: undefined };
      return { headers: receiptOf(channel, { cost: 10_000n, transaction: '', network: offer.network }) };
    });
    const settleAll = async (): Promise<void> => {
      for (const payload of kept) await sold.settle(payload, await sold.offer()).catch(() => {});
    };
    return { seller, kept, settleAll };
  }

  it('gets one, however often it is asked: only the own node says that a channel holds nothing', async () => {
    const { seller, kept, settleAll } = await keeping();
    let time = 0;
    const fetchPaid = stage.paying({ channels: {}, spend: { perDay: '$5' }, now: () => time });
    for (let request = 0; request < 12; request++) {
      await fetchPaid(`${seller.url}/${request}`).catch(() => {});
      time += 10_000;
    }
    await settleAll();
    expect(kept).toHaveLength(1);
    expect((await stage.chain.confirmed()).length).toBe(2);
  });

  it('gets another one once the window of the first has passed, which then moves nothing', async () => {
    const { seller, kept, settleAll } = await keeping();
    const fetchPaid = stage.paying({ channels: {}, spend: { perDay: '$1' } });
    await fetchPaid(seller.url);
    await stage.chain.mine(40);
    expect((await fetchPaid(seller.url)).status).toBe(200);
    await settleAll();
    expect(kept).toHaveLength(2);
    expect((await stage.chain.confirmed()).length).toBe(2);
  });
});

describe('a seller that tells the truth', () => {
  it('that lost its record is shown the deposit again, and goes on with the channel', async () => {
    const { seller, sold } = await lying((honest) => honest);
    const fetchPaid = stage.paying({ channels: {} });
    await fetchPaid(seller.url);
    sold.forget();
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(sold.came.map(({ type }) => type)).toEqual(['deposit', 'voucher', 'deposit']);
    expect(sold.channels.size).toBe(1);
  });

  it('that has closed the channel gets another one, within the budgets', async () => {
    const { seller, sold } = await lying((honest) => honest);
    const fetchPaid = stage.paying({ channels: {}, spend: { perDay: '$2' } });
    await fetchPaid(seller.url);
    const [channel] = sold.channels.values();
    if (channel) await sold.close(channel);
    expect((await fetchPaid(seller.url)).status).toBe(200);
    const [next] = sold.channels.values();
    expect(next && channel && channelId(next.config)).not.toBe(channel && channelId(channel.config));
  });

  it('that has closed the channel gives its rest back to the budgets once, however many requests learn of it', async () => {
    const { seller, sold } = await lying((honest) => honest);
    const payer = createPayer({
      account,
      networks: { 'algorand:*': stage.chain.algod },
      channels: { depositMultiple: 10 },
      spend: { perDay: '$5' },
    });
    for (let request = 0; request < 4; request++) await payer.fetch(seller.url);
    const [channel] = sold.channels.values();
    if (channel) await sold.close(channel);
    const [closed] = (await payer.channels?.list()) ?? [];
    await Promise.all([1, 2, 3].map((request) => payer.fetch(`${seller.url}/${request}`)));
    const id = closed?.id ?? '';
    await payer.channels?.recover(id);
    await payer.channels?.close(id).catch(() => {});
    const [dollars] = await payer.spending();
    // What was charged, what the refused requests were signed for, and the next deposit.
    expect(dollars?.day.spent).toBe(40_000n + 30_000n + 100_000n);
  });

  it('that takes no vouchers shortly before the expiry gets another channel', async () => {
    const { seller, sold } = await lying((honest) => honest);
    const fetchPaid = stage.paying({ channels: {}, spend: { perDay: '$2' } });
    await fetchPaid(seller.url);
    const [first] = sold.channels.keys();
    await stage.chain.mine(1500);
    sold.retire(first ?? '');
    expect((await fetchPaid(seller.url)).status).toBe(200);
    expect([...sold.channels.values()].map(({ credit }) => credit.charged)).toEqual([10_000n, 10_000n]);
  });

  it('that another holder of the key has paid as well is followed', async () => {
    const { seller, sold } = await lying((honest) => honest);
    const records: ChannelRecord[] = [];
    const store: ChannelStore = {
      read: () => Promise.resolve(records.slice(-1)),
      write: (record) => Promise.resolve(void records.push(record)),
    };
    const one = stage.paying({ channels: { store } });
    await one(seller.url);
    const other = stage.paying({ channels: { store: { ...store, write: () => Promise.resolve() } } });
    for (const fetchPaid of [other, other, one, one, other, other])
      expect((await fetchPaid(seller.url)).status).toBe(200);
    const [channel] = sold.channels.values();
    expect(channel?.credit.charged).toBe(70_000n);
  });
});

describe('whatever a seller answers', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'the buyer signs no more than it asked for, and one unit a failed request (run %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const lies: readonly [Lie, ...Lie[]] = [
        (honest) => honest,
        (honest) => ({ ...honest, cut: 'before' }),
        (honest) => ({ ...honest, cut: 'within' }),
        () => ({ status: 500 }),
        async (_honest, _channel, sold) =>
          asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_channel_busy' }),
        async (_honest, channel, sold) => {
          if (!channel) return {};
          const charged = channel.credit.charged + BigInt(random.below(40_000));
          return sold.corrective(
            { ...channel, credit: { ...channel.credit, charged } },
            await sold.offer(),
            'channel_busy',
          );
        },
        (_honest, channel, sold) =>
          channel
            ? {
                headers: receiptOf(channel, {
                  cost: BigInt(random.below(20_000)),
                  transaction: '',
                  network: sold.network,
                }),
              }
            : {},
        (_honest, _channel, sold) => ({
          headers: {
            'PAYMENT-RESPONSE': encodePaymentResponseHeader({
              success: true,
              transaction: 'A'.repeat(52),
              network: sold.network,
            }),
          },
        }),
      ];
      const { seller, sold, from } = await lying((...args) => random.pick(lies)(...args));
      const fetchPaid = stage.paying({ channels: {}, recoverMs: 0, spend: { perDay: '$2' } });
      await fetchPaid(seller.url);
      from();
      let asked = 10_000n;
      for (let request = 0; request < 12; request++) {
        const batch = Array.from({ length: 1 + random.below(4) }, (_, index) =>
          fetchPaid(`${seller.url}/${request}/${index}`).then(
            (response) => response.arrayBuffer().catch(() => {}),
            () => {},
          ),
        );
        asked += BigInt(batch.length) * 10_000n;
        await Promise.all(batch);
        const failed = BigInt(sold.came.length);
        expect(highest(sold.came)).toBeLessThanOrEqual(asked + failed);
      }
      // At most two deposits of a dollar.
      const deposits = (await stage.chain.confirmed()).length;
      expect(deposits).toBeLessThanOrEqual(4);
    },
  );
});
