import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { type ChannelConfig, channelId } from '@avm402/avm/batch-settlement';
import { encodeUptoPayload, type UptoAuthorization, uptoProgram } from '@avm402/avm/upto';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import type { SettleResponse } from '@avm402/core/settle-response';
import { developmentAccounts } from '@avm402/devnode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelStage, DEPOSIT } from './channel-stage.ts';
import { USDC } from '../devnode-harness.ts';

const closer = parseAccount(developmentAccounts().facilitator.privateKey);
/** Pays the fees of `upto`; the first account closes and funds channels. */
const second = accountFromSeed(new Uint8Array(32).fill(71));
const rounds = ['first', 'second'] as const;
/** Payers that have left the asset: their channels can only be handed over. */
const leavers = rounds.map((_, index) => accountFromSeed(new Uint8Array(32).fill(100 + index)));
const CHARGE = 1_000n;

let stage: ChannelStage;
beforeAll(async () => {
  stage = await ChannelStage.start({
    // It fetches nothing back by itself meanwhile.
    facilitator: { leaseMs: 3_600_000, sponsorship: { account: closer, moreAccounts: [second], anyone: true } },
  });
  await stage.harness.devnode.fund(second.address, 1_000_000_000n);
});
afterAll(() => stage[Symbol.asyncDispose]());

const uptoOffer = (feePayer: string) =>
  stage.harness.requirements({ scheme: 'upto', amount: '50000', extra: { feePayer } });

/** Settles one unit under an authorization of any terms, as a buyer with its own code could have it. */
async function settleUpto(change: Partial<UptoAuthorization>): Promise<SettleResponse> {
  const offer = uptoOffer(change.feePayer ?? second.address);
  const client = new UptoAvmClient({ account: stage.payer, algod: () => stage.harness.algod });
  const honest = await client.authorize(offer);
  const authorization = { ...honest.authorization, ...change };
  const signature = stage.payer.sign(Buffer.concat([Buffer.from('Program'), uptoProgram(authorization)]));
  const payload = encodeUptoPayload({ payer: stage.payer.address, authorization, signature });
  const paid = { x402Version: 2, accepted: offer, payload };
  return stage.harness.facilitator.settle(paid, { ...offer, amount: '1' });
}

describe('an authorization of upto whose lease is a channel’s id', () => {
  it.each([
    ['the closer', () => stage.sponsor],
    ['another sponsor', () => second.address],
  ])('settles nothing where %s pays the fee, and the channel is closed for what was charged', async (_, feePayer) => {
    const config = await stage.open();
    const before = stage.usdc(stage.seller);
    const squat = await settleUpto({ feePayer: feePayer(), lease: parseAddress(channelId(config)) });
    expect(squat).toMatchObject({ success: false, errorReason: 'invalid_upto_avm_payload', transaction: '' });
    const closed = await stage.settle(stage.claim(config, DEPOSIT));
    expect(closed).toMatchObject({ success: true, amount: String(DEPOSIT) });
    expect(stage.usdc(stage.seller) - before).toBe(DEPOSIT);
  });

  it('is refused with the right lease, too, where the closer is to pay the fee', async () => {
    const refused = await settleUpto({ feePayer: stage.sponsor });
    expect(refused).toMatchObject({ success: false, errorReason: 'invalid_upto_avm_authorization', transaction: '' });
    expect(await settleUpto({})).toMatchObject({ success: true });
  });
});

/** One thing that accounts of ours sign for: what comes of it, and how many µAlgo it costs the closer and the second one. */
interface Kind {
  readonly name: string;
  readonly do: () => Promise<SettleResponse>;
  readonly closer: bigint;
  readonly second?: bigint;
  /** Atomic units that the seller gets. */
  readonly seller?: bigint;
}

const LENT = 200_000n;
const expired: ChannelConfig[] = [];
const left: ChannelConfig[] = [];
const open: ChannelConfig[] = [];

const kinds: readonly Kind[] = [
  { name: 'exact', do: payExact, closer: 2_000n, seller: 10_000n },
  { name: 'upto', do: () => settleUpto({}), closer: 0n, second: 2_000n, seller: 1n },
  { name: 'deposit', do: async () => stage.settle(await stage.opening(await stage.config())), closer: LENT + 4_000n },
  { name: 'top-up', do: async () => stage.settle(await stage.toppingUp(next(open), 1n)), closer: 2_000n },
  {
    name: 'close',
    do: () => stage.settle(stage.claim(next(open), CHARGE)),
    closer: 3_000n - LENT,
    seller: CHARGE,
  },
  {
    name: 'hand-over',
    do: () => stage.settle(stage.claim(next(left), CHARGE)),
    closer: 2_000n,
    seller: CHARGE,
  },
  {
    name: 'refund',
    do: () => stage.settle({ type: 'refund', channelConfig: next(expired) }),
    closer: 3_000n - LENT,
  },
];

function next(configs: ChannelConfig[]): ChannelConfig {
  const config = configs.pop();
  if (config === undefined) throw new Error('no channel is left for this');
  return config;
}

async function payExact(): Promise<SettleResponse> {
  const requirements = stage.harness.requirements();
  return stage.harness.facilitator.settle(await stage.harness.pay(requirements), requirements);
}

/** What the closer, the second account and the seller have. */
const books = () => [stage.algo(stage.sponsor), stage.algo(second.address), stage.usdc(stage.seller)] as const;

describe('of all that accounts of ours sign', () => {
  beforeAll(async () => {
    for (const _ of rounds) expired.push(await stage.open());
    await stage.expire(expired.at(-1) as ChannelConfig);
    for (const leaver of leavers) left.push(await openAndLeave(leaver));
    for (const _ of rounds) open.push(await stage.open(), await stage.open());
  });

  // Twice through the table: each kind comes after each, itself included.
  const turns = rounds.flatMap((round) => kinds.map((kind) => [kind.name, round, kind] as const));
  it.each(turns)(
    '%s (%s time) is blocked by none before it, and pays and spends only what is its own',
    async (...turn) => {
      const [, , kind] = turn;
      const before = books();
      expect(await kind.do()).toMatchObject({ success: true });
      const after = books();
      const moved = [before[0] - after[0], before[1] - after[1], after[2] - before[2]];
      expect(moved).toEqual([kind.closer, kind.second ?? 0n, kind.seller ?? 0n]);
    },
  );
});

/** A channel of a payer of its own, which has left the asset since. */
async function openAndLeave(leaver: Account): Promise<ChannelConfig> {
  const { harness } = stage;
  await harness.devnode.fund(leaver.address, 1_000_000n);
  await harness.devnode.deal(leaver.address, USDC, DEPOSIT);
  const config = await stage.config({ payer: leaver.address });
  const opened = await stage.settle(await stage.opening(config, DEPOSIT, (members) => members, leaver));
  expect(opened).toMatchObject({ success: true });
  const { address: sender } = leaver;
  const leaving = { type: 'axfer', sender, receiver: stage.seller, assetId: USDC, amount: 0n } as const;
  await harness.send(leaver, { ...(await harness.header()), ...leaving, assetCloseTo: stage.seller });
  return config;
}
