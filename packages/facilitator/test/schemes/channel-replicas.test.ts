import { channelId } from '@avm402/avm/batch-settlement';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFacilitator, createPostgresSettlementStore } from '../../src/index.ts';
import { ChannelStage, DEPOSIT } from './channel-stage.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe('replicas on one PostgreSQL', () => {
  it('open a channel once and close it once, whoever is asked; each tells what became of it', async () => {
    const url = await server.createDatabase();
    const replica = () => ({ channels: { ofPayer: 1 }, store: createPostgresSettlementStore({ url }) });
    await using stage = await ChannelStage.start({ facilitator: replica() });
    const second = createFacilitator({
      networks: [{ algods: [stage.harness.algod] }],
      sponsorship: { account: stage.harness.account('facilitator'), payTo: [stage.seller] },
      settleTimeoutMs: 5_000,
      ...replica(),
    });
    await second.start();
    const replicas = [stage.harness.facilitator, second];
    const settleAll = (messages: Awaited<ReturnType<ChannelStage['message']>>[]) =>
      Promise.all(
        messages.map(({ payload, requirements }, index) =>
          (replicas[index % 2] ?? second).settle(payload, requirements, { idempotencyKey: 'k'.repeat(32) }),
        ),
      );
    const before = { seller: stage.usdc(stage.seller), algo: stage.algo(stage.sponsor) };

    const configs = await Promise.all([1, 2, 3, 4].map(() => stage.config()));
    const openings = await Promise.all(configs.map(async (config) => stage.message(await stage.opening(config))));
    const opened = await settleAll(openings);
    expect(opened.filter(({ success }) => success)).toHaveLength(1);
    const refused = opened.filter(({ success }) => !success).map(({ errorReason }) => errorReason);
    expect(new Set(refused)).toEqual(new Set(['invalid_batch_settlement_avm_sponsorship']));

    const config = configs[opened.findIndex(({ success }) => success)];
    if (config === undefined) throw new Error('no channel is open');
    expect(stage.usdc(channelId(config))).toBe(DEPOSIT);
    const amounts = [100n, 200n, 300n, 400n];
    const answers = await settleAll(
      await Promise.all(amounts.map((amount) => stage.message(stage.claim(config, amount)))),
    );
    const [first] = answers;
    expect(first).toMatchObject({ success: true, extra: { move: 'close' } });
    expect(answers).toEqual(amounts.map(() => first));
    expect(String(stage.usdc(stage.seller) - before.seller)).toBe(first?.amount);
    expect(before.algo - stage.algo(stage.sponsor)).toBe(7_000n);
    await second.close();
  });
});
