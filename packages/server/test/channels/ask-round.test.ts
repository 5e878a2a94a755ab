import { parseChannelPayload } from '@avm402/avm/batch-settlement';
import { X402Error } from '@avm402/core/errors';
import type { VerifyResponse } from '@avm402/core/verify-response';
import { expect, it } from 'vitest';
import { askRound, surestOf } from '../../src/channels/rounds/ask-round.ts';
import type { Channel } from '../../src/channels/record/channel.ts';
import type { PaymentQuestion } from '../../src/facilitator/payment-question.ts';
import { channel } from '../support/channels.ts';

const signature = new Uint8Array(64).fill(3);

function expiringAt(number: number, expiry: bigint, network: `${string}:${string}` = 'algorand:x'): Channel {
  const row = channel(number, { authorized: 100n, signature });
  return { ...row, config: { ...row.config, expiry }, requirements: { ...row.requirements, network } };
}

/** What is learned when the facilitator answers this. */
async function learned(answer: VerifyResponse | Error) {
  const asked: PaymentQuestion[] = [];
  const rounds: bigint[] = [];
  await askRound(expiringAt(1, 5_000n), {
    pool: {
      verify: async (question) => {
        asked.push(question);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    rounds: { observe: (_genesisHash, round) => rounds.push(round) },
    verifyTimeoutMs: 1,
  });
  return { asked, rounds };
}

it('a network’s round is asked for by the highest voucher of a channel', async () => {
  const row = expiringAt(1, 5_000n);
  const { asked, rounds } = await learned({ isValid: true, extra: { lastRound: '4321' } });
  expect(rounds).toEqual([4_321n]);
  const { payload, requirements } = asked[0] ?? {};
  expect([requirements, payload?.accepted]).toEqual([row.requirements, row.requirements]);
  expect(parseChannelPayload(Object(payload?.payload))).toMatchObject({
    type: 'voucher',
    voucher: { channelId: row.channelId, maxClaimableAmount: 100n, signature },
  });
});

it.each<[string, VerifyResponse | Error, bigint[]]>([
  ['has expired', { isValid: false, invalidReason: 'invalid_batch_settlement_avm_channel_expiring' }, [5_000n]],
  ['is closed', { isValid: false, invalidReason: 'invalid_batch_settlement_avm_channel_closed' }, []],
  ['is open, in no round', { isValid: true }, []],
  ['is unknown: nobody answers', new X402Error('facilitator_unreachable'), []],
])('the answer that it %s tells what it can', async (_what, answer, rounds) => {
  expect((await learned(answer)).rounds).toEqual(rounds);
});

it('a network’s round is asked for once, by the channel with a voucher that expires last', () => {
  const { signature: _none, ...silent } = expiringAt(4, 9_000n);
  const other = expiringAt(5, 1n, 'algorand:y');
  const last = expiringAt(2, 8_000n);
  expect(surestOf([expiringAt(1, 7_000n), last, expiringAt(3, 8_000n), silent, other])).toEqual([last, other]);
});
