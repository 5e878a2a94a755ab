import { expect, it } from 'vitest';
import { accountFromSeed } from '@avm402/algorand/account';
import type { AssetTransferTransaction, Transaction } from '@avm402/algorand/transaction';
import { type MandateConfig, mandateProgram } from '../../src/mandate/mandate-config.ts';
import { slotLease } from '../../src/mandate/mandate-window.ts';
import { receiverTree } from '../../src/mandate/receiver-tree.ts';
import { ASSET_ACCOUNT_MINIMUM } from '../../src/signing/pooled-group.ts';
import { createJunk, FEE, type Ruled, ruledBy, seller, stranger, useChain } from '../batch-settlement/stage.ts';
import { assembled, mandateTemplate, rulesOf, without } from '../batch-settlement/template.ts';
import { type AgentSigning, ending, feeBy, mandateConstants, mandateOn, owner, payment, refusalOf } from './stage.ts';

const chain = useChain();
const BALANCE = 3_000_000n;

/** What an attacker has: a mandate with money in it, under this program. */
interface Scene {
  readonly config: MandateConfig;
  readonly ruled: Ruled;
}

interface Attack {
  readonly group: readonly Transaction[];
  readonly signing?: Partial<AgentSigning>;
}

interface AttackOn {
  readonly rule: string;
  readonly name: string;
  readonly config?: () => Partial<MandateConfig> | Promise<Partial<MandateConfig>>;
  /** Whether the account holds only ALGO, and no asset. */
  readonly algoOnly?: true;
  readonly attack: (scene: Scene) => Promise<Attack>;
}

/** A payment by the agent's key, changed, whose fee somebody else pays. */
async function paying({ ruled }: Scene, change: Partial<AssetTransferTransaction>): Promise<Attack> {
  const transfer = await payment(chain, ruled, change);
  return { group: [feeBy(stranger, transfer), transfer] };
}

/** A transfer of nothing to the account itself, sent by a stranger. */
async function optingIn(scene: Scene, change: Partial<AssetTransferTransaction>): Promise<Attack> {
  const { lease: _, ...transfer } = await payment(chain, scene.ruled, { receiver: scene.ruled.address, amount: 0n });
  return { group: [feeBy(stranger, transfer), { ...transfer, ...change }] };
}

/** The return of the ALGO, sent by a stranger. */
async function returning({ ruled }: Scene, change: object): Promise<Attack> {
  const { firstValid, lastValid, genesisHash } = await payment(chain, ruled);
  const header = { firstValid, lastValid, genesisHash, sender: ruled.address, fee: 0n };
  const close: Transaction = {
    ...header,
    type: 'pay',
    receiver: owner.address,
    amount: 0n,
    closeRemainderTo: owner.address,
    ...change,
  };
  return { group: [feeBy(stranger, close), close] };
}

/** The end of the mandate, sent by a stranger. */
async function endingBy(scene: Scene, change: Partial<AssetTransferTransaction>): Promise<Attack> {
  const close = { ...(await ending(chain, scene.config, scene.ruled, stranger)), ...change };
  return { group: [feeBy(stranger, close), close] };
}

const expired = (): Partial<MandateConfig> => ({ expiry: 0n });
const thief = stranger.address;

const attacks: readonly AttackOn[] = [
  {
    rule: 'M1',
    name: 'the agent pays here from a mandate for another network',
    config: () => ({ genesisHash: new Uint8Array(32).fill(1) }),
    attack: (scene) => paying(scene, {}),
  },
  {
    rule: 'R1',
    name: 'a stranger pays itself from the ALGO',
    algoOnly: true,
    attack: (scene) => returning(scene, { receiver: thief, amount: 150_000n }),
  },
  {
    rule: 'R2',
    name: 'a stranger closes the account to itself',
    algoOnly: true,
    attack: (scene) => returning(scene, { closeRemainderTo: thief }),
  },
  {
    rule: 'T1',
    name: 'a stranger makes the account hold a junk asset after the expiry, so that its ALGO can never be returned',
    config: expired,
    attack: async (scene) => {
      await chain.node.fund(scene.ruled.address, 1_000_000n);
      return optingIn(scene, { assetId: await createJunk(chain) });
    },
  },
  {
    rule: 'T2',
    name: 'anybody claws a holding back through an account that is the asset’s clawback',
    config: async () => ({ ...expired(), asset: await createJunk(chain) }),
    attack: async (scene) => {
      const { asset: assetId } = scene.config;
      const { firstValid, lastValid, genesisHash } = await payment(chain, scene.ruled);
      const header = { firstValid, lastValid, genesisHash, sender: stranger.address, fee: FEE };
      const parameters = { manager: stranger.address, clawback: scene.ruled.address };
      const appoint: Transaction = { ...header, type: 'acfg', assetId, parameters };
      await chain.algod.sendRawTransaction(stranger.signTransaction(appoint));
      return optingIn(scene, { assetId, amount: 10n, assetSender: stranger.address });
    },
  },
  {
    rule: 'T3',
    name: 'a stranger takes an expired account over',
    config: expired,
    attack: (scene) => optingIn(scene, { rekeyTo: thief }),
  },
  {
    rule: 'P1',
    name: 'the agent pays more than the cap',
    attack: (scene) => paying(scene, { amount: scene.config.cap + 1n }),
  },
  {
    rule: 'P2',
    name: 'the agent burns what the owner left for fees',
    attack: async (scene) => {
      await chain.node.fund(scene.ruled.address, 1_000_000n);
      return paying(scene, { fee: 2n * FEE });
    },
  },
  {
    rule: 'P3',
    name: 'the agent pays after the expiry',
    config: expired,
    attack: (scene) => paying(scene, {}),
  },
  {
    rule: 'P4',
    name: 'the agent pays in a seventh slot of six',
    attack: (scene) => paying(scene, { lease: slotLease(7n) }),
  },
  {
    rule: 'P5',
    name: 'the agent pays in slot zero, which the ledger never holds',
    attack: (scene) => paying(scene, { lease: new Uint8Array(32) }),
  },
  {
    rule: 'P6',
    name: 'the agent frees a slot before its window ends',
    attack: async (scene) => paying(scene, { lastValid: (await payment(chain, scene.ruled)).lastValid - 1n }),
  },
  {
    rule: 'P7',
    name: 'the agent pays somebody who is not among the receivers',
    config: () => ({ receivers: receiverTree([seller.address]).root }),
    attack: async (scene) => ({
      ...(await paying(scene, { receiver: thief })),
      signing: { path: receiverTree([seller.address]).pathTo(seller.address) },
    }),
  },
  {
    rule: 'P8',
    name: 'a stranger pays itself',
    attack: async (scene) => ({
      ...(await paying(scene, { receiver: thief })),
      signing: { agent: accountFromSeed(new Uint8Array(32).fill(66)) },
    }),
  },
  {
    rule: 'E1',
    name: 'a stranger closes an expired mandate to itself',
    config: expired,
    attack: (scene) => endingBy(scene, { assetCloseTo: thief }),
  },
  {
    rule: 'E2',
    name: 'a stranger ends an expired mandate and is paid first',
    config: expired,
    attack: (scene) => endingBy(scene, { receiver: thief, amount: BALANCE }),
  },
  {
    rule: 'E3',
    name: 'a stranger ends the mandate before its expiry',
    attack: (scene) => endingBy(scene, {}),
  },
  {
    rule: 'F1',
    name: 'a stranger burns what the owner left for fees, after the expiry',
    config: expired,
    attack: async (scene) => {
      await chain.node.fund(scene.ruled.address, 1_000_000n);
      return optingIn(scene, { fee: FEE });
    },
  },
  {
    rule: 'F2',
    name: 'a stranger takes the agent’s slots of a mandate that is not open yet',
    algoOnly: true,
    attack: (scene) => returning(scene, { lease: slotLease(1n) }),
  },
];

/** A mandate under a program, with money in it. */
async function sceneOf(config: MandateConfig, template: string, algoOnly = false): Promise<Scene> {
  const ruled = ruledBy(assembled(template, mandateConstants(config)));
  await chain.node.fund(ruled.address, ASSET_ACCOUNT_MINIMUM);
  if (!algoOnly) await chain.node.deal(ruled.address, config.asset, BALANCE);
  return { config, ruled };
}

it('each rule of the program stands in the table of attacks', () => {
  expect(attacks.map(({ rule }) => rule)).toEqual(rulesOf(mandateTemplate));
});

it.each(attacks)(
  '$rule: $name: refused by the program, done without the rule',
  async ({ rule, config, algoOnly, attack }) => {
    const whole = await mandateOn(chain, await config?.());
    const guarded = await sceneOf(whole, mandateTemplate, algoOnly);
    expect(Buffer.from(guarded.ruled.program)).toEqual(Buffer.from(mandateProgram(whole)));
    const refused = await attack(guarded);
    const signing = { ruled: guarded.ruled, ...refused.signing };
    expect(await refusalOf(chain, refused.group, signing)).toMatch(/rejected by logic/);

    const open = await sceneOf(whole, without(mandateTemplate, rule), algoOnly);
    const done = await attack(open);
    expect(await refusalOf(chain, done.group, { ruled: open.ruled, ...done.signing })).toBeUndefined();
  },
);

it('E3: nobody but the owner opens an ended mandate again, where a stolen key would pay from what was added before', async () => {
  for (const [source, outcome] of [
    [mandateTemplate, expect.stringMatching(/rejected by logic/)],
    [without(mandateTemplate, 'E3'), undefined],
  ] as const) {
    const scene = await sceneOf(await mandateOn(chain), source, true);
    const { group } = await optingIn(scene, {});
    expect(await refusalOf(chain, group, scene)).toEqual(outcome);
  }
});

it('a payment that closes out is an end: it goes to nobody but the owner, and the agent can’t send it', async () => {
  const scene = await sceneOf(await mandateOn(chain), mandateTemplate);
  for (const assetCloseTo of [thief, owner.address]) {
    for (const amount of [0n, 10_000n]) {
      const { group } = await paying(scene, { amount, receiver: thief, assetCloseTo });
      expect(await refusalOf(chain, group, scene)).toMatch(/rejected by logic/);
    }
  }
});

it('a return of the ALGO that also names a new authorizer hands nothing over: the account is gone', async () => {
  const scene = await sceneOf(await mandateOn(chain), mandateTemplate, true);
  const { group } = await returning(scene, { rekeyTo: thief });
  expect(await refusalOf(chain, group, scene)).toBeUndefined();
});
