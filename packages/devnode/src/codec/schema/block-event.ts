import { uint64 } from '../integer.ts';
import { requiredField, Struct } from '../struct.ts';
import { block } from './block.ts';
import { stateDelta } from './state-delta.ts';

/** The event of a new block: the block, and its changes. */
export const blockEvent = new Struct({
  round: requiredField('round', uint64),
  block: requiredField('block', block),
  delta: requiredField('delta', stateDelta),
});

/** The event of a chain that was replaced, with its latest round. */
export const jumpEvent = new Struct({ round: requiredField('round', uint64) });
