import { fieldGroup, type FieldGroup } from '../machine/field-group.ts';

/** Fields of an earlier block's header. */
export const BLOCK_FIELDS: FieldGroup = fieldGroup('block', 'BlockField', [
  { code: 0, name: 'BlkSeed', type: '[32]byte' },
  { code: 1, name: 'BlkTimestamp', type: 'uint64' },
  { code: 2, name: 'BlkProposer', type: 'address', since: 11 },
  { code: 3, name: 'BlkFeesCollected', type: 'uint64', since: 11 },
  { code: 4, name: 'BlkBonus', type: 'uint64', since: 11 },
  { code: 5, name: 'BlkBranch', type: '[32]byte', since: 11 },
  { code: 6, name: 'BlkFeeSink', type: 'address', since: 11 },
  { code: 7, name: 'BlkProtocol', type: '[]byte', since: 11 },
  { code: 8, name: 'BlkTxnCounter', type: 'uint64', since: 11 },
  { code: 9, name: 'BlkProposerPayout', type: 'uint64', since: 11 },
  { code: 10, name: 'BlkBranch512', type: '[64]byte', since: 13 },
  { code: 11, name: 'BlkSha512_256TxnCommitment', type: '[32]byte', since: 13 },
  { code: 12, name: 'BlkSha256TxnCommitment', type: '[32]byte', since: 13 },
  { code: 13, name: 'BlkSha512TxnCommitment', type: '[64]byte', since: 13 },
]);
