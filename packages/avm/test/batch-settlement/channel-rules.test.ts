import { expect, it } from 'vitest';
import { parseAddress } from '@avm402/algorand/address';
import type { Transaction } from '@avm402/algorand/transaction';
import { type ChannelConfig, channelId, channelProgram } from '../../src/batch-settlement/channel-config.ts';
import { closingGroup, handingOverGroup } from '../../src/batch-settlement/channel-groups.ts';
import { ASSET_ACCOUNT_MINIMUM, type GroupTerms } from '../../src/signing/pooled-group.ts';
import { uptoLease } from '../../src/signing/upto-lease.ts';
import {
  closer,
  createJunk,
  FEE,
  nobody,
  payer,
  type Ruled,
  ruledBy,
  seller,
  stranger,
  type Signing,
  USDC,
  useChain,
  voucherFor,
} from './stage.ts';
import { assembled, channelConstants, channelTemplate, rulesOf, without } from './template.ts';

const chain = useChain();
const BALANCE = 3_000_000n;
const JUNK_FUNDS = 1_000_000n;

/** What an attacker has: a channel with money in it, under this program. */
interface Scene {
  readonly config: ChannelConfig;
  readonly ruled: Ruled;
  /** Of every transaction. */
  readonly header: { readonly firstValid: bigint; readonly lastValid: bigint; readonly genesisHash: Uint8Array };
}

interface Attack {
  readonly group: readonly Transaction[];
  readonly voucher?: Signing['voucher'];
}

interface AttackOn {
  readonly rule: string;
  readonly name: string;
  readonly config?: () => Partial<ChannelConfig> | Promise<Partial<ChannelConfig>>;
  /** Whether the account holds the asset, or only the ALGO that it needs for it. */
  readonly holds: 'asset' | 'algo';
  readonly attack: (scene: Scene) => Attack | Promise<Attack>;
}

const feeBy = ({ header }: Scene, sender: string, more: object = {}): Transaction => ({
  ...header,
  type: 'pay',
  fee: 10n * FEE,
  sender,
  receiver: sender,
  amount: 0n,
  ...more,
});

const transferOf = ({ header, ruled }: Scene, change: object): Transaction => ({
  ...header,
  type: 'axfer',
  fee: 0n,
  sender: ruled.address,
  receiver: ruled.address,
  assetId: USDC,
  amount: 0n,
  ...change,
});

const returnOf = ({ header, ruled }: Scene, change: object): Transaction => ({
  ...header,
  type: 'pay',
  fee: 0n,
  sender: ruled.address,
  receiver: payer.address,
  amount: 0n,
  closeRemainderTo: payer.address,
  ...change,
});

/** An opening of the scene's account with changes of its opt-in and its deposit. */
const opening = (scene: Scene, { optIn = {}, deposit = {} }: { optIn?: object; deposit?: object }): Attack => ({
  group: [
    feeBy(scene, stranger.address),
    feeBy(scene, stranger.address, { note: new Uint8Array([1]) }),
    transferOf(scene, optIn),
    transferOf(scene, { sender: payer.address, ...deposit }),
  ],
});

/** An honest closing group of the scene's account, with changes of its claim and of its first member. */
function close(scene: Scene, amount: bigint, change: { claim?: object; fee?: object } = {}): Attack {
  const { config, ruled, header } = scene;
  const real = closingGroup(config, amount, { ...header, fee: FEE });
  const [fee, claim] = renamed(real, channelId(config), ruled.address);
  if (!fee || !claim) throw new Error('not a closing group');
  const group = [
    { ...fee, ...change.fee },
    { ...claim, ...change.claim },
  ] as Transaction[];
  return { group, voucher: voucherFor(ruled, amount) };
}

/** The same group about the account of another program. */
function renamed(group: readonly Transaction[], from: string, to: string): Transaction[] {
  const lease = parseAddress(to);
  return group.map((txn) => {
    const entries = Object.entries(txn).map(([name, value]) => [
      name,
      value === from ? to : name === 'lease' ? lease : value,
    ]);
    return Object.fromEntries(entries) as Transaction;
  });
}

const expired = (): Partial<ChannelConfig> => ({ expiry: 0n });

const attacks: readonly AttackOn[] = [
  {
    rule: 'C1',
    name: 'a stranger burns the ALGO as a fee',
    holds: 'algo',
    attack: (scene) => ({ group: [feeBy(scene, stranger.address), returnOf(scene, { fee: 100_000n })] }),
  },
  {
    rule: 'C2',
    name: 'a voucher for another network’s channel is claimed here',
    config: () => ({ genesisHash: new Uint8Array(32).fill(1) }),
    holds: 'asset',
    attack: (scene) => close(scene, 1_000_000n, { claim: scene.header, fee: scene.header }),
  },
  {
    rule: 'R1',
    name: 'a stranger pays itself from the ALGO',
    holds: 'algo',
    attack: (scene) => ({
      group: [feeBy(scene, stranger.address), returnOf(scene, { receiver: stranger.address, amount: 150_000n })],
    }),
  },
  {
    rule: 'R2',
    name: 'a stranger closes the account to itself',
    holds: 'algo',
    attack: (scene) => ({
      group: [feeBy(scene, stranger.address), returnOf(scene, { closeRemainderTo: stranger.address })],
    }),
  },
  {
    rule: 'T1',
    name: 'the payer makes the account hold a junk asset, so that its ALGO can never be returned',
    holds: 'asset',
    attack: async (scene) => {
      const assetId = await createJunk(chain);
      await chain.node.fund(scene.ruled.address, JUNK_FUNDS);
      return opening(scene, { optIn: { assetId } });
    },
  },
  {
    rule: 'T2',
    name: 'the payer claws a holding back through an account that is the asset’s clawback',
    holds: 'asset',
    config: async () => ({ token: await createJunk(chain) }),
    attack: async (scene) => {
      const { token: assetId } = scene.config;
      const parameters = { manager: stranger.address, clawback: scene.ruled.address };
      const header = { ...scene.header, sender: stranger.address, fee: FEE };
      expect(await chain.send([{ ...header, type: 'acfg', assetId, parameters }], scene)).toBeUndefined();
      return opening(scene, { optIn: { assetId, amount: 10n, assetSender: stranger.address } });
    },
  },
  {
    rule: 'O1',
    name: 'the payer takes the account over, with what it has spent',
    holds: 'asset',
    attack: (scene) => opening(scene, { optIn: { rekeyTo: payer.address } }),
  },
  {
    rule: 'F1',
    name: 'a stranger refunds the deposit to itself',
    config: expired,
    holds: 'asset',
    attack: (scene) => ({
      group: [
        feeBy(scene, stranger.address),
        transferOf(scene, { receiver: stranger.address, amount: BALANCE, assetCloseTo: payer.address }),
      ],
    }),
  },
  {
    rule: 'F2',
    name: 'a stranger gets the rest of a refund',
    config: expired,
    holds: 'asset',
    attack: (scene) => ({
      group: [
        feeBy(scene, stranger.address),
        transferOf(scene, { receiver: payer.address, assetCloseTo: stranger.address }),
      ],
    }),
  },
  {
    rule: 'F3',
    name: 'the payer takes back what it has spent, before the expiry',
    holds: 'asset',
    attack: (scene) => ({
      group: [feeBy(scene, payer.address), transferOf(scene, { receiver: payer.address, assetCloseTo: payer.address })],
    }),
  },
  {
    rule: 'O2',
    name: 'the payer takes back what it has spent by an opt-in that closes',
    holds: 'asset',
    attack: (scene) => opening(scene, { optIn: { assetCloseTo: payer.address } }),
  },
  {
    rule: 'O3',
    name: 'a stranger opens a closed channel again, so that old vouchers take what the payer adds to it',
    holds: 'algo',
    attack: (scene) => opening(scene, { deposit: { sender: stranger.address } }),
  },
  {
    rule: 'O4',
    name: 'a stranger opens it again in a group in which a program of the payer pays somebody else',
    holds: 'algo',
    attack: (scene) => opening(scene, { deposit: { receiver: seller.address } }),
  },
  {
    rule: 'O5',
    name: 'a closer opens it again with what the payer pays to its address by upto',
    holds: 'algo',
    attack: (scene) => opening(scene, { deposit: { lease: uptoLease(new Uint8Array(16)) } }),
  },
  {
    rule: 'L1',
    name: 'the payer closes the channel with its smallest voucher',
    holds: 'asset',
    attack: (scene) => close(scene, 1n, { fee: { sender: payer.address, receiver: payer.address } }),
  },
  {
    rule: 'L2',
    name: 'a claim rides in a group that the closer signs for another reason',
    holds: 'asset',
    attack: (scene) => {
      const { group, voucher } = close(scene, 1n);
      const [fee, claim] = group;
      if (!fee || !claim) throw new Error('not a closing group');
      const { lease: _, ...plain } = fee;
      return { group: [plain, claim], ...(voucher && { voucher }) };
    },
  },
  {
    rule: 'L3',
    name: 'the closer keeps the rest',
    holds: 'asset',
    attack: (scene) => close(scene, 1n, { claim: { assetCloseTo: seller.address } }),
  },
  {
    rule: 'L5',
    name: 'the closer claims more than was signed',
    holds: 'asset',
    attack: (scene) => ({ ...close(scene, BALANCE), voucher: voucherFor(scene.ruled, 1n) }),
  },
  {
    rule: 'L6',
    name: 'the closer claims what nobody signed',
    holds: 'asset',
    attack: (scene) => ({
      ...close(scene, BALANCE),
      voucher: { maxClaimableAmount: BALANCE, signature: new Uint8Array(64) },
    }),
  },
];

/** A channel of a configuration under a program, with money in it. */
async function sceneOf(config: ChannelConfig, template: string, holds: AttackOn['holds']): Promise<Scene> {
  const ruled = ruledBy(assembled(template, channelConstants(config)));
  await chain.node.fund(ruled.address, ASSET_ACCOUNT_MINIMUM);
  if (holds === 'asset') await chain.node.deal(ruled.address, config.token, BALANCE);
  const { firstValid, lastValid } = await chain.terms();
  const { genesisHash } = await chain.algod.params();
  return { config, ruled, header: { firstValid, lastValid, genesisHash } };
}

it('each rule of the program stands in the table of attacks, but for the way out that L4 names', () => {
  expect(attacks.map(({ rule }) => rule)).toEqual(rulesOf(channelTemplate));
});

it.each(attacks)(
  '$rule: $name: refused by the program, done without the rule',
  async ({ rule, config, holds, attack }) => {
    const whole = await chain.config(await config?.());
    const guarded = await sceneOf(whole, channelTemplate, holds);
    expect(Buffer.from(guarded.ruled.program)).toEqual(Buffer.from(channelProgram(whole)));
    const refused = await attack(guarded);
    expect(await chain.refusal(refused.group, { ...guarded, ...refused })).toMatch(/rejected by logic/);

    const open = await sceneOf(whole, without(channelTemplate, rule), holds);
    const done = await attack(open);
    expect(await chain.refusal(done.group, { ...open, ...done })).toBeUndefined();
  },
);

it('L4: a payer that leaves the asset blocks every close, where no claim may hand the account over', async () => {
  const terms = async (): Promise<GroupTerms> => ({ ...(await chain.terms()), fee: FEE });
  const config = await chain.config({ payer: nobody });
  const [start, end] = ['txn AssetCloseTo\nglobal ZeroAddress\n==\ntxn RekeyTo\nbytec_0', '||\n'];
  const from = channelTemplate.indexOf(start);
  const template =
    channelTemplate.slice(0, from) + channelTemplate.slice(channelTemplate.indexOf(end, from) + end.length);
  for (const [source, outcome] of [
    [channelTemplate, undefined],
    [template, expect.stringMatching(/rejected by logic/)],
  ] as const) {
    const { ruled } = await sceneOf(config, source, 'asset');
    const signing = { ruled, voucher: voucherFor(ruled, 5n) };
    const rename = (group: readonly Transaction[]) => renamed(group, channelId(config), ruled.address);
    expect(await chain.refusal(rename(closingGroup(config, 5n, await terms())), signing)).toMatch(/must optin/);
    expect((await chain.refusal(rename(handingOverGroup(config, 5n, await terms())), signing)) ?? undefined).toEqual(
      outcome,
    );
  }
});

it.each([
  { rule: 'O3', deposit: { sender: stranger.address } },
  { rule: 'O5', deposit: { lease: uptoLease(new Uint8Array(16)) } },
])(
  '$rule: a closer that opens a closed channel again claims a top-up that was signed before with a voucher that it has claimed',
  async ({ rule, deposit: opener }) => {
    const [spent, added] = [2_000_000n, 1_000_000n];
    const config = await chain.config();
    for (const [source, gain] of [
      [channelTemplate, spent],
      [without(channelTemplate, rule), spent + added],
    ] as const) {
      const scene = await sceneOf(config, source, 'asset');
      const before = await chain.usdcOf(seller.address);
      const signing = { ...scene, voucher: voucherFor(scene.ruled, spent) };
      const claim = async (amount: bigint): Promise<string | undefined> => {
        const { firstValid, ...terms } = await chain.terms();
        // Its lease is held no longer.
        const group = closingGroup(config, amount, { ...terms, firstValid, lastValid: firstValid + 1n });
        return chain.send(renamed(group, channelId(config), scene.ruled.address), signing);
      };
      const deposit = transferOf(scene, { sender: payer.address, amount: added });
      const topUp = [feeBy(scene, closer.address), deposit];
      expect(await claim(spent)).toBeUndefined();
      await chain.node.fund(scene.ruled.address, ASSET_ACCOUNT_MINIMUM);
      await chain.send(opening(scene, { deposit: opener }).group, scene);
      await chain.send(topUp, scene);
      await claim(added);
      expect((await chain.usdcOf(seller.address)) - before).toBe(gain);
    }
  },
);

it('a return of the ALGO that also names a new authorizer hands nothing over: the account is gone', async () => {
  const scene = await sceneOf(await chain.config(), channelTemplate, 'algo');
  const group = [feeBy(scene, stranger.address), returnOf(scene, { rekeyTo: stranger.address })];
  expect(await chain.send(group, scene)).toBeUndefined();
  await chain.node.fund(scene.ruled.address, ASSET_ACCOUNT_MINIMUM);
  expect((await chain.algod.account(scene.ruled.address)).authAddress).toBeUndefined();
});
