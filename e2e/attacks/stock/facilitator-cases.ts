import type { Attempt, Changes, RuleStage } from './rule-stage.ts';

/** A payment that a rule is about, and what either facilitator makes of it; a row of docs/security.md. */
export interface RuleCase {
  readonly rule: string;
  readonly payment: string;
  readonly ours: string;
  readonly stock: string;
  readonly make: (stage: RuleStage) => Promise<Attempt>;
}

const SIMULATION = 'invalid_exact_avm_simulation_failed';
const SHAPE = 'invalid_exact_avm_group_shape';
const FEE_PAYER = 'invalid_exact_avm_invalid_fee_payer';
const NOT_SPONSORED = 'invalid_exact_avm_not_sponsored';

const good =
  (changes: Changes = {}) =>
  async (stage: RuleStage) => ({ payment: await stage.payment(changes) });
const lastRound = async ({ algod }: RuleStage): Promise<bigint> => (await algod.status()).lastRound;

/** A payment of an account that has what it takes and nothing to lose. */
const ofHolder = (changes: (stage: RuleStage) => object) => async (stage: RuleStage) => {
  const signer = await stage.holder(50_000n);
  return { payment: await stage.payment({ payment: { sender: signer.address, ...changes(stage) }, signer }) };
};

const otherAddress = (stage: RuleStage): string => stage.account('payer3').address;

/** Rule 1: what does not match the requirements. */
const binding: readonly RuleCase[] = [
  {
    rule: 'SR1',
    payment: 'less than what is asked for, by one unit',
    ours: 'invalid_exact_avm_amount_mismatch',
    stock: 'invalid_exact_avm_amount_mismatch',
    make: good({ payment: { amount: 9_999n } }),
  },
  {
    rule: 'SR1',
    payment: 'to another receiver',
    ours: 'invalid_exact_avm_receiver_mismatch',
    stock: 'invalid_exact_avm_receiver_mismatch',
    make: async (stage) => good({ payment: { receiver: otherAddress(stage) } })(stage),
  },
  {
    rule: 'SR1',
    payment: 'made for weaker requirements than those that it is presented for',
    ours: 'invalid_exact_avm_accepted_mismatch',
    stock: 'invalid_exact_avm_amount_mismatch',
    make: async (stage) => ({
      payment: await stage.payment({}, stage.requirements({ amount: '1' })),
      requirements: stage.requirements(),
    }),
  },
  {
    rule: 'SR1',
    payment: 'of another chain, by its genesis hash',
    ours: 'invalid_exact_avm_genesis_hash_mismatch',
    stock: SIMULATION,
    make: good({ all: { genesisHash: new Uint8Array(32).fill(7) } }),
  },
];

/** Rules 2 and 3: who signed, and when it is valid. */
const authorization: readonly RuleCase[] = [
  {
    rule: 'SR2',
    payment: 'signed by a key that is not the payer’s',
    ours: 'invalid_exact_avm_signer_mismatch',
    stock: 'invalid_exact_avm_invalid_signature',
    make: async (stage) => good({ signer: stage.stranger({ address: stage.account('payer').address }) })(stage),
  },
  {
    rule: 'SR3',
    payment: 'whose window is over',
    ours: 'invalid_exact_avm_expired',
    stock: SIMULATION,
    make: async (stage) => good({ all: { firstValid: 1n, lastValid: (await lastRound(stage)) - 100n } })(stage),
  },
  {
    rule: 'SR3',
    payment: 'whose window has not begun',
    ours: 'invalid_exact_avm_not_yet_valid',
    stock: SIMULATION,
    make: async (stage) => {
      const round = await lastRound(stage);
      return good({ all: { firstValid: round + 50n, lastValid: round + 100n } })(stage);
    },
  },
];

/** Rule 5: what can't settle, or is worth nothing, or may be over before it is settled. */
const settleability: readonly RuleCase[] = [
  {
    rule: 'SR5',
    payment: 'of a payer who has less than that',
    ours: 'invalid_exact_avm_insufficient_balance',
    stock: SIMULATION,
    make: async (stage) => {
      const signer = await stage.holder(1n);
      return good({ payment: { sender: signer.address }, signer })(stage);
    },
  },
  {
    rule: 'SR5',
    payment: 'of nothing, for an offer of nothing',
    ours: 'invalid_exact_avm_amount_mismatch',
    stock: 'settled',
    make: async (stage) => ({ payment: await stage.payment({}, stage.requirements({ amount: '0' })) }),
  },
  {
    rule: 'SR5',
    payment: 'of one unit, a millionth of a dollar, for a fee of 2,000 µAlgo',
    ours: NOT_SPONSORED,
    stock: 'settled',
    make: async (stage) => ({ payment: await stage.payment({}, stage.requirements({ amount: '1' })) }),
  },
  {
    rule: 'SR5',
    payment: 'with one round left',
    ours: 'invalid_exact_avm_window_too_short',
    stock: 'settled',
    make: async (stage) => {
      const round = await lastRound(stage);
      return good({ all: { firstValid: round - 5n, lastValid: round + 1n } })(stage);
    },
  },
];

/** Rule 6: what the sponsor pays. */
const sponsoring: readonly RuleCase[] = [
  {
    rule: 'SR6',
    payment: 'with five times the fee that the network asks for',
    ours: 'invalid_exact_avm_fee_too_high',
    stock: 'settled',
    make: good({ fee: { fee: 10_000n } }),
  },
  {
    rule: 'SR6',
    payment: 'to a receiver whom nobody has asked the sponsor to pay for',
    ours: NOT_SPONSORED,
    stock: 'settled',
    make: async (stage) => ({ payment: await stage.payment({}, stage.requirements({ payTo: otherAddress(stage) })) }),
  },
  {
    rule: 'SR6',
    payment: 'to the payer itself, for the fee’s sake',
    ours: 'invalid_exact_avm_payer_is_receiver',
    stock: 'settled',
    make: async (stage) => ({
      payment: await stage.payment({}, stage.requirements({ payTo: stage.account('payer').address })),
    }),
  },
  {
    rule: 'SR6',
    payment: 'of the sponsor’s own money',
    ours: 'invalid_exact_avm_facilitator_transferring',
    stock: 'invalid_exact_avm_facilitator_transferring',
    make: async (stage) => {
      const signer = stage.account('facilitator');
      return good({ payment: { sender: signer.address }, signer })(stage);
    },
  },
];

/** Rule 7: what changes after verify. */
const recheck: readonly RuleCase[] = [
  {
    rule: 'SR7',
    payment: 'of a payer who spends the money between verify and settle',
    ours: 'verified, then invalid_exact_avm_insufficient_balance',
    stock: `verified, then ${SIMULATION}`,
    make: async (stage) => {
      const signer = await stage.holder(10_000n);
      const payment = await stage.payment({ payment: { sender: signer.address }, signer });
      return { payment, between: () => stage.spend(signer, 10_000n) };
    },
  },
];

/** Rule 8: what is executed besides the payment. */
const execution: readonly RuleCase[] = [
  {
    rule: 'SR8',
    payment: 'with fourteen transfers of the payer’s own behind it, whose fees the sponsor pays',
    ours: SHAPE,
    stock: 'settled',
    make: async (stage) => {
      const riders = Array.from({ length: 14 }, (_, index) => ({
        receiver: otherAddress(stage),
        amount: BigInt(index),
      }));
      return good({ riders })(stage);
    },
  },
  {
    rule: 'SR8',
    payment: 'that takes the asset from a third account by clawback',
    ours: 'invalid_exact_avm_asset_sender',
    stock: SIMULATION,
    make: async (stage) => good({ payment: { assetSender: stage.account('payer2').address } })(stage),
  },
  {
    rule: 'SR8',
    payment: 'that also sends the rest of the payer’s asset to a third account',
    ours: 'invalid_exact_avm_asset_close',
    stock: 'settled',
    make: ofHolder((stage) => ({ assetCloseTo: otherAddress(stage) })),
  },
  {
    rule: 'SR8',
    payment: 'that also rekeys the payer’s account to a third one',
    ours: 'invalid_exact_avm_rekey',
    stock: 'settled',
    make: ofHolder((stage) => ({ rekeyTo: otherAddress(stage) })),
  },
  {
    rule: 'SR8',
    payment: 'under a lease, which keeps others of the payer from settling',
    ours: 'invalid_exact_avm_lease',
    stock: 'settled',
    make: good({ payment: { lease: new Uint8Array(32).fill(5) } }),
  },
  {
    rule: 'SR8',
    payment: 'with a stranger’s text in the note of the sponsor’s transaction',
    ours: FEE_PAYER,
    stock: 'settled',
    make: good({ fee: { note: new TextEncoder().encode('I am the sponsor') } }),
  },
  {
    rule: 'SR8',
    payment: 'with a lease on the sponsor’s transaction',
    ours: FEE_PAYER,
    stock: 'settled',
    make: good({ fee: { lease: new Uint8Array(32).fill(6) } }),
  },
  {
    rule: 'SR8',
    payment: 'whose first transaction pays something out of the sponsor’s account',
    ours: FEE_PAYER,
    stock: FEE_PAYER,
    make: async (stage) => good({ fee: { receiver: otherAddress(stage), amount: 5n } })(stage),
  },
  {
    rule: 'SR8',
    payment: 'whose first transaction rekeys, or closes, the sponsor’s account',
    ours: FEE_PAYER,
    stock: FEE_PAYER,
    make: async (stage) => {
      const address = otherAddress(stage);
      return good({ fee: { rekeyTo: address, closeRemainderTo: address } })(stage);
    },
  },
];

export const facilitatorCases: readonly RuleCase[] = [
  ...binding,
  ...authorization,
  ...settleability,
  ...sponsoring,
  ...recheck,
  ...execution,
];
