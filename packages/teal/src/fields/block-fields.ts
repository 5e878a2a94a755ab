import type { BlockHeader } from '../machine/environment.ts';
import { fieldGroup, type Field, type FieldGroup } from '../machine/field-group.ts';
import type { StackValue } from '../machine/stack-value.ts';

/** A field of a block's header, and the source of its value. */
interface BlockField extends Field {
  readonly read: (b: BlockHeader) => StackValue;
}

/** Fields of an earlier block's header. */
export const BLOCK_FIELDS: FieldGroup<BlockField> = fieldGroup('block', 'BlockField', [
  { code: 0, name: 'BlkSeed', type: '[32]byte', read: (b) => b.seed },
  { code: 1, name: 'BlkTimestamp', type: 'uint64', read: (b) => b.timestamp },
  { code: 2, name: 'BlkProposer', type: 'address', since: 11, read: (b) => b.proposer },
  { code: 3, name: 'BlkFeesCollected', type: 'uint64', since: 11, read: (b) => b.feesCollected },
  { code: 4, name: 'BlkBonus', type: 'uint64', since: 11, read: (b) => b.bonus },
  { code: 5, name: 'BlkBranch', type: '[32]byte', since: 11, read: (b) => b.branch },
  { code: 6, name: 'BlkFeeSink', type: 'address', since: 11, read: (b) => b.feeSink },
  { code: 7, name: 'BlkProtocol', type: '[]byte', since: 11, read: (b) => b.protocol },
  { code: 8, name: 'BlkTxnCounter', type: 'uint64', since: 11, read: (b) => b.transactionCounter },
  { code: 9, name: 'BlkProposerPayout', type: 'uint64', since: 11, read: (b) => b.proposerPayout },
  { code: 10, name: 'BlkBranch512', type: '[64]byte', since: 13, read: (b) => b.branch512 },
  { code: 11, name: 'BlkSha512_256TxnCommitment', type: '[32]byte', since: 13, read: (b) => b.sha512_256Commitment },
  { code: 12, name: 'BlkSha256TxnCommitment', type: '[32]byte', since: 13, read: (b) => b.sha256Commitment },
  { code: 13, name: 'BlkSha512TxnCommitment', type: '[64]byte', since: 13, read: (b) => b.sha512Commitment },
]);
