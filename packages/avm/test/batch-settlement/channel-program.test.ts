import { describe, expect, it } from 'vitest';
import type { Transaction } from '@avm402/algorand/transaction';
import { type ChannelConfig, channelId, channelProgram } from '../../src/batch-settlement/channel-config.ts';
import {
  closingGroup,
  handingOverGroup,
  openingGroup,
  refundGroup,
  signByChannel,
} from '../../src/batch-settlement/channel-groups.ts';
import { signClose } from '../../src/batch-settlement/close-authorization.ts';
import { signVoucher } from '../../src/batch-settlement/voucher.ts';
import { closer, nobody, payer, ruledBy, seller, sessionKey, stranger, USDC, useChain } from './stage.ts';
import { assembled, channelConstants, channelTemplate } from './template.ts';

const chain = useChain();
const DEPOSIT = 5_000_000n;

async function open(change: Partial<ChannelConfig> = {}) {
  const config = await chain.config(change);
  const ruled = ruledBy(channelProgram(config));
  const group = openingGroup(config, { feePayer: closer.address, deposit: DEPOSIT }, await chain.terms());
  expect(await chain.send(group, { ruled })).toBeUndefined();
  const voucher = (amount: bigint) => signVoucher(sessionKey, channelId(config), amount);
  return { config, ruled, voucher };
}

describe('the program', () => {
  it('is what its template assembles to', async () => {
    const config = await chain.config();
    expect(Buffer.from(channelProgram(config))).toEqual(
      Buffer.from(assembled(channelTemplate, channelConstants(config))),
    );
    expect(channelProgram(config)).toHaveLength(404);
    expect(channelId(config)).toBe(ruledBy(channelProgram(config)).address);
  });
});

describe('a channel', () => {
  it('opens with one group, pays the seller what was charged, and gives everything else back, to the unit', async () => {
    const before = [await chain.usdcOf(payer.address), await chain.usdcOf(seller.address)];
    const algos = chain.node.balance(payer.address).microAlgos;
    const { config, ruled, voucher } = await open();
    expect(await chain.usdcOf(ruled.address)).toBe(DEPOSIT);
    const close = closingGroup(config, 1_400_000n, await chain.terms());
    expect(await chain.send(close, { ruled, voucher: voucher(1_500_000n) })).toBeUndefined();
    expect([await chain.usdcOf(payer.address), await chain.usdcOf(seller.address)]).toEqual([
      (before[0] ?? 0n) - 1_400_000n,
      (before[1] ?? 0n) + 1_400_000n,
    ]);
    expect(chain.node.balance(ruled.address)).toEqual({ microAlgos: 0n, assets: new Map() });
    expect(chain.node.balance(payer.address).microAlgos).toBe(algos);
  });

  it('closes without a voucher when nothing was charged', async () => {
    const { config, ruled } = await open();
    expect(await chain.send(closingGroup(config, 0n, await chain.terms()), { ruled })).toBeUndefined();
    expect(await chain.usdcOf(ruled.address)).toBe(0n);
  });

  it('goes to its payer where the payer left the asset: the seller is paid, and the payer takes the rest by itself', async () => {
    const leaver = stranger;
    const { config, ruled, voucher } = await open({ payer: leaver.address, funder: leaver.address });
    const { genesisHash } = config;
    const { fee, ...window } = await chain.terms();
    const rest = { sender: leaver.address, receiver: leaver.address, assetId: USDC, amount: 0n, genesisHash, fee };
    const leaving: Transaction = { type: 'axfer', ...rest, assetCloseTo: closer.address, ...window };
    expect(await chain.send([leaving], { ruled })).toBeUndefined();
    const terms = await chain.terms();
    const signing = { ruled, voucher: voucher(2_000_000n) };
    expect(await chain.send(closingGroup(config, 2_000_000n, terms), signing)).toMatch(/receiver error: must optin/);
    const paid = await chain.usdcOf(seller.address);
    expect(await chain.send(handingOverGroup(config, 2_000_000n, terms), signing)).toBeUndefined();
    expect((await chain.usdcOf(seller.address)) - paid).toBe(2_000_000n);
    expect((await chain.algod.account(ruled.address)).authAddress).toBe(leaver.address);
    // Once the lease is free again.
    await chain.node.mine(1001);
    const again = handingOverGroup(config, 1_000_000n, await chain.terms());
    expect(await chain.send(again, signing)).toMatch(/should have been authorized by/);
  });

  it('is refunded by anybody after its expiry, and not before', async () => {
    const { lastRound } = await chain.algod.params();
    const { config, ruled } = await open({ expiry: lastRound + 10n });
    const early = refundGroup(config, seller.address, await chain.terms());
    expect(await chain.send(early, { ruled })).toMatch(/rejected by logic/);
    await chain.node.mine(12);
    const before = await chain.usdcOf(payer.address);
    const late = refundGroup(config, seller.address, await chain.terms());
    expect(await chain.send(late, { ruled })).toBeUndefined();
    expect((await chain.usdcOf(payer.address)) - before).toBe(DEPOSIT);
    expect(chain.node.balance(ruled.address).microAlgos).toBe(0n);
  });

  it('pays nothing by the word that asks to close it, whatever it is presented with', async () => {
    const { config, ruled } = await open();
    const signature = signClose(sessionKey, channelId(config));
    for (const maxClaimableAmount of [1n, 2n ** 64n - 1n]) {
      const voucher = { channelId: channelId(config), maxClaimableAmount, signature };
      expect(await chain.send(closingGroup(config, 1n, await chain.terms()), { ruled, voucher })).toMatch(
        /rejected|assert/,
      );
    }
  });

  it('is closed once, even by two replicas of its closer at the same time', async () => {
    const { config, ruled, voucher } = await open();
    const terms = await chain.terms();
    const closes = [1_000_000n, 900_000n].map((amount) => closingGroup(config, amount, terms));
    const outcomes = await Promise.all(
      closes.map((close) => chain.send(close, { ruled, voucher: voucher(1_000_000n) })),
    );
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
  });

  it('is signed by the library as by the test', async () => {
    const { config, ruled, voucher } = await open();
    const group = closingGroup(config, 5n, await chain.terms());
    const [fee, claim, back] = group;
    if (!fee || !claim || !back) throw new Error('not a closing group');
    const bytes = [closer.signTransaction(fee), signByChannel(config, claim, voucher(5n)), signByChannel(config, back)];
    await chain.algod.sendRawTransaction(Buffer.concat(bytes));
    expect(await chain.usdcOf(ruled.address)).toBe(0n);
  });
});

/** Another value for every field that a member may have. */
const others: Readonly<Record<string, unknown>> = {
  sender: nobody,
  receiver: nobody,
  amount: 1n,
  fee: 1n,
  assetId: 31_566_704n,
  assetSender: nobody,
  assetCloseTo: nobody,
  closeRemainderTo: nobody,
  rekeyTo: nobody,
  lease: new Uint8Array(32).fill(5),
  note: new Uint8Array([1]),
};

/**
 * What the program leaves to whoever builds the group: nothing that moves money to anybody else. An opt-in may move an amount
 * to where it is, a refund its amount to the payer, who gets the rest; a closed account has no authorizer any more.
 */
const FREE = {
  'opt-in': ['amount', 'lease', 'note'],
  claim: ['lease', 'note'],
  'return of the ALGO': ['lease', 'note', 'rekeyTo'],
  'claim that hands over': ['lease', 'note'],
  refund: ['amount', 'lease', 'note'],
  'return of the ALGO after a refund': ['lease', 'note', 'rekeyTo'],
};

const fieldsOf = {
  axfer: 'receiver amount fee assetId assetSender assetCloseTo rekeyTo lease note',
  pay: 'amount fee closeRemainderTo rekeyTo lease note',
};

describe('every field of every transaction that the program allows', async () => {
  const cases = [
    { name: 'opt-in', member: 2, build: 'opt-in' },
    { name: 'claim', member: 1, build: 'close' },
    { name: 'return of the ALGO', member: 2, build: 'close' },
    { name: 'claim that hands over', member: 1, build: 'hand over' },
    { name: 'refund', member: 1, build: 'refund' },
    { name: 'return of the ALGO after a refund', member: 2, build: 'refund' },
  ] as const;

  async function stageFor(build: (typeof cases)[number]['build']) {
    const { lastRound } = await chain.algod.params();
    const { config, ruled, voucher } = await open(build === 'refund' ? { expiry: lastRound + 1n } : {});
    if (build === 'refund') await chain.node.mine(3);
    const terms = await chain.terms();
    const group = {
      'opt-in': openingGroup(config, { feePayer: stranger.address, deposit: 1n }, terms),
      close: closingGroup(config, 1_000_000n, terms),
      'hand over': handingOverGroup(config, 1_000_000n, terms),
      refund: refundGroup(config, stranger.address, terms),
    }[build];
    return { group, signing: { ruled, voucher: voucher(1_000_000n) } };
  }

  for (const { name, member, build } of cases) {
    it(`${name}: another value is refused, unless it moves no money`, async () => {
      const { group, signing } = await stageFor(build);
      expect(await chain.refusal(group, signing)).toBeUndefined();
      const { type } = group[member] ?? {};
      const fields = (type === 'pay' ? fieldsOf.pay : fieldsOf.axfer).split(' ');
      const free: string[] = [];
      for (const field of fields) {
        const changed = group.map((txn, index) =>
          index === member ? { ...txn, [field]: changedValue(field, txn) } : txn,
        );
        const refusal = await chain.refusal(changed, signing);
        if (refusal === undefined) free.push(field);
      }
      expect(free.toSorted()).toEqual(FREE[name]);
    });
  }

  it('claim: every way to change the group is refused by the program', async () => {
    const { group, signing } = await stageFor('close');
    const [fee, claim, back] = group;
    if (!fee || !claim || !back) throw new Error('not a closing group');
    const { lease: _, ...withoutLease } = fee;
    const changes: Record<string, Transaction[]> = {
      'no lease': [withoutLease, claim, back],
      'another lease': [{ ...fee, lease: new Uint8Array(32).fill(1) }, claim, back],
      'led by a stranger': [{ ...fee, sender: stranger.address }, claim, back],
      'led by the payer': [{ ...fee, sender: payer.address }, claim, back],
      'the closer is not first': [{ ...fee, sender: stranger.address, note: new Uint8Array([2]) }, fee, claim, back],
      'the claim is first': [claim, fee, back],
    };
    for (const [name, changed] of Object.entries(changes)) {
      expect(await chain.refusal(changed, signing), name).toMatch(/rejected by logic/);
    }
  });

  it.each([
    ['one unit more than signed', 1_000_001n, 1_000_000n],
    ['without the signed amount', 1n, 0n],
  ])('claim: %s is refused by the program', async (_name, amount, signed) => {
    const { config, ruled, voucher } = await open();
    const group = closingGroup(config, amount, await chain.terms());
    expect(await chain.refusal(group, { ruled, voucher: voucher(signed) })).toMatch(/rejected by logic/);
    expect(await chain.refusal(group, { ruled })).toMatch(/rejected by logic/);
  });

  it('claim: a voucher of another channel, of another key, or over another amount than its argument is refused', async () => {
    const { config, ruled, voucher } = await open();
    const other = await open();
    const group = closingGroup(config, 10n, await chain.terms());
    const { signature } = voucher(10n);
    const forged = [
      other.voucher(10n),
      { ...voucher(10n), signature: closer.sign(new Uint8Array(8)) },
      { maxClaimableAmount: 11n, signature },
    ];
    for (const voucherOf of forged) {
      expect(await chain.refusal(group, { ruled, voucher: voucherOf })).toMatch(/rejected by logic/);
    }
    expect(await chain.refusal(group, { ruled, voucher: voucher(10n) })).toBeUndefined();
  });
});

function changedValue(field: string, txn: Transaction): unknown {
  const now: unknown = Object.entries(txn).find(([name]) => name === field)?.[1];
  return typeof now === 'bigint' ? now + 1n : others[field];
}
