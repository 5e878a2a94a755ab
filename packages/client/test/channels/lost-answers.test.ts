import { expect, it } from 'vitest';
import { parseChannelPayload } from '@avm402/avm/batch-settlement';
import { decodePaymentSignatureHeader } from '@avm402/core/headers';
import { useStage } from '../stage.ts';
import { ChannelSeller } from './channel-seller.ts';

const stage = useStage();

/** A seller with a line that is cut before or after what comes has reached it. */
async function cuttable() {
  const sold = new ChannelSeller(stage.chain);
  const line: { cut: 'asked' | 'answered' | undefined } = { cut: undefined };
  const amounts: bigint[] = [];
  const seller = await stage.sellerThat(async (seen, all) => {
    if (seen.payment) {
      const { voucher } = parseChannelPayload(decodePaymentSignatureHeader(seen.payment.header).payload) as {
        voucher: { maxClaimableAmount: bigint };
      };
      amounts.push(voucher.maxClaimableAmount);
    }
    if (line.cut === 'asked' && seen.payment) return { cut: 'before' };
    const answer = await sold.honest(seen, all);
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

it('a voucher that lost its answer ten minutes ago is not sent again', async () => {
  const { line, amounts, ask, clock } = await cuttable();
  await ask(1);
  line.cut = 'asked';
  await ask(1);
  line.cut = undefined;
  clock.ms += 600_000;
  expect(await ask(1)).toEqual([true]);
  expect(amounts).toEqual([10_000n, 20_000n, 20_001n]);
});
