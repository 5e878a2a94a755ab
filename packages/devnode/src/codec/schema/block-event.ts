import { uint64 } from '../integer.ts';
import { requiredField, Struct } from '../struct.ts';
import { block } from './block.ts';
import { stateDelta } from './state-delta.ts';

/** A new block as it is told of: the block, and what it changed. */
export const blockEvent = new Struct({
  round: requiredField('round', uint64),
  block: requiredField('block', block),
  delta: requiredField('delta', stateDelta),
});

/** The chain has become another one, whose latest round this is. */
export const jumpEvent = new Struct({ round: requiredField('round', uint64) });
