import { bytes32, bytes64 } from '../bytes.ts';
import { boolean, int64, uint64, uint8 } from '../integer.ts';
import type { ValueOf } from '../kind.ts';
import { list } from '../list.ts';
import { field, requiredField, Struct } from '../struct.ts';
import { byteString } from '../text.ts';

/** The state of an account in genesis (go-algorand data/bookkeeping, GenesisAccountData). */
const genesisAccount = new Struct({
  online: field('onl', uint8),
  microAlgos: field('algo', uint64),
  voteKey: field('vote', bytes32),
  selectionKey: field('sel', bytes32),
  stateProofKey: field('stprf', bytes64),
  voteFirstValid: field('voteFst', uint64),
  voteLastValid: field('voteLst', uint64),
  voteKeyDilution: field('voteKD', uint64),
});

/** All three keys of an allocation are always written; the genesis hash depends on it. */
const genesisAllocation = new Struct({
  address: requiredField('addr', byteString),
  comment: requiredField('comment', byteString),
  state: requiredField('state', genesisAccount),
});

export const genesis = new Struct({
  id: field('id', byteString),
  network: field('network', byteString),
  protocol: field('proto', byteString),
  allocations: field('alloc', list(genesisAllocation)),
  rewardsPool: field('rwd', byteString),
  feeSink: field('fees', byteString),
  timestamp: field('timestamp', int64),
  comment: field('comment', byteString),
  devMode: field('devmode', boolean),
});

export type GenesisAccount = ValueOf<typeof genesisAccount>;
